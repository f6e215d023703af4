//! The working set of the conversation, which the next plan continues.

use std::cell::RefCell;
use std::rc::Rc;

use crate::compact::ledger::Rules;
use crate::compact::working::WorkingSet;
use crate::compact::working::render::Order;
use crate::message::Message;

/// See the module.
#[derive(Default)]
pub struct OpenFiles(RefCell<Option<Held>>);

struct Held {
    /// The messages it contains.
    taken: Vec<Rc<Message>>,
    rules: Rules,
    set: Rc<WorkingSet>,
    /// The order of its lines.
    order: Rc<Order>,
}

impl OpenFiles {
    /// Returns the working set of these messages, oldest first, in time proportional to the messages that no earlier
    /// call had.
    pub fn of(&self, messages: &[Rc<Message>], rules: &Rules) -> (Rc<WorkingSet>, Rc<Order>) {
        let mut held = self.0.borrow_mut();
        let known = held.take().filter(|held| {
            // A rewound conversation has lost some of them.
            let is_begin = held.taken.len() <= messages.len()
                && held.taken.iter().zip(messages).all(|(one, other)| Rc::ptr_eq(one, other));
            is_begin && held.rules.reads_calls_like(rules)
        });
        let fresh = || {
            let set = Rc::new(WorkingSet::new(rules));
            Held { taken: vec![], rules: rules.clone(), set, order: Rc::default() }
        };
        let held = held.insert(known.unwrap_or_else(fresh));
        if held.taken.len() < messages.len() {
            held.order = Rc::default();
        }
        for message in &messages[held.taken.len()..] {
            Rc::make_mut(&mut held.set).add(message);
            held.taken.push(Rc::clone(message));
        }
        (Rc::clone(&held.set), Rc::clone(&held.order))
    }
}
