//! What two consecutive requests share: providers bill the shared beginning at the price of a cache hit.
//!
//! Messages are compared in pairs, so that a caller who decodes them one by one never holds two conversations at once
//! ([`Comparison`]). The comparison ignores cache marks and ids of messages, which are not sent as content.

use serde::{Deserialize, Serialize};

use crate::message::{Message, Part, Tool};
use crate::tokens::{Cost, CostModel, Origin, Tokenizer};

/// The kind of the first difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceKind {
    /// A tool definition; these precede all messages.
    Tools,
    Role,
    Name,
    /// A text or a thought changed.
    Text,
    /// A call changed: its tool, arguments or id.
    Call,
    /// A result changed: its content, id or outcome.
    Result,
    /// A picture or a document changed.
    Media,
    Opaque,
    /// The part has another kind.
    Kind,
    /// The message has more or fewer parts than before.
    PartsAdded,
    PartsRemoved,
    /// The request ends before the previous one did.
    MessagesRemoved,
}

/// The first position at which two requests differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Index of the message, or of the tool if `kind` is `tools`.
    pub index: usize,
    /// Its id in the newer request; in the older one if the newer one ends before it.
    pub id: String,
    /// Index of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    pub kind: DifferenceKind,
    /// If texts differ: UTF-16 code units at their beginning that both share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// With `report`: the rule that brought it about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// The cause of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The rule that changed, dropped or inserted a message; `input` if the host's own messages differ.
    pub rule: String,
    /// Ids of the messages to which the rule was applied, as in the report.
    pub ids: Vec<String>,
}

/// The common beginning of two requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedPrefix {
    /// Number of equal messages.
    pub messages: usize,
    /// Tokens of the equal tools and messages, and of the equal parts before the first difference.
    pub tokens: u64,
    pub origin: Origin,
    /// True if the request begins with the whole previous one.
    pub extends: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// A row of the report of the newer request: what happened to a message.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FateRow {
    pub id: String,
    /// As in the report: `kept`, `changed`, `dropped`, `covered` or `inserted`.
    pub fate: String,
    #[serde(default)]
    pub rule: Option<String>,
}

/// Compares two requests in memory. [`Comparison`] compares messages one by one.
///
/// ```
/// use espalier::cache::stable_prefix;
/// use espalier::message::{Message, Part, Role};
/// use espalier::tokens::{CostModel, Tokenizer};
/// struct Bytes;
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// let says = |text: &str| Message { id: String::new(), role: Role::User, name: None, parts: vec![Part::Text { text: text.into() }] };
/// let (before, after) = ([says("a"), says("bc")], [says("a"), says("bd")]);
/// let shared = stable_prefix((&[], &before), (&[], &after), CostModel::Espalier, &Bytes);
/// assert_eq!((shared.messages, shared.difference.unwrap().offset), (1, Some(1)));
/// ```
pub fn stable_prefix(
    previous: (&[Tool], &[Message]),
    next: (&[Tool], &[Message]),
    model: CostModel,
    tokenizer: &dyn Tokenizer,
) -> SharedPrefix {
    let mut comparison = Comparison::new(model, tokenizer);
    comparison.tools(previous.0, next.0);
    let mut index = 0;
    while comparison.step(previous.1.get(index), next.1.get(index), None) {
        index += 1;
    }
    comparison.finish()
}

/// A comparison in progress: first the tools, then pair by pair until [`Comparison::step`] returns false.
pub struct Comparison<'a> {
    model: CostModel,
    tokenizer: &'a dyn Tokenizer,
    shared: SharedPrefix,
    cost: Cost,
    is_over: bool,
}

