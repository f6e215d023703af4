//! gemini-cli's memory of a failure: after a summary that was longer than the messages that it replaces, no model is
//! asked until a compaction succeeds; results are still cut.
//!
//! | ended | flag afterwards |
//! |---|---|
//! | applied, with a summary | cleared |
//! | applied by cutting results alone | unchanged |
//! | inflated | set, unless manual |
//! | anything else, including errors | unchanged |

use serde::{Deserialize, Serialize};

use crate::compact::Status;

/// Set after a failure of that kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag(bool);

impl Flag {
    /// True if a model may be asked; manual compactions always may.
    pub fn may_ask(self, by_hand: bool) -> bool {
        by_hand || !self.0
    }

    /// Records the end of a compaction; `with_summary` says whether a summary was inserted.
    ///
    /// ```
    /// use espalier::{compact::Status, conversation::flag::Flag};
    /// let mut flag = Flag::default();
    /// flag.note(Status::Inflated, false, false);
    /// assert!(!flag.may_ask(false) && flag.may_ask(true));
    /// flag.note(Status::Applied, true, false);
    /// assert!(flag.may_ask(false));
    /// ```
    pub fn note(&mut self, status: Status, with_summary: bool, by_hand: bool) {
        match status {
            Status::Applied if with_summary => self.0 = false,
            // A summary of equal size counts as no gain here.
            Status::Inflated | Status::NoGain => self.0 |= !by_hand,
            _ => {}
        }
    }

    /// Clears the flag when the conversation starts again or is reopened.
    pub fn reset(&mut self) {
        self.0 = false;
    }
}
