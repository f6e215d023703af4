//! Describes how a request was cut, in a form that the host can keep: removed messages, shortened parts and sent
//! messages.
//!
//! The next request repeats the cut as long as it fits. Both requests then begin with the same messages, and the
//! provider's cache stays useful.

use serde::{Deserialize, Serialize};

use super::class::Drop;
use super::select::Selection;
use crate::history::draft::{Draft, Entry};
use crate::history::group::Group;
use crate::history::plan::Fate;
use crate::map::HashMap;
use crate::message::{Message, Part};

/// How a request was cut: plain data to keep until the next request, with a few dozen bytes for each removed stretch,
/// and eight characters for each sent message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Token limit of the request.
    pub limit: u64,
    /// Removed stretches of messages, in order.
    pub gone: Vec<Stretch>,
    /// Shortened parts.
    pub shortened: Vec<Shortened>,
    /// Fingerprints of the sent messages, in order, eight characters each.
    pub sent: String,
}

/// A removed stretch of messages, with the ids of the first and the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stretch {
    pub first: String,
    pub last: String,
    /// Fingerprint of the stretch. If the history was rewritten, it does not match and the stretch is not removed
    /// again.
    pub mark: String,
}

/// A shortened part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shortened {
    /// Id of the message.
    pub id: String,
    /// Index among the parts of the host's message.
    pub part: usize,
    /// Index in the content of a result, if only one of its items changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    pub how: How,
    /// Maximum tokens of a shortened result; 0 for other parts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub limit: u64,
}

/// How a part was shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum How {
    /// A result that exceeded its share of the limit.
    Oversize,
    /// A result cut to the common maximum of all results.
    Result,
    Arguments,
    Media,
}

fn is_zero(limit: &u64) -> bool {
    *limit == 0
}

/// [`How`], with the tokens of shortened results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reduced {
    Oversize { limit: u64 },
    Result { limit: u64 },
    Arguments,
    Media,
}

impl Reduced {
    pub(super) fn rule(self) -> &'static str {
        match self {
            Reduced::Oversize { .. } => "oversize-result",
            Reduced::Result { .. } => "long-result",
            Reduced::Arguments => "long-arguments",
            Reduced::Media => "media",
        }
    }

    pub(super) fn of(item: &Shortened) -> Reduced {
        match item.how {
            How::Oversize => Reduced::Oversize { limit: item.limit },
            How::Result => Reduced::Result { limit: item.limit },
            How::Arguments => Reduced::Arguments,
            How::Media => Reduced::Media,
        }
    }

    pub(super) fn how(self) -> How {
        match self {
            Reduced::Oversize { .. } => How::Oversize,
            Reduced::Result { .. } => How::Result,
            Reduced::Arguments => How::Arguments,
            Reduced::Media => How::Media,
        }
    }

    pub(super) fn limit(self) -> u64 {
        match self {
            Reduced::Oversize { limit } | Reduced::Result { limit } => limit,
            Reduced::Arguments | Reduced::Media => 0,
        }
    }
}

/// What two consecutive requests have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// Number of equal messages at the beginning of both.
    pub messages: usize,
    /// Tokens of these messages.
    pub tokens: u64,
    /// The first difference. Absent if this request begins with all messages of the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<Difference>,
}

/// The first message that differs from the previous request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Index in this request.
    pub at: usize,
    /// Id of this request's message at that index, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The rule that removed or changed something there. Absent if the host changed its own messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

/// Characters of a fingerprint, with six bits each.
pub const MARK: usize = 8;

/// Returns the fingerprint of a message's role, name and parts, without its id. It is the same on every platform.
pub fn fingerprint(message: &Message) -> u64 {
    let mut hash = Hash(0x9e37_79b9_7f4a_7c15);
    hash.text(message.role.as_str());
    hash.option(message.name.as_deref());
    parts(&mut hash, &message.parts);
    hash.0
}

fn parts(hash: &mut Hash, list: &[Part]) {
    hash.number(list.len() as u64);
    for part in list {
        match part {
            Part::Text { text } => hash.tagged(1, text),
            Part::ToolCall { call_id, name, arguments } => {
                hash.tagged(2, call_id);
                hash.text(name);
                hash.text(arguments);
            }
            Part::ToolResult { call_id, name, content, is_error } => {
                hash.tagged(3, call_id);
                hash.option(name.as_deref());
                hash.number(u64::from(*is_error));
                // Results do not contain results, so the recursion ends here.
                hash.number(content.len() as u64);
                for inner in content {
                    if !matches!(inner, Part::ToolResult { .. }) {
                        parts(hash, std::slice::from_ref(inner));
                    }
                }
            }
            Part::Reasoning { text, .. } => hash.tagged(4, text),
            Part::Image { media_type, data, url, detail } => {
                hash.number(5);
                [media_type, data, url, detail].into_iter().for_each(|field| hash.option(field.as_deref()));
            }
            Part::Document { media_type, data_length, pages } => {
                hash.number(6);
                hash.option(media_type.as_deref());
                hash.number(*data_length);
                hash.number(pages.map_or(0, |pages| u64::from(pages) + 1));
            }
            Part::Opaque { json, .. } => hash.tagged(7, json),
            // Cache marks move from request to request, which does not change the cached prefix.
            Part::CacheMark => hash.number(8),
            Part::Boundary => hash.number(9),
        }
    }
}

/// Mixes eight bytes at a time. Any other mixing function would do.
struct Hash(u64);