impl<'a> Comparison<'a> {
    pub fn new(model: CostModel, tokenizer: &'a dyn Tokenizer) -> Comparison<'a> {
        let shared = SharedPrefix { messages: 0, tokens: 0, origin: Origin::Exact, extends: false, difference: None };
        Comparison { model, tokenizer, shared, cost: Cost::ZERO, is_over: false }
    }

    /// Compares the tool definitions. If they differ, nothing after them is shared.
    pub fn tools(&mut self, previous: &[Tool], next: &[Tool]) {
        let same = previous.iter().zip(next).take_while(|(one, other)| one == other).count();
        let costs = self.model.tools(next, self.tokenizer);
        let tokens = costs.per_tool.iter().take(same).map(|tool| tool.tokens).sum::<u64>();
        self.cost += Cost { tokens: if same > 0 { costs.overhead + tokens } else { 0 }, origin: costs.origin };
        if same < previous.len().max(next.len()) {
            let id = next.get(same).or(previous.get(same)).map(|tool| tool.name.clone()).unwrap_or_default();
            self.end(Difference {
                index: same,
                id,
                part: None,
                kind: DifferenceKind::Tools,
                offset: None,
                cause: None,
            });
        }
    }

    /// Adds a message without comparing it, at the given `cost`: for messages that are the same object of the host in
    /// both requests.
    pub fn same(&mut self, cost: Cost) {
        if !self.is_over {
            self.cost += cost;
            self.shared.messages += 1;
        }
    }

    /// Compares the next pair; returns true if another pair should follow. `counted` is the cost of the newer message,
    /// if the caller already knows it.
    pub fn step(&mut self, previous: Option<&Message>, next: Option<&Message>, counted: Option<Cost>) -> bool {
        if self.is_over {
            return false;
        }
        let index = self.shared.messages;
        match (previous, next) {
            (Some(before), Some(after)) => match difference(before, after) {
                None => {
                    self.cost += counted.unwrap_or_else(|| self.model.message(after, self.tokenizer));
                    self.shared.messages += 1;
                    return true;
                }
                Some(found) => {
                    let parts = after.parts.iter().take(found.equal);
                    let equal = parts.map(|part| self.model.part(after.role, part, self.tokenizer)).sum::<Cost>();
                    self.cost += equal;
                    let Found { part, kind, offset, .. } = found;
                    self.end(Difference { index, id: after.id.clone(), part, kind, offset, cause: None });
                }
            },
            (Some(before), None) => {
                let (id, kind) = (before.id.clone(), DifferenceKind::MessagesRemoved);
                self.end(Difference { index, id, part: None, kind, offset: None, cause: None });
            }
            (None, _) => {
                self.shared.extends = true;
                self.is_over = true;
            }
        }
        false
    }

    fn end(&mut self, difference: Difference) {
        self.shared.difference = Some(difference);
        self.is_over = true;
    }

    /// Returns the shared prefix.
    pub fn finish(mut self) -> SharedPrefix {
        if self.shared.messages > 0 {
            self.cost += Cost::exact(self.model.list_overhead());
        }
        (self.shared.tokens, self.shared.origin) = (self.cost.tokens, self.cost.origin);
        self.shared
    }
}

impl SharedPrefix {
    /// Sets the cause of the difference, from the rows of the newer request's report and, if there was one, of the
    /// previous request's report: messages that were already removed then are not the cause.
    pub fn blame(&mut self, rows: &[FateRow], earlier: &[FateRow]) {
        let Some(difference) = &mut self.difference else { return };
        if difference.kind == DifferenceKind::Tools {
            difference.cause = Some(Cause { rule: "input".into(), ids: vec![] });
            return;
        }
        let gone = |row: &FateRow| matches!(row.fate.as_str(), "dropped" | "covered");
        let gone_before: crate::map::HashSet<&str> =
            earlier.iter().filter(|row| gone(row)).map(|row| row.id.as_str()).collect();
        // Looks at the rows between the last shared message and the one that differs.
        let (mut sent, mut dropped) = (0, Vec::new());
        let mut found: Option<Cause> = None;
        for row in rows {
            if gone(row) {
                if !gone_before.contains(row.id.as_str()) {
                    dropped.push(row);
                }
                continue;
            }
            if sent == difference.index {
                if row.fate != "kept" {
                    let rule = row.rule.clone().unwrap_or_else(|| row.fate.clone());
                    found = Some(Cause { rule, ids: vec![row.id.clone()] });
                }
                break;
            }
            dropped.clear();
            sent += 1;
        }
        difference.cause = found.or_else(|| {
            let rule = dropped.last()?.rule.clone().unwrap_or_else(|| "dropped".into());
            Some(Cause { rule, ids: dropped.iter().map(|row| row.id.clone()).collect() })
        });
        if difference.cause.is_none() {
            difference.cause = Some(Cause { rule: "input".into(), ids: vec![difference.id.clone()] });
        }
    }
}

/// The first difference inside a message, and the number of the newer message's parts before it.
struct Found {
    equal: usize,
    part: Option<usize>,
    kind: DifferenceKind,
    offset: Option<usize>,
}

fn difference(before: &Message, after: &Message) -> Option<Found> {
    let head = |kind| Some(Found { equal: 0, part: None, kind, offset: None });
    if before.role != after.role {
        return head(DifferenceKind::Role);
    }
    if before.name != after.name {
        return head(DifferenceKind::Name);
    }
    let sent = |part: &&Part| !matches!(part, Part::CacheMark);
    let mut old = before.parts.iter().filter(sent);
    let mut new = after.parts.iter().enumerate().filter(|(_, part)| sent(part));
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (Some(_), None) => {
                let equal = after.parts.len();
                return Some(Found { equal, part: Some(equal), kind: DifferenceKind::PartsRemoved, offset: None });
            }
            (None, Some((at, _))) => {
                return Some(Found { equal: at, part: Some(at), kind: DifferenceKind::PartsAdded, offset: None });
            }
            (Some(one), Some((at, other))) => {
                if one != other {
                    let (kind, offset) = kind(one, other);
                    return Some(Found { equal: at, part: Some(at), kind, offset });
                }
            }
        }
    }
}

fn kind(one: &Part, other: &Part) -> (DifferenceKind, Option<usize>) {
    match (one, other) {
        (Part::Text { text: one }, Part::Text { text: other })
        | (Part::Reasoning { text: one, .. }, Part::Reasoning { text: other, .. }) => {
            (DifferenceKind::Text, Some(shared_units(one, other)))
        }
        (Part::ToolCall { .. }, Part::ToolCall { .. }) => (DifferenceKind::Call, None),
        (Part::ToolResult { content: one, .. }, Part::ToolResult { content: other, .. }) => {
            let offset = match (one.as_slice(), other.as_slice()) {
                ([Part::Text { text: one }], [Part::Text { text: other }]) => Some(shared_units(one, other)),
                _ => None,
            };
            (DifferenceKind::Result, offset)
        }
        (Part::Image { .. }, Part::Image { .. }) | (Part::Document { .. }, Part::Document { .. }) => {
            (DifferenceKind::Media, None)
        }
        (Part::Opaque { .. }, Part::Opaque { .. }) => (DifferenceKind::Opaque, None),
        _ => (DifferenceKind::Kind, None),
    }
}

/// Returns the UTF-16 code units at the beginning that two texts share, in whole characters.
fn shared_units(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf16()).sum()
}
