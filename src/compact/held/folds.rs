//! Ledgers of what plans would put a record in the place of.
//!
//! A plan asks for the ledger of what a cut covers, and again for a later cut; the next plan asks for the same, with a message more at times.
//! Each goes on where the one before it ended.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::compact::ledger::{Ledger, Rules};
use crate::history::record::Records;
use crate::map::HashSet;
use crate::message::Message;

/// The first that a plan asks for is the shortest, and where the next plan begins; the last is what the record is written from.
const HELD: usize = 2;

/// Pieces in which a long list of messages is taken in, and the least number of messages in one.
const MARKS: usize = 6;
const LEAST_MARKED: usize = 16;

/// See the module.
#[derive(Default)]
pub struct Folds {
    all: RefCell<Vec<Fold>>,
    /// Ledgers of the beginnings of a long one that was made in this plan: for cuts that turn out too late.
    marks: RefCell<Vec<Fold>>,
    /// Of all messages of this plan.
    whole: RefCell<Option<Fold>>,
    /// Of the messages that the newest record stands for. They become more with each compaction, and are read once.
    behind: RefCell<Option<Behind>>,
}

/// The ledger of the messages that a record summarises.
struct Behind {
    /// In the order in which they were taken in; held, so that no other message gets the address of one.
    messages: Vec<Rc<Message>>,
    taken: HashSet<*const Message>,
    rules: Rules,
    ledger: Ledger,
}

struct Fold {
    messages: Vec<Rc<Message>>,
    rules: Rules,
    ledger: Rc<Ledger>,
    /// Asked for in this plan, and not only in the one before.
    is_new: bool,
}

impl Fold {
    fn begins(&self, messages: &[Rc<Message>], rules: &Rules) -> bool {
        self.messages.len() <= messages.len()
            && self.messages.iter().zip(messages).all(|(one, other)| is_same(one, other))
            && self.rules == *rules
    }
}

/// Messages of a log are shared; a record is made anew for each view of it.
fn is_same(one: &Rc<Message>, other: &Rc<Message>) -> bool {
    Rc::ptr_eq(one, other) || one.id == other.id && one == other
}

impl Folds {
    /// A plan begins. What the one before had no use for is forgotten.
    pub(super) fn begin(&self) {
        self.marks.borrow_mut().clear();
        self.whole.take();
        let mut all = self.all.borrow_mut();
        all.retain(|fold| fold.is_new);
        all.iter_mut().for_each(|fold| fold.is_new = false);
    }

    /// The ledger of these messages, of which the first may be begun by somebody who knows more of it.
    pub fn ledger(
        &self,
        messages: Vec<Rc<Message>>,
        rules: &Rules,
        begun: impl FnOnce(&Message) -> Option<Ledger>,
    ) -> Rc<Ledger> {
        let mut all = self.all.borrow_mut();
        let known = longest(&all, &messages, rules);
        if let Some(at) = known
            && all[at].messages.len() == messages.len()
        {
            all[at].is_new = true;
            return Rc::clone(&all[at].ledger);
        }
        let (ledger, from) = match known {
            // What this plan asked for before it may ask for again, and so does the next one.
            Some(at) if all[at].is_new => (Some(Ledger::clone(&all[at].ledger)), all[at].messages.len()),
            Some(at) => {
                let fold = all.remove(at);
                (Some(Rc::unwrap_or_clone(fold.ledger)), fold.messages.len())
            }
            None => match self.marked(&messages, rules) {
                Some((ledger, from)) => (Some(ledger), from),
                None => (messages.first().and_then(|first| begun(first)), 1),
            },
        };
        let ledger = Rc::new(self.marking(ledger.map(|ledger| (ledger, from)), &messages, rules));
        if all.iter().filter(|fold| fold.is_new).count() == HELD {
            let last = all.iter().rposition(|fold| fold.is_new);
            last.map(|at| all.remove(at));
        }
        all.push(Fold { messages, rules: rules.clone(), ledger: Rc::clone(&ledger), is_new: true });
        ledger
    }