impl Hash {
    fn number(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        let mut chunks = text.as_bytes().chunks_exact(8);
        for chunk in &mut chunks {
            let mut eight = [0; 8];
            eight.copy_from_slice(chunk);
            self.number(u64::from_le_bytes(eight));
        }
        let rest = chunks.remainder().iter().fold(1_u64, |sum, &byte| (sum << 8) | u64::from(byte));
        self.number(rest);
    }

    fn tagged(&mut self, tag: u64, text: &str) {
        self.number(tag);
        self.text(text);
    }

    fn option(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }
}

/// Writes a fingerprint in characters that need no escape in JSON or JavaScript.
fn written(mark: u64, out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for at in 0..MARK {
        out.push(char::from(DIGITS[(mark >> (6 * at)) as usize & 63]));
    }
}

fn fold(marks: &[u64]) -> String {
    let mut hash = Hash(marks.len() as u64);
    marks.iter().for_each(|&mark| hash.number(mark));
    let mut out = String::with_capacity(MARK);
    written(hash.0, &mut out);
    out
}

/// Repeats the removals of the previous request's cut. `marks` are the fingerprints of the host's messages, in order.
pub(super) fn hold(draft: &Draft, groups: &[Group], marks: &[u64], cut: &Cut, selection: &mut Selection) {
    if cut.gone.is_empty() {
        return;
    }
    let own = draft.entries.iter().filter(|entry| !entry.is_new);
    let number_of: HashMap<&str, usize> = own.map(|entry| (entry.message.id.as_str(), entry.number)).collect();
    let mut gone = vec![false; marks.len()];
    for stretch in &cut.gone {
        let (Some(&first), Some(&last)) = (number_of.get(&*stretch.first), number_of.get(&*stretch.last)) else {
            continue;
        };
        let same = marks.get(first..last + 1).is_some_and(|marks| fold(marks) == stretch.mark);
        if same && let Some(gone) = gone.get_mut(first..last + 1) {
            gone.fill(true);
        }
    }
    for (at, group) in groups.iter().enumerate() {
        // Only host messages decide: an inserted message goes with the messages that it replaces.
        let mut own = group.entries.iter().filter(|&&i| !draft.entries[i].is_new).peekable();
        if own.peek().is_some() && own.all(|&i| gone.get(draft.entries[i].number) == Some(&true)) {
            selection.hold(at);
        }
    }
}

/// Describes the cut of a finished draft.
pub(super) fn cut_of(draft: &Draft, marks: &[u64], limit: u64, shortened: Vec<Shortened>) -> Cut {
    let mut sent = String::new();
    // Entries in the order of the host's messages, since results may have moved.
    let mut hosts: Vec<Option<&Entry>> = vec![None; marks.len()];
    for entry in &draft.entries {
        if !entry.is_new
            && let Some(host) = hosts.get_mut(entry.number)
        {
            *host = Some(entry);
        }
        if entry.is_in() {
            let own = (!entry.is_new && entry.edits.is_none()).then(|| marks.get(entry.number).copied()).flatten();
            written(own.unwrap_or_else(|| fingerprint(&entry.message)), &mut sent);
        }
    }
    let mut gone: Vec<Stretch> = Vec::new();
    // First and last entry of the current stretch.
    let mut open: Option<(&Entry, &Entry)> = None;
    let mut close = |open: &mut Option<(&Entry, &Entry)>| {
        if let Some((first, last)) = open.take() {
            let mark = fold(marks.get(first.number..last.number + 1).unwrap_or_default());
            gone.push(Stretch { first: first.message.id.clone(), last: last.message.id.clone(), mark });
        }
    };
    for entry in hosts.into_iter().flatten() {
        if entry.is_in() {
            close(&mut open);
        } else if went(entry.fate, entry.rule) {
            open = Some((open.map_or(entry, |(first, _)| first), entry));
        }
    }
    close(&mut open);
    Cut { limit, gone, shortened, sent }
}

fn went(fate: Fate, rule: Option<&str>) -> bool {
    fate == Fate::Dropped && Drop::ALL.iter().any(|pass| Some(pass.rule()) == rule)
}

/// Compares the cut `now` with the one of the previous request, `before`.
pub(super) fn shared(draft: &Draft, before: &Cut, now: &Cut) -> Shared {
    let (was, is) = (before.sent.as_bytes(), now.sent.as_bytes());
    let messages = was.chunks(MARK).zip(is.chunks(MARK)).take_while(|(was, is)| was == is).count();
    let mut kept = draft.entries.iter().enumerate().filter(|(_, entry)| entry.is_in());
    let tokens = kept.by_ref().take(messages).map(|(_, entry)| entry.after).sum();
    if messages == was.len() / MARK {
        return Shared { messages, tokens, differs: None };
    }
    let here = kept.next();
    // Either a pass removed something between the last common message and the next one, or it changed the next one.
    let end = here.map_or(draft.entries.len(), |(at, _)| at);
    let start = draft.entries[..end].iter().rposition(super::super::draft::Entry::is_in).map_or(0, |at| at + 1);
    let dropped = draft.entries[start..end].iter().find_map(|entry| entry.rule);
    let rule = dropped.or(here.and_then(|(_, entry)| entry.rule));
    let id = here.map(|(_, entry)| entry.message.id.clone());
    Shared { messages, tokens, differs: Some(Difference { at: messages, id, rule }) }
}
