//! The ledger: what is taken from a history, what a record keeps of it, what of that is measured.

mod actions;
mod entries;
mod forged;
mod measure;
mod offline;
mod record;
mod states;
mod story;
mod tools;
mod words;

use espalier::compact::ledger::{Ledger, Rules};
use espalier::message::Message;

use crate::support::numbered;

fn ledger(messages: Vec<Message>) -> Ledger {
    Ledger::fold(&numbered(messages), &Rules::default())
}
