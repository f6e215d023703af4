//! The ledger: its facts from a history, their lines in a record, and the measurements.

mod actions;
mod chain;
mod entries;
mod forged;
mod harness;
mod little;
mod measure;
mod offline;
mod places;
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
