//! Ledgers of the messages that a plan would replace by a record.
//!
//! A plan asks for the ledger of the messages that a cut covers, and again for a later cut; the next plan asks for the
//! same ones, sometimes with one message more. Each ledger continues an earlier one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::compact::ledger::gist::{Gists, Memo};
use crate::compact::ledger::{Ledger, Rules};
use crate::history::record::Records;
use crate::message::Message;

/// Number of ledgers that are kept: the first that a plan asks for is the shortest and starts the next plan; the record
/// is written from the last one.
const HELD: usize = 2;

/// Number of pieces in which a long list of messages is read, and the minimum number of messages in a piece.
const MARKS: usize = 6;
const MIN_MARKED: usize = 16;

/// See the module.
#[derive(Default)]
pub struct Folds {
    /// The gists of this plan.
    memo: RefCell<Memo>,
    all: RefCell<Vec<Fold>>,
    /// Ledgers of the beginnings of a long list, made in this plan, for cuts that turn out to be too late.
    marks: RefCell<Vec<Fold>>,
    /// The ledger of all messages of this plan.
    whole: RefCell<Option<Fold>>,
    /// The ledger of the messages that the newest record replaces. Their number grows with each compaction; each is
    /// read once.
    behind: RefCell<Option<Behind>>,
}

/// The ledger of the messages that a record summarises.
struct Behind {
    messages: Vec<Rc<Message>>,
    rules: Rules,
    ledger: Ledger,
    /// The ledger before the newest request beside the record, and the number of its messages. A later record covers
    /// that request, and its turn is then read again.
    before: Option<(Ledger, usize)>,
}

struct Fold {
    messages: Vec<Rc<Message>>,
    rules: Rules,
    ledger: Rc<Ledger>,
    /// True if this plan asked for it, and not only the previous one.
    is_new: bool,
}

impl Fold {
    fn begins(&self, messages: &[Rc<Message>], rules: &Rules) -> bool {
        self.messages.len() <= messages.len()
            && self.messages.iter().zip(messages).all(|(one, other)| is_same(one, other))
            && self.rules == *rules
    }
}

/// Messages of a log are shared; a record is made anew for each view.
fn is_same(one: &Rc<Message>, other: &Rc<Message>) -> bool {
    Rc::ptr_eq(one, other) || one.id == other.id && one == other
}

impl Folds {
    /// Uses these gists in this plan.
    pub fn remember(&self, gists: &Rc<Gists>) {
        *self.memo.borrow_mut() = Memo::new(gists);
    }

    /// Begins a plan: evicts entries that the previous plan did not use.
    pub(super) fn begin(&self) {
        self.marks.borrow_mut().clear();
        self.whole.take();
        let mut all = self.all.borrow_mut();
        all.retain(|fold| fold.is_new);
        all.iter_mut().for_each(|fold| fold.is_new = false);
    }

    /// Returns the ledger of these messages. A caller who already knows the ledger of the first of them may pass it.
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
            // This plan and the next may ask again for what this plan asked for.
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

    /// Returns the longest marked ledger of the first of these messages, and their number.
    fn marked(&self, messages: &[Rc<Message>], rules: &Rules) -> Option<(Ledger, usize)> {
        let marks = self.marks.borrow();
        let mark = &marks[longest(&marks, messages, rules)?];
        Some((Ledger::clone(&mark.ledger), mark.messages.len()))
    }

    /// Adds the messages that the ledger lacks. If there are many, it keeps ledgers of their beginnings: a record that
    /// does not use its room covers fewer messages, which would otherwise be read again.
    fn marking(&self, begun: Option<(Ledger, usize)>, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
        let from = begun.as_ref().map_or(0, |(_, from)| *from);
        let step = (messages.len() - from) / MARKS;
        if step < MIN_MARKED {
            return self.gone_on(begun, messages, rules);
        }
        let mut begun = begun;
        for end in (1..MARKS).map(|mark| from + mark * step) {
            let ledger = self.gone_on(begun, &messages[..end], rules);
            let mark = Rc::new(ledger.clone());
            let messages = messages[..end].to_vec();
            self.marks.borrow_mut().push(Fold { messages, rules: rules.clone(), ledger: mark, is_new: false });
            begun = Some((ledger, end));
        }
        self.gone_on(begun, messages, rules)
    }

    /// Adds the messages that the ledger lacks.
    fn gone_on(&self, begun: Option<(Ledger, usize)>, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
        let (ledger, from) = begun.unwrap_or_else(|| (Ledger::new(rules), 0));
        // For few messages, the list of gists would cost more than it saves.
        let memo = if messages.len() - from < MIN_MARKED { Memo::default() } else { self.memo.borrow().under(rules) };
        let ledger = ledger.with_memo(&memo);
        ledger.continued(messages[from..].iter().map(|message| &**message))
    }

    /// Returns the ledger of the messages that a record replaced, without the assistant's texts, which the record
    /// contains. They are the host's own messages, so none of them is a record, whichever records the view has now.
    pub fn behind(&self, messages: &[Rc<Message>], rules: &Rules) -> Ledger {
        let records = Records::Only(BTreeSet::new()).with(rules.records.foreign().cloned());
        let own = Rules { records, ..rules.clone() };
        let mut held = self.behind.borrow_mut();
        let known = held.take().filter(|behind| behind.rules == own);
        let same = |behind: &Behind| behind.messages.iter().zip(messages).take_while(|(a, b)| is_same(a, b)).count();
        let begun = known.and_then(|behind| match same(&behind) {
            all if all == behind.messages.len() => Some(behind),
            some => behind.before.filter(|(_, before)| *before <= some).map(|(ledger, before)| Behind {
                messages: messages[..before].to_vec(),
                rules: behind.rules,
                ledger,
                before: None,
            }),
        });
        let new = || Behind { messages: vec![], ledger: Ledger::new(&own), rules: own.clone(), before: None };
        let behind = held.insert(begun.unwrap_or_else(new));
        for message in &messages[behind.messages.len()..] {
            if message.parts.is_empty() {
                behind.before = Some((behind.ledger.clone(), behind.messages.len()));
            }
            behind.ledger.add(message);
            behind.messages.push(Rc::clone(message));
        }
        behind.ledger.forget_said();
        behind.ledger.with_records(&rules.records)
    }

    /// Returns the ledger of all messages of a plan. It continues a kept ledger; the next plan does not continue this
    /// one.
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
        let ledger = Rc::new(self.gone_on(begun, &messages, rules));
        *whole = Some(Fold { messages, rules: rules.clone(), ledger: Rc::clone(&ledger), is_new: false });
        ledger
    }
}

/// Returns the ledger with the most of these messages, from the first on, and no others.
fn longest(all: &[Fold], messages: &[Rc<Message>], rules: &Rules) -> Option<usize> {
    let known = (0..all.len()).filter(|&at| all[at].begins(messages, rules));
    known.max_by_key(|&at| all[at].messages.len())
}
