//! The attempts of a search, with their times and endings.

use serde::Serialize;

/// The origin of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Strategy {
    FullWorkspace,
    Remote,
    Embeddings,
    Lexical,
    /// Embeddings and words, joined by reciprocal rank.
    Fused,
}

/// A part of a search that takes time or can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    FullWorkspace,
    Remote,
    Embeddings,
    Keywords,
    Lexical,
    Read,
    Rerank,
}

impl Stage {
    pub(super) const ALL: [Stage; 7] = [
        Stage::FullWorkspace,
        Stage::Remote,
        Stage::Embeddings,
        Stage::Keywords,
        Stage::Lexical,
        Stage::Read,
        Stage::Rerank,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Stage::FullWorkspace => "full workspace",
            Stage::Remote => "remote",
            Stage::Embeddings => "embeddings",
            Stage::Keywords => "keywords",
            Stage::Lexical => "lexical",
            Stage::Read => "read",
            Stage::Rerank => "rerank",
        }
    }
}

/// The ending of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// The result comes from it.
    Won,
    /// It completed, or found nothing.
    Done,
    Failed,
    TimedOut,
    Cancelled,
    /// It never began.
    Skipped,
}

/// A stage that began or was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    #[serde(rename = "strategy")]
    pub stage: Stage,
    #[serde(rename = "outcome")]
    pub ending: Ending,
    /// Time since the search began.
    pub start_ms: u64,
    pub end_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The state of one stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Idle,
    Running {
        start: u64,
        timeout: Option<u64>,
        /// True if its time is over; it may still win.
        is_late: bool,
    },
    Ended(Attempt),
}

/// All stages. Times are milliseconds since the search began.
#[derive(Debug, Default)]
pub(super) struct Stages([Progress; 7]);

impl Stages {
    pub fn of(&self, stage: Stage) -> &Progress {
        &self.0[stage as usize]
    }

    pub fn start(&mut self, stage: Stage, start: u64, timeout: Option<u64>) {
        self.0[stage as usize] = Progress::Running { start, timeout, is_late: false };
    }

    pub fn is_idle(&self, stage: Stage) -> bool {
        *self.of(stage) == Progress::Idle
    }

    pub fn is_running(&self, stage: Stage) -> bool {
        matches!(self.of(stage), Progress::Running { .. })
    }

    /// True if the stage runs and has time left.
    pub fn is_in_time(&self, stage: Stage) -> bool {
        matches!(self.of(stage), Progress::Running { is_late: false, .. })
    }

    pub fn skip(&mut self, stage: Stage, why: impl Into<String>) {
        let why = Some(why.into());
        self.0[stage as usize] =
            Progress::Ended(Attempt { stage, ending: Ending::Skipped, start_ms: 0, end_ms: 0, why });
    }

    /// Ends a running stage. A late one timed out, unless it won.
    pub fn end(&mut self, stage: Stage, now: u64, ending: Ending, why: Option<String>) {
        let Progress::Running { start, timeout, is_late } = self.0[stage as usize] else { return };
        let (ending, why) = match (ending, timeout) {
            (Ending::Cancelled, Some(timeout)) if is_late => (Ending::TimedOut, Some(late(timeout))),
            (Ending::TimedOut, Some(timeout)) => (Ending::TimedOut, Some(late(timeout))),
            (Ending::Won, Some(timeout)) if is_late => (ending, Some(format!("after its {timeout} ms"))),
            _ => (ending, why),
        };
        self.0[stage as usize] = Progress::Ended(Attempt { stage, ending, start_ms: start, end_ms: now, why });
    }

    /// Records that the result comes from this stage, whether it runs or is complete.
    pub fn set_won(&mut self, stage: Stage, now: u64) {
        self.end(stage, now, Ending::Won, None);
        if let Progress::Ended(attempt) = &mut self.0[stage as usize] {
            attempt.ending = Ending::Won;
        }
    }

    /// Returns the running stages, in their order.
    pub fn running(&self) -> Vec<Stage> {
        Stage::ALL.into_iter().filter(|stage| self.is_running(*stage)).collect()
    }

    /// Returns the time at which the next stage is late.
    pub fn next_deadline(&self) -> Option<(u64, Stage)> {
        let deadline = |stage: Stage| match self.of(stage) {
            Progress::Running { start, timeout: Some(timeout), is_late: false } => {
                Some((start.saturating_add(*timeout), stage))
            }
            _ => None,
        };
        Stage::ALL.into_iter().filter_map(deadline).min_by_key(|(due, _)| *due)
    }

    pub fn set_late(&mut self, stage: Stage) {
        if let Progress::Running { is_late, .. } = &mut self.0[stage as usize] {
            *is_late = true;
        }
    }

    /// Returns all attempts, in the order in which they began.
    pub fn attempts(&self) -> Vec<Attempt> {
        let ended = self.0.iter().filter_map(|progress| match progress {
            Progress::Ended(attempt) => Some(attempt.clone()),
            _ => None,
        });
        let mut attempts: Vec<Attempt> = ended.collect();
        attempts.sort_by_key(|attempt| attempt.start_ms);
        attempts
    }
}

fn late(timeout: u64) -> String {
    format!("no answer within {timeout} ms")
}
