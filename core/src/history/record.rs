//! Finds records of earlier compactions among messages, and decides which of them to trust.
//!
//! A record carries facts into the next compaction, so a text that only looks like one must not pass: a pasted file
//! that begins with the tag would bring in constraints and commands. A log knows which messages of its view are
//! records. A flat list of messages has only their texts, so a record there carries a checksum of itself.
//!
//! The checksum is not secret. It tells records from texts that imitate, quote or change one, but it does not stop an
//! attacker who computes it. A host that keeps untrusted text in flat lists and must be sure compacts a log.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::opening::{Foreign, System};
use crate::fnv::{START_64, add_64};
use crate::message::{Message, Part, Role};

/// Opening tag of a summary message of an earlier compaction.
pub const SUMMARY_TAG: &str = "<conversation-summary";
/// Closing tag of a summary message.
pub const SUMMARY_END: &str = "</conversation-summary>";
/// The attribute with the checksum, which is the last one of the tag.
const SEAL: &str = " seal=\"";
/// The modulus for a checksum of twelve decimal digits. Tokenizers split digits into threes, so every checksum costs
/// the same.
const DIGITS: u64 = 1_000_000_000_000;

/// The messages that are trusted as records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Records {
    /// Messages with a correct checksum.
    #[default]
    Sealed,
    /// Messages with these ids.
    Only(BTreeSet<String>),
    /// The messages of `own`, and one that another system left at the beginning.
    Behind { foreign: Foreign, own: Box<Records> },
}

/// A trusted record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// The text from the opening to the closing tag.
    pub text: &'a str,
    /// The text behind the record in the same message.
    pub behind: Cow<'a, str>,
    /// The other system that wrote the record; `None` for our own.
    pub system: Option<System>,
    /// True if the checksum is correct: a compaction wrote the lists in the record.
    pub is_sealed: bool,
}

impl Records {
    /// Reads a message as a record, if it is one. `text` is the message's own.
    pub fn read<'a>(&self, message: &'a Message, text: &'a str) -> Option<Record<'a>> {
        if let Records::Behind { foreign, own } = self {
            if foreign.id != message.id || message.role != Role::User {
                return own.read(message, text);
            }
            let behind = foreign.beside(message).into();
            let system = Some(foreign.system);
            return Some(Record { text: foreign.text(message), behind, system, is_sealed: false });
        }
        if message.role != Role::User || !text.starts_with(SUMMARY_TAG) {
            return None;
        }
        let sealed =
            split(text).map(|(text, behind)| Record { text, behind: behind.into(), system: None, is_sealed: true });
        match self {
            Records::Sealed | Records::Behind { .. } => sealed,
            Records::Only(ids) if !ids.contains(&message.id) => None,
            Records::Only(_) => {
                Some(sealed.unwrap_or(Record { text, behind: "".into(), system: None, is_sealed: false }))
            }
        }
    }

    /// Adds the record of another system, if there is one.
    #[must_use]
    pub fn with(self, foreign: Option<Foreign>) -> Records {
        match foreign {
            Some(foreign) => Records::Behind { foreign, own: Box::new(self) },
            None => self,
        }
    }

    /// Adds the records that a compaction inserted.
    #[must_use]
    pub fn with_own<'a>(mut self, inserted: impl IntoIterator<Item = &'a str>) -> Records {
        match &mut self {
            Records::Sealed => {}
            Records::Only(ids) => ids.extend(inserted.into_iter().map(String::from)),
            Records::Behind { foreign, own } => {
                return own.as_ref().clone().with_own(inserted).with(Some(foreign.clone()));
            }
        }
        self
    }

    /// Returns the record of another system.
    pub fn foreign(&self) -> Option<&Foreign> {
        if let Records::Behind { foreign, .. } = self { Some(foreign) } else { None }
    }

    /// Returns whether the message is a user message with nothing but a record: it contains no request.
    pub fn is_alone(&self, message: &Message) -> bool {
        if let Some(foreign) = self.foreign().filter(|foreign| foreign.id == message.id) {
            return foreign.is_alone;
        }
        // Reading the whole text of every message would take long.
        let begins = |part: &Part| matches!(part, Part::Text { text } if text.starts_with(SUMMARY_TAG));
        let is_text = |part: &Part| matches!(part, Part::Text { .. }) || part.is_mark();
        message.role == Role::User
            && message.parts.first().is_some_and(begins)
            && message.parts.iter().all(is_text)
            && self.read(message, &message.text()).is_some_and(|record| is_facts(&record.behind))
    }

    /// Returns whether the message is the answer that another system put behind its record.
    pub fn is_foreign_reply(&self, message: &Message) -> bool {
        self.foreign().is_some_and(|foreign| foreign.reply.as_deref() == Some(message.id.as_str()))
    }

    /// Returns whether the message is a record.
    pub fn has(&self, message: &Message) -> bool {
        message.role == Role::User && self.read(message, &message.text()).is_some()
    }
}

/// Returns whether the text behind a record only adds facts that the host pinned.
fn is_facts(behind: &str) -> bool {
    let behind = behind.trim();
    behind.is_empty() || behind.starts_with("<pinned-facts>") && behind.ends_with("</pinned-facts>")
}

/// Returns whether a text begins with a record with a correct checksum.
pub fn is_sealed(text: &str) -> bool {
    split(text).is_some()
}

/// Adds the checksum to a record, or replaces it. Returns a text that is no record unchanged.
///
/// ```
/// use espalier::history::record::{is_sealed, seal};
/// let record = seal("<conversation-summary covers=\"9\">\nAll is well.\n</conversation-summary>");
/// assert!(is_sealed(&record));
/// assert!(!is_sealed(&record.replace("well", "lost")));
/// ```
pub fn seal(text: &str) -> String {
    let Some((head, body, behind)) = frame(text) else { return text.to_string() };
    let head = sum(head).map_or(head, |(head, _)| head);
    format!("{head}{SEAL}{:012}\">{body}{behind}", checksum(head, body))
}

/// Splits a text into the record and the text behind it, if the checksum is correct.
fn split(text: &str) -> Option<(&str, &str)> {
    let (head, body, behind) = frame(text)?;
    let (head, given) = sum(head)?;
    (given.len() == 12 && given.parse() == Ok(checksum(head, body))).then(|| text.split_at(text.len() - behind.len()))
}

/// Splits a text into the tag without its `>`, the rest of the record, and the text behind it.
fn frame(text: &str) -> Option<(&str, &str, &str)> {
    let (head, rest) = text.split_once('>')?;
    let is_tag = head.starts_with(SUMMARY_TAG) && !head.contains('\n');
    let end = rest.find(SUMMARY_END).filter(|_| is_tag)? + SUMMARY_END.len();
    Some((head, &rest[..end], &rest[end..]))
}

/// Splits a tag into the tag without its checksum, and the checksum.
fn sum(head: &str) -> Option<(&str, &str)> {
    let (bare, given) = head.rsplit_once(SEAL)?;
    Some((bare, given.strip_suffix('"')?))
}

/// Computes a checksum of the role and of every byte: FNV-1a in 64 bits, mixed and reduced to twelve digits.
fn checksum(head: &str, body: &str) -> u64 {
    let texts = ["espalier record", Role::User.as_str(), head, body];
    let mut hash = texts.into_iter().fold(START_64, |hash, text| add_64(add_64(hash, text.as_bytes()), &[0]));
    hash ^= hash >> 32;
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash >> 29) % DIGITS
}
