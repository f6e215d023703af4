//! What some models need to be told beside the rest: a table by the name of the model, which hosts add rows to.

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
    /// Beginning of the model's name, without regard to case. A maker in front of it (`anthropic/`) is passed over.
    pub model: String,
    /// The name is this and no longer one.
    pub exact: bool,
    /// See [`Traits`].
    pub text_only: bool,
    pub keep_going: bool,
}

/// What follows from the rows that a model meets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traits {
    /// It calls tools although it is told not to: it is told once more.
    pub text_only: bool,
    /// It stops and asks after a summary: it is told to keep going.
    pub keep_going: bool,
}

/// Name, exact, traits. Sources: Copilot Chat's builds of June and July 2026.
const BUILT_IN: [(&str, bool, Traits); 2] = [
    ("claude-opus", false, Traits { text_only: true, keep_going: false }),
    ("gpt-4.1", true, Traits { text_only: false, keep_going: true }),
];

/// What a model that tends to stop is told behind the record.
pub const KEEP_GOING: &str = "Go on with the work where the record ends. Do not ask whether to continue, and stop only when the task is \
                              done or nothing but the user can help.";

impl Traits {
    /// Of a model, by the built-in rows and those of the host.
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
