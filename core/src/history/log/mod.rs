//! The event log of a conversation: append-only, with a byte-identical replay.
//!
//! In: messages, edits, pins, rewinds and records of the host, each with the host's time. Out: a view (the history with
//! the edits in force), the original of every message that an edit hid, and the log itself as JSON lines. No entry is
//! ever rewritten: an undo is another entry.
//!
//! - [`entry`]: the types of entries.
//! - `store`, `fold`: the stored entries, and the state that results from them.
//! - `check`, `range`: which entries are accepted.
//! - `undo`, `view`, `recall`, `compare`: queries and undo.
//! - `adopt`, `stale`: turn the edits of a compaction into edits of a log, if they still fit.
//! - `grown`: the view so far, so that a request reads new messages only. `runs`: compact plans.
//! - `jsonl`, `chain`: JSON lines, and the hash that detects changed lines.
//!
//! Adding a message takes time proportional to that message. An edit and its undo take time proportional to their
//! targets. Counts are stored: a text is counted once, when it is added.

mod adopt;
mod chain;
mod check;
mod compare;
pub mod entry;
mod fold;
mod grown;
mod jsonl;
mod opening;
mod outer;
mod pin;
mod range;
mod recall;
mod rewind;
mod runs;
mod stale;
mod store;
mod text;
mod turn;
mod undo;
mod view;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

pub use adopt::Made;
pub use chain::Chain;
pub use compare::{Comparison, Difference, Split};
pub use entry::id_of;
use entry::{Checkpoint, Edit, Entry, Pin, RecordKind};
use fold::{Shown, State};
use grown::Grown;
pub use jsonl::{Imported, Problem, VERSION};
pub use pin::Pinned;
pub use recall::{Hit, Place, Recalled};
pub use runs::Runs;
use store::Store;
pub use store::{Counts, Record};
pub use undo::{EditRow, StoredSummary, Undone};
pub use view::{Preview, View};

use super::draft::Meter;
use crate::error::{Code, Error, Result};
use crate::map::HashSet;
use crate::message::Message;
use crate::tokens::{CostModel, Origin, Tokenizer};
use crate::validity::Provider;

/// The tokenizer and cost model of a log.
#[derive(Clone)]
pub struct Counting {
    pub model: CostModel,
    pub tokenizer: Rc<dyn Tokenizer>,
    /// Tokens of the tool definitions that are sent along.
    pub tools: u64,
    /// Origin of the tokenizer's counts.
    pub origin: Origin,
    /// True for the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
    /// See [`Meter::provider`].
    pub provider: Option<Provider>,
}

impl Counting {
    fn meter(&self) -> Meter<'_> {
        let Counting { model, ref tokenizer, tools, by_items, provider, .. } = *self;
        Meter { model, tokenizer: &**tokenizer, tools, by_items, provider }
    }
}

/// The result of an operation: the id of its entry, and the line to store.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    pub id: String,
    /// One line of JSON, without a line break.
    pub line: String,
}

/// See the module.
///
/// ```
/// use espalier::history::log::{Counting, Log};
/// use espalier::message::{Message, Part, Role};
/// use espalier::tokens::{CostModel, Origin, Tokenizer};
/// struct Bytes; // one token a byte
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// let (model, tokenizer) = (CostModel::Espalier, std::rc::Rc::new(Bytes));
/// let counting = Counting { model, tokenizer, tools: 0, origin: Origin::Exact, by_items: false, provider: None };
/// let mut log = Log::new(counting);
/// let parts = vec![Part::Text { text: "hi".into() }];
/// let added = log.append(Message { id: "m0".into(), role: Role::User, name: None, parts }, 1_700_000_000_000)?;
/// assert_eq!(added.id, "e0");
/// assert_eq!(log.view().after.total, 3 + 4 + 2);
/// # Ok::<(), espalier::error::Error>(())
/// ```
pub struct Log {
    store: Store,
    state: State,
    counting: Counting,
    /// The hash up to each entry.
    chain: Vec<Chain>,
    /// The worst origin of any count.
    origin: Origin,
    /// Counts the operations that may change the view, except added messages.
    changes: u64,
    grown: RefCell<Grown>,
    beside: RefCell<Option<Rc<dyn Any>>>,
}

impl Log {
    /// Creates an empty log.
    pub fn new(counting: Counting) -> Log {
        let origin = counting.origin;
        let (changes, grown, beside) = (1, RefCell::default(), RefCell::default());
        let (store, state) = (Store::default(), State::default());
        Log { store, state, counting, chain: vec![], origin, changes, grown, beside }
    }

    /// Sets the tokens of the tool definitions from now on. Nothing is counted again.
    pub fn set_tools(&mut self, tokens: u64) {
        self.counting.tools = tokens;
    }

    /// Returns the tokenizer and cost model of the log.
    pub fn counting(&self) -> &Counting {
        &self.counting
    }