    /// Returns the longest marked ledger that is of the first of these messages, and of how many.
    fn marked(&self, messages: &[Rc<Message>], rules: &Rules) -> Option<(Ledger, usize)> {
        let marks = self.marks.borrow();
        let mark = &marks[longest(&marks, messages, rules)?];
        Some((Ledger::clone(&mark.ledger), mark.messages.len()))
    }

    /// Takes in what is not in the ledger yet, and marks its beginnings if that is much: a record that does not use its room covers less,
    /// and what it covers then would be read anew.
    fn marking(&self, begun: Option<(Ledger, usize)>, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
        let from = begun.as_ref().map_or(0, |(_, from)| *from);
        let step = (messages.len() - from) / MARKS;
        if step < LEAST_MARKED {
            return gone_on(begun, messages, rules);
        }
        let mut begun = begun;
        for end in (1..MARKS).map(|mark| from + mark * step) {
            let ledger = gone_on(begun, &messages[..end], rules);
            let mark = Rc::new(ledger.clone());
            let messages = messages[..end].to_vec();
            self.marks.borrow_mut().push(Fold { messages, rules: rules.clone(), ledger: mark, is_new: false });
            begun = Some((ledger, end));
        }
        gone_on(begun, messages, rules)
    }

    /// The ledger of the messages that a record replaced, without what the assistant said: the record holds that. They are the host's own,
    /// so that none of them is a record, whichever the view has now.
    pub fn behind(&self, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
        let records = Records::Only(BTreeSet::new()).with(rules.records.foreign().cloned());
        let own = Rules { records, ..rules.clone() };
        let mut held = self.behind.borrow_mut();
        let known = held.take().filter(|behind| {
            let still = messages.iter().filter(|message| behind.taken.contains(&Rc::as_ptr(message))).count();
            still == behind.messages.len() && behind.rules == own
        });
        let behind = held.insert(known.unwrap_or_else(|| Behind {
            messages: vec![],
            taken: HashSet::default(),
            ledger: Ledger::new(&own),
            rules: own,
        }));
        // A request that was carried by one compaction and is covered by the next stands before rounds that are read already. Requests stay
        // in order among themselves, and so does everything else.
        for message in messages {
            if behind.taken.insert(Rc::as_ptr(message)) {
                behind.ledger.add(message);
                behind.messages.push(Rc::clone(message));
            }
        }
        behind.ledger.said.clear();
        behind.ledger.with_records(&rules.records)
    }

    /// The ledger of all messages of a plan. It goes on with what is held, and the next plan has nothing of it.
    pub fn whole(&self, messages: Vec<Rc<Message>>, rules: &Rules) -> Rc<Ledger> {
        let mut whole = self.whole.borrow_mut();
        if let Some(fold) = &*whole
            && fold.messages.len() == messages.len()
            && fold.begins(&messages, rules)
        {
            return Rc::clone(&fold.ledger);
        }
        let all = self.all.borrow();
        let begun = longest(&all, &messages, rules).map(|at| &all[at]);
        let begun = begun.map(|fold| (Ledger::clone(&fold.ledger), fold.messages.len()));
        let ledger = Rc::new(gone_on(begun, &messages, rules));
        *whole = Some(Fold { messages, rules: rules.clone(), ledger: Rc::clone(&ledger), is_new: false });
        ledger
    }
}

/// The one that is of most of these messages, from the first on, and of no others.
fn longest(all: &[Fold], messages: &[Rc<Message>], rules: &Rules) -> Option<usize> {
    let known = (0..all.len()).filter(|&at| all[at].begins(messages, rules));
    known.max_by_key(|&at| all[at].messages.len())
}

/// Takes in what is not in it yet.
fn gone_on(begun: Option<(Ledger, usize)>, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
    let (mut ledger, from) = begun.unwrap_or_else(|| (Ledger::new(rules), 0));
    for message in &messages[from..] {
        ledger.add(message);
    }
    ledger
}
