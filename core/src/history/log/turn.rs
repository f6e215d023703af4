//! The state of the current turn.

use super::Log;
use crate::message::Role;

impl Log {
    /// Returns whether a finished round follows the newest request: the provider has then just seen most of the next
    /// request. Takes time proportional to the turn.
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
