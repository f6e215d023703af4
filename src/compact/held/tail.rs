//! The lines and names of the newest messages, which a plan leaves unchanged.
//!
//! Two consecutive plans leave mostly the same messages. The second one adds the new ones and removes those that left.

use std::cell::RefCell;
use std::rc::Rc;

use super::Known;
use crate::compact::working::view::Lines;
use crate::map::HashSet;

/// See the module.
#[derive(Default)]
pub struct Tail(RefCell<Shown>);

#[derive(Default)]
struct Shown {
    /// Kept alive, so that no other message gets the same address.
    messages: Vec<Rc<Known>>,
    lines: Rc<Lines>,
}

impl Tail {
    /// Returns the lines and names of these messages.
    pub fn of(&self, messages: Vec<Rc<Known>>) -> Rc<Lines> {
        let mut held = self.0.borrow_mut();
        let held = &mut *held;
        let lines = Rc::make_mut(&mut held.lines);
        let before: HashSet<*const Known> = held.messages.iter().map(Rc::as_ptr).collect();
        let now: HashSet<*const Known> = messages.iter().map(Rc::as_ptr).collect();
        held.messages.iter().filter(|known| !now.contains(&Rc::as_ptr(known))).for_each(|it| lines.remove(it.shown()));
        messages.iter().filter(|known| !before.contains(&Rc::as_ptr(known))).for_each(|it| lines.add(it.shown()));
        held.messages = messages;
        Rc::clone(&held.lines)
    }
}
