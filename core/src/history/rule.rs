//! Names of rules. The core's names are static. Names that a host passes back are looked up, and stored once if they
//! are new.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// The stable name of a rule.
pub type Rule = &'static str;

/// Maximum bytes of a name, and maximum number of stored names. Stored names stay in memory for the life of the
/// program.
const LONGEST: usize = 64;
const MOST: usize = 256;

thread_local! {
    static KEPT: RefCell<BTreeSet<Rule>> = const { RefCell::new(BTreeSet::new()) };
}

/// Reads the name of a rule.
///
/// # Errors
/// For names longer than 64 bytes, and for a new name once 256 are stored.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Rule, D::Error> {
    let name = String::deserialize(from)?;
    KEPT.with_borrow_mut(|kept| {
        if let Some(rule) = kept.get(name.as_str()) {
            return Ok(*rule);
        }
        if name.len() > LONGEST || kept.len() >= MOST {
            return Err(D::Error::custom("no rule of a compaction is called so"));
        }
        let rule: Rule = Box::leak(name.into_boxed_str());
        kept.insert(rule);
        Ok(rule)
    })
}
