//! Where the conversation stands.

use super::Log;
use crate::message::Role;

impl Log {
    /// True if the newest request has a finished round behind it: the provider has seen most of the next request a moment ago. Takes time
    /// proportional to the turn.
    pub fn is_warm(&self) -> bool {
        let mut answered = false;
        for slot in (0..self.state.slots.len()).rev().filter(|&slot| self.is_live(slot)) {
            let message = self.store.message(slot);
            let has_results = message.results().next().is_some();
            answered |= has_results;
            if message.role == Role::User && !has_results {
                return answered;
            }
        }
        answered
    }
}
