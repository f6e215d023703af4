//! Instructions for single models: a table by the name of the model, to which hosts can add rows.

use serde::{Deserialize, Serialize};

/// One row.
///
/// ```
/// use espalier::compact::models::{Rule, Traits};
/// let own: Rule = serde_json::from_str(r#"{"model":"our-model","textOnly":true}"#).unwrap();
/// assert!(Traits::of(Some("our-model-2"), &[own]).text_only);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Rule {
    /// Prefix of the model's name, in any case. A provider before it (`anthropic/`) is skipped.
    pub model: String,
    /// True if the name must match whole.
    pub exact: bool,
    /// See [`Traits`].
    pub text_only: bool,
    pub keep_going: bool,
}

/// The traits of a model, from all rows that match it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traits {
    /// True if it calls tools although the instructions forbid it: they repeat that.
    pub text_only: bool,
    /// True if it stops and asks after a summary: the record tells it to continue.
    pub keep_going: bool,
}

/// Name, exact, traits. Sources: Copilot Chat's builds of June and July 2026.
const BUILT_IN: [(&str, bool, Traits); 2] = [
    ("claude-opus", false, Traits { text_only: true, keep_going: false }),
    ("gpt-4.1", true, Traits { text_only: false, keep_going: true }),
];

/// The text after the record for a model that tends to stop.
pub const KEEP_GOING: &str = "Go on with the work where the record ends. Do not ask whether to continue, and stop only when the task is \
                              done or nothing but the user can help.";

impl Traits {
    /// Returns the traits of a model, by the built-in rows and those of the host.
    ///
    /// ```
    /// use espalier::compact::models::Traits;
    /// assert!(Traits::of(Some("anthropic/claude-opus-4.5"), &[]).text_only);
    /// assert!(Traits::of(Some("gpt-4.1"), &[]).keep_going && !Traits::of(Some("gpt-4.1-mini"), &[]).keep_going);
    /// ```
    pub fn of(model: Option<&str>, rows: &[Rule]) -> Traits {
        let Some(model) = model else { return Traits::default() };
        let built_in = BUILT_IN.iter().map(|(name, exact, traits)| (*name, *exact, *traits));
        let own = rows.iter().map(|rule| {
            let &Rule { text_only, keep_going, .. } = rule;
            (rule.model.as_str(), rule.exact, Traits { text_only, keep_going })
        });
        let bare = model.rsplit('/').next().unwrap_or(model);
        let meets = |name: &str, exact: bool| {
            [model, bare].into_iter().any(|model| {
                let head = model.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
                head && (!exact || model.len() == name.len())
            })
        };
        let found = built_in.chain(own).filter(|(name, exact, _)| !name.is_empty() && meets(name, *exact));
        found.fold(Traits::default(), |all, (_, _, traits)| Traits {
            text_only: all.text_only | traits.text_only,
            keep_going: all.keep_going | traits.keep_going,
        })
    }
}
