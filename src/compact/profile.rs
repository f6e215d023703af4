//! Profiles: the constants of a system as data, read by one engine.
//!
//! Sources: Copilot Chat's builds of June and July 2026, gemini-cli at commit 29b3aa8, Copilot CLI's SDK types and changelog; `espalier` is
//! ours. What those systems do by mistake is not reproduced.

/// When a compaction starts by itself, as a share of the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// With a warm cache `least + spread × r`, `r` in [0, 1) drawn by the host, so that many conversations do not start at once; with a
    /// cold one `cold`, since the summary request is then paid in full.
    Drawn { least: f64, spread: f64, cold: f64 },
    /// Always here.
    At(f64),
}

/// What becomes of a finished summary that is not needed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Early {
    /// Kept: it was paid for.
    Parked,
    Dropped,
}

/// The constants of one system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    pub name: &'static str,
    pub start: Start,
    /// With a job running, a request at or above this waits for it; `None`: only one that does not fit.
    pub block: Option<f64>,
    /// A finished summary is used at or above this.
    pub apply_min: f64,
    /// What happens to it below that.
    pub early: Early,
    /// Fewest covered messages of an automatic compaction, and of one by hand.
    pub min_messages: (usize, usize),
    /// Share of the limit, tools taken off, that a request with tools may use.
    pub with_tools: f64,
    /// Runs beside the conversation; otherwise before the request.
    pub background: bool,
}

/// Ours.
pub const ESPALIER: Profile = Profile {
    name: "espalier",
    start: Start::Drawn { least: 0.78, spread: 0.04, cold: 0.90 },
    block: Some(0.95),
    apply_min: 0.65,
    early: Early::Parked,
    min_messages: (4, 2),
    with_tools: 1.0,
    background: true,
};

/// Copilot Chat.
pub const COPILOT_CHAT: Profile = Profile {
    name: "copilot-chat",
    start: Start::Drawn { least: 0.78, spread: 0.04, cold: 0.90 },
    block: None,
    apply_min: 0.65,
    early: Early::Dropped,
    min_messages: (2, 2),
    with_tools: 0.9,
    background: true,
};

/// gemini-cli.
pub const GEMINI_CLI: Profile = Profile {
    name: "gemini-cli",
    start: Start::At(0.5),
    block: None,
    apply_min: 0.0,
    early: Early::Dropped,
    min_messages: (2, 2),
    with_tools: 1.0,
    background: false,
};

/// Copilot CLI.
pub const COPILOT_CLI: Profile = Profile {
    name: "copilot-cli",
    start: Start::At(0.80),
    block: Some(0.95),
    apply_min: 0.0,
    early: Early::Dropped,
    min_messages: (4, 2),
    with_tools: 1.0,
    background: true,
};

/// All profiles, the default first.
pub const ALL: [&Profile; 4] = [&ESPALIER, &COPILOT_CHAT, &GEMINI_CLI, &COPILOT_CLI];

impl Profile {
    /// Finds a profile by name.
    ///
    /// ```
    /// use espalier::compact::profile::Profile;
    /// assert_eq!(Profile::named("gemini-cli").unwrap().apply_min, 0.0);
    /// assert!(Profile::named("claude-code").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Profile> {
        ALL.into_iter().find(|profile| profile.name == name)
    }

    /// Whether a background compaction starts at this ratio. `draw` gives a number in [0, 1) and is asked only where it decides.
    ///
    /// ```
    /// use espalier::compact::profile::ESPALIER;
    /// assert!(ESPALIER.starts(0.80, true, || 0.5));
    /// assert!(!ESPALIER.starts(0.89, false, || unreachable!()));
    /// ```
    pub fn starts(&self, ratio: f64, warm: bool, draw: impl FnOnce() -> f64) -> bool {
        match self.start {
            Start::Drawn { least, spread, .. } if warm => ratio >= least + spread * draw(),
            Start::Drawn { cold, .. } => ratio >= cold,
            Start::At(line) => ratio >= line,
        }
    }
}
