//! The cut of a request, in a form that the host can keep: what went, what became smaller, and what was sent.
//!
//! The next request is cut the same way while that fits, so that both begin alike and the provider's cache is worth something.

use serde::{Deserialize, Serialize};

use super::class::Drop;
use super::select::Selection;
use crate::history::draft::{Draft, Entry};
use crate::history::group::Group;
use crate::history::plan::Fate;
use crate::map::HashMap;
use crate::message::{Message, Part};

/// What a request was cut to. Plain data; small: some dozen bytes for each stretch that went, eight characters for each message sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Tokens that the request was allowed.
    pub limit: u64,
    /// Stretches of messages that went, in order.
    pub gone: Vec<Stretch>,
    /// Parts that became smaller.
    pub shortened: Vec<Shortened>,
    /// The fingerprints of the messages as they were sent, in order, [`MARK`] characters each.
    pub sent: String,
}

/// Messages that went, from the first to the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stretch {
    pub first: String,
    pub last: String,
    /// Fingerprint of the stretch: a history that was rewritten is not cut by old marks.
    pub mark: String,
}

/// A part that became smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shortened {
    /// Id of the message.
    pub id: String,
    /// Index among the parts of the host's message.
    pub part: usize,
    /// Index in the content of a result, if only an item of it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    pub how: How,
    /// Tokens that a result was given; 0 for everything else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub limit: u64,
}

/// How a part became smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum How {
    /// A result of more than its share of the limit.
    Oversize,
    /// A result brought to the common level.
    Result,
    Arguments,
    Media,
}

fn is_zero(limit: &u64) -> bool {
    *limit == 0
}

/// The same with the tokens where there are any.
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

/// What two requests in a row have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// Messages that both begin with.
    pub messages: usize,
    /// Their tokens.
    pub tokens: u64,
    /// Where this request differs first; absent if it begins with the whole previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<Difference>,
}

/// The first message that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Index in this request.
    pub at: usize,
    /// Id of the message of this request there, if it has one more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The rule that removed or changed something there; absent if the host's own messages are not what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

/// Characters of a fingerprint; six bits each.
pub const MARK: usize = 8;

/// Fingerprint of a message's content: role, name and parts, not its id. The same on every platform.
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
                // A result holds no results: no deeper than this.
                hash.number(content.len() as u64);
                for inner in content {
                    if !matches!(inner, Part::ToolResult { .. }) {
                        parts(hash, std::slice::from_ref(inner));
                    }
                }
            }
            Part::Reasoning { text } => hash.tagged(4, text),
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
            // Where marks stand changes from request to request, and no prefix with them.
            Part::CacheMark => hash.number(8),
        }
    }
}

/// Eight bytes at a time; any other mixing would do as well.
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

/// A fingerprint as text that JSON and JavaScript leave as it is.
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

/// Lets go again what the previous request's cut let go. `marks` are those of the host's messages, in order.
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
        // A stand-in goes with what it stands for.
        let mut own = group.entries.iter().filter(|&&i| !draft.entries[i].is_new).peekable();
        if own.peek().is_some() && own.all(|&i| gone.get(draft.entries[i].number) == Some(&true)) {
            selection.hold(at);
        }
    }
}

/// The cut that a finished draft was given.
pub(super) fn cut_of(draft: &Draft, marks: &[u64], limit: u64, shortened: Vec<Shortened>) -> Cut {
    let mut sent = String::new();
    // What became of the host's messages, in the host's order: results may have moved.
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
    // First and last of the stretch at hand.
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

/// What the request of `now` has in common with the one of `before`.
pub(super) fn shared(draft: &Draft, before: &Cut, now: &Cut) -> Shared {
    let (was, is) = (before.sent.as_bytes(), now.sent.as_bytes());
    let messages = was.chunks(MARK).zip(is.chunks(MARK)).take_while(|(was, is)| was == is).count();
    let mut kept = draft.entries.iter().enumerate().filter(|(_, entry)| entry.is_in());
    let tokens = kept.by_ref().take(messages).map(|(_, entry)| entry.after).sum();
    if messages == was.len() / MARK {
        return Shared { messages, tokens, differs: None };
    }
    let here = kept.next();
    // Something between the last message in common and the next one went by a pass, or the next one was changed by one.
    let end = here.map_or(draft.entries.len(), |(at, _)| at);
    let start = draft.entries[..end].iter().rposition(super::super::draft::Entry::is_in).map_or(0, |at| at + 1);
    let dropped = draft.entries[start..end].iter().find_map(|entry| entry.rule);
    let rule = dropped.or(here.and_then(|(_, entry)| entry.rule));
    let id = here.map(|(_, entry)| entry.message.id.clone());
    Shared { messages, tokens, differs: Some(Difference { at: messages, id, rule }) }
}