    /// Returns the worst origin of any count.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns a cache for facts derived from the log's messages. Nothing in the log depends on it.
    pub fn beside<T: Default + 'static>(&self) -> Rc<T> {
        let mut beside = self.beside.borrow_mut();
        if let Some(held) = beside.clone().and_then(|held| held.downcast().ok()) {
            return held;
        }
        let fresh = Rc::new(T::default());
        *beside = Some(Rc::clone(&fresh) as Rc<dyn Any>);
        fresh
    }

    /// Returns the number of entries, which is the position of the next one.
    pub fn len(&self) -> usize {
        self.store.records.len()
    }

    /// Returns whether the log has no entries.
    pub fn is_empty(&self) -> bool {
        self.store.records.is_empty()
    }

    /// Returns all entries.
    pub fn records(&self) -> &[Record] {
        &self.store.records
    }

    /// Returns a message as it was added, rewound or not.
    pub fn original(&self, id: &str) -> Option<&Message> {
        self.store.slots.get(id).map(|&slot| self.store.message(slot))
    }

    /// Returns the number of messages ever added, rewound ones included.
    pub fn originals(&self) -> usize {
        self.store.messages.len()
    }

    /// Returns the tokens of these messages together, as they were added.
    ///
    /// # Errors
    /// [`Code::UnknownId`].
    pub fn tokens_as_added(&self, ids: &[String]) -> Result<u64> {
        let tokens = |id: &String| {
            let unknown = || Error::new(Code::UnknownId, format!("there is no message with the id {id:?}"));
            Ok(self.counts(id).ok_or_else(unknown)?.message.tokens)
        };
        ids.iter().map(tokens).sum()
    }

    /// Returns the tokens of a message as it was added, and of each of its parts.
    pub fn counts(&self, id: &str) -> Option<&Counts> {
        self.store.slots.get(id).map(|&slot| &self.store.counts[slot])
    }

    /// Adds a message at the end, in time proportional to the message.
    ///
    /// # Errors
    /// [`Code::BadMessage`], [`Code::DuplicateId`].
    pub fn append(&mut self, message: Message, time: i64) -> Result<Added> {
        self.push(Entry::Message { message: Rc::new(message) }, time)
    }

    /// Adds all of these messages, or none.
    ///
    /// # Errors
    /// As [`Log::append`], with the path of the message.
    pub fn append_all(&mut self, messages: Vec<Message>, time: i64) -> Result<Vec<Added>> {
        let mut ids = HashSet::default();
        for (at, message) in messages.iter().enumerate() {
            self.check_message(message).map_err(|error| {
                let field = error.path.as_deref().and_then(|path| path.strip_prefix("message")).unwrap_or_default();
                let path = format!("messages[{at}]{field}");
                error.at(path)
            })?;
            if !ids.insert(&message.id) {
                let error = Error::new(Code::DuplicateId, format!("two messages have the id {:?}", message.id));
                return Err(error.at(format!("messages[{at}].id")));
            }
        }
        let entries = messages.into_iter().map(|message| {
            let seq = self.fold(Entry::Message { message: Rc::new(message) }, time);
            self.added(seq)
        });
        Ok(entries.collect())
    }

    /// Records an entry that has no effect on the view.
    ///
    /// # Errors
    /// [`Code::BadInput`] if `json` is not JSON.
    pub fn record(&mut self, kind: RecordKind, json: String, time: i64) -> Result<Added> {
        self.push(kind.entry(json), time)
    }

    /// Applies an edit to the history.
    ///
    /// # Errors
    /// [`Code::BadEdit`] with the path of the error; [`Code::StalePlan`] if the messages that the edit was made from
    /// have changed. The log is then unchanged.
    pub fn edit(&mut self, edit: Edit, time: i64) -> Result<Added> {
        let mut edit = self.check_edit(edit, true)?;
        let slots: Vec<usize> = match &edit.range {
            Some(range) => match (self.live(&range.from), self.live(&range.to)) {
                (Some(start), Some(end)) => (start..=end).collect(),
                _ => vec![],
            },
            None => {
                let mut slots: Vec<usize> =
                    edit.targets.iter().filter_map(|target| self.live(&target.message)).collect();
                crate::rank::sort(&mut slots, |slot| *slot as u64);
                slots.dedup();
                slots
            }
        };
        let stood = |log: &Log| slots.iter().map(|&slot| log.state.tokens(&log.store, slot)).sum::<u64>();
        // The message that receives reasoning gets longer.
        let led = edit.range.as_ref().and_then(|range| self.live(&range.thinking.as_ref()?.to));
        let led = led.filter(|slot| !slots.contains(slot));
        let of_led = |log: &Log| led.map_or(0, |slot| log.state.tokens(&log.store, slot));
        let was_led = of_led(self);
        let is_range = edit.range.is_some();
        let (messages, summaries) = (stood(self), self.state.summaries);
        (edit.tokens_before, edit.tokens_after) = (0, 0);
        let seq = self.fold(Entry::Edit { edit: Box::new(edit) }, time);
        let (messages_now, summaries_now) = (stood(self), self.state.summaries);
        // Summaries of older ranges inside the new one count as replaced tokens, too.
        let inside = match &self.state.edits[&seq].span {
            Some(span) if is_range => (summaries + span.tokens).saturating_sub(summaries_now),
            _ => 0,
        };
        let own = self.state.edits[&seq].span.as_ref().map_or(0, |span| span.tokens);
        let own = own + of_led(self).saturating_sub(was_led);
        if let Entry::Edit { edit } = &mut self.store.records[seq].entry {
            edit.tokens_before = messages + inside;
            edit.tokens_after = messages_now + own;
        }
        Ok(self.added(seq))
    }

    /// Records a stored summary. Its number must be [`Log::next_checkpoint`].
    ///
    /// # Errors
    /// [`Code::BadInput`] for another number, [`Code::UnknownId`] for an edit that does not exist.
    pub fn checkpoint(&mut self, checkpoint: Checkpoint, time: i64) -> Result<Added> {
        self.push(Entry::Checkpoint { checkpoint }, time)
    }

    /// Returns the number of the next checkpoint. The first is 1.
    pub fn next_checkpoint(&self) -> u32 {
        self.state.checkpoints.last().map_or(1, |last| last.number.saturating_add(1))
    }

    /// Pins something, so that no edit removes it. Content that an edit removed before comes back while it is pinned.
    ///
    /// # Errors
    /// [`Code::UnknownId`], [`Code::BadInput`].
    pub fn pin(&mut self, pin: Pin, time: i64) -> Result<Added> {
        self.push(Entry::Pin { pin }, time)
    }

    /// Removes a pin.
    ///
    /// # Errors
    /// [`Code::UnknownId`].
    pub fn unpin(&mut self, id: &str, time: i64) -> Result<Added> {
        self.push(Entry::Unpin { target: id.to_string() }, time)
    }

    /// Returns a hash over these messages as they are shown now. An edit made from them can use it to detect changes.
    ///
    /// # Errors
    /// [`Code::UnknownId`] with the path of the id.
    pub fn fingerprint(&self, ids: &[String]) -> Result<String> {
        let mut hash = Chain::default();
        for (at, id) in ids.iter().enumerate() {
            let Some(&slot) = self.store.slots.get(id) else {
                let error = Error::new(Code::UnknownId, format!("there is no message with the id {id:?}"));
                return Err(error.at(format!("ids[{at}]")));
            };
            let message = match &self.state.slots[slot].shown {
                Shown::Whole => self.store.message(slot),
                Shown::Changed(changed) => &changed.message,
                Shown::Dropped(by) | Shown::Rewound(by) => {
                    hash = hash.with(id_of(*by).as_bytes()).with(b"\n");
                    continue;
                }
                Shown::Covered(by) => {
                    let by = self.state.covered_by(&self.store, slot).unwrap_or(*by);
                    hash = hash.with(id_of(by).as_bytes()).with(b"\n");
                    continue;
                }
            };
            // Writing into a hash cannot fail, and every message can be written as JSON.
            let _ = serde_json::to_writer(&mut hash, message);
            hash = hash.with(if self.state.is_pinned(slot) { b"!\n" } else { b"\n" });
        }
        Ok(hash.hex())
    }

    /// Removes all entries from `entries` on, which must not be messages. `state` is the state before them.
    fn roll_back(&mut self, state: State, entries: usize) {
        self.state = state;
        self.store.records.truncate(entries);
        self.chain.truncate(entries);
        self.changes += 1;
    }

    /// Checks, stores and folds an entry.
    fn push(&mut self, entry: Entry, time: i64) -> Result<Added> {
        let entry = self.admit(entry)?;
        let seq = self.fold(entry, time);
        Ok(self.added(seq))
    }

    fn fold(&mut self, entry: Entry, time: i64) -> usize {
        self.remember(Record { time, entry, told: None }, true)
    }

    /// Stores and folds an entry that is new or was read.
    fn remember(&mut self, record: Record, is_new: bool) -> usize {
        let entry = &record.entry;
        let meter = self.counting.meter();
        let is_message = matches!(entry, Entry::Message { .. });
        let shows = matches!(
            entry,
            Entry::Edit { .. } | Entry::Revoke { .. } | Entry::Pin { .. } | Entry::Unpin { .. } | Entry::Rewind { .. }
        );
        self.changes += u64::from(shows);
        let seq = self.store.push(record, is_new, meter);
        if is_message && let Some(counts) = self.store.counts.last() {
            self.origin = self.origin.worst(counts.message.origin);
        }
        self.state.fold(&self.store, meter, seq);
        seq
    }

    /// Returns the line of the newest entry and adds its hash to the chain.
    fn added(&mut self, seq: usize) -> Added {
        let (line, chain) = jsonl::write(seq, &self.store.records[seq], self.newest_hash());
        self.chain.push(chain);
        Added { id: id_of(seq), line }
    }
}
