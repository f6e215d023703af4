//! The facts of the covered messages, and the text that rules extract from them.

use super::*;
use crate::compact::ledger::error;
use crate::compact::ledger::harness::of_user;

impl Compaction {
    /// Returns the ledger of these messages.
    pub(super) fn ledger(&self, ids: &[String]) -> Rc<Ledger> {
        let rules = &self.options.rules;
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let messages = self.covered(&known);
        // The facts behind an earlier record come from the messages that it replaced.
        let ledger = self.held.folds.ledger(messages, rules, |first| {
            let behind = self.behind.as_ref().filter(|behind| behind.id == first.id)?;
            Some(self.held.folds.behind(&behind.messages, rules).behind_record(&first.text()))
        });
        let stays = |later: &&Rc<Known>| !known.contains(later.message.id.as_str());
        let later = self.known.iter().filter(stays).map(|later| later.replacing());
        ledger.without_replaced(later).map_or(ledger, Rc::new)
    }

    /// Returns these messages, and in their places the requests beside them, without parts: what follows one
    /// belongs to it. A request in front of a record is newer than all requests in the record, and comes behind it.
    fn covered(&self, ids: &HashSet<&str>) -> Vec<Rc<Message>> {
        let records = &self.options.rules.records;
        let mut out: Vec<Rc<Message>> = Vec::new();
        let mut beside: Option<Rc<Message>> = None;
        // True while the turn of the last covered message goes on outside.
        let mut goes_on = false;
        for message in &self.messages {
            if ids.contains(message.id.as_str()) {
                match out.is_empty() {
                    true => beside = beside.filter(|_| records.is_alone(message)),
                    false => out.extend(beside.take()),
                }
                out.push(Rc::clone(message));
                goes_on = false;
            } else if self.is_request(message) {
                beside = Some(Rc::new(message.without_parts()));
            } else {
                goes_on |= !message.role.is_frame();
            }
        }
        if !(goes_on || out.is_empty()) {
            out.extend(beside);
        }
        let record = out.iter().position(|message| records.is_alone(message));
        if let Some(record) = record.filter(|&at| out[..at].iter().all(|message| message.is_request())) {
            out[..=record].rotate_right(1);
        }
        out
    }

    /// Returns the same ledger, with errors in the state that later messages leave them in: a record must not call an
    /// error open that the tail solved.
    pub(super) fn closed_ledger(&self, ids: &[String]) -> Rc<Ledger> {
        let ledger = self.ledger(ids);
        if ledger.errors.is_empty() {
            return ledger;
        }
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let mut all = self.spoken();
        // The ledger continues that of the covered messages.
        all.sort_by_key(|message| !known.contains(message.id.as_str()));
        let whole = self.held.folds.whole(all, &self.options.rules);
        let mut ledger = Rc::unwrap_or_clone(ledger);
        for (error, later) in ledger.errors.iter_mut().zip(&whole.errors) {
            if error::key(&error.line) == error::key(&later.line) {
                error.resolved = later.resolved;
            }
        }
        Rc::new(ledger)
    }

    /// Returns the messages without system prompts, which have no facts.
    pub(super) fn spoken(&self) -> Vec<Rc<Message>> {
        self.messages.iter().filter(|message| !message.role.is_frame()).cloned().collect()
    }

    /// True for a request of the user: neither a record nor the environment.
    fn is_request(&self, message: &Message) -> bool {
        let records = &self.options.rules.records;
        message.is_request() && !records.is_alone(message) && !self.environment.contains(&message.id)
    }

    /// Returns the newest request, if it is not one of these messages.
    pub(super) fn current_request(&self, ids: &[String]) -> Option<&Message> {
        let newest = self.messages.iter().rev().find(|message| self.is_request(message))?;
        (!ids.contains(&newest.id)).then_some(&**newest)
    }

    /// Returns the text that rules extract from these messages; `ledger` is theirs.
    pub(super) fn extract(&self, ids: &[String], ledger: &Ledger, max: u64) -> String {
        let current = self.current_request(ids).map(|message| (message.id.as_str(), message.text()));
        let current = current.as_ref().map(|(id, text)| (*id, of_user(text)));
        let current = current.as_ref().map(|(id, text)| (*id, &**text));
        // Only the text of a record has lists beside it.
        let write = match self.options.profile.replacement.form {
            profile::Form::Record => offline::beside_lists,
            profile::Form::Summary | profile::Form::Messages => offline::offline,
        };
        write(ledger, current, max, &*self.tokenizer)
    }
}
