//! Places cache marks.
//!
//! A mark asks the provider to cache everything up to its position. A provider allows a handful of marks, so they are
//! assigned by value. Marks of the caller count; if there are too many, the oldest in messages are removed first. Some
//! content cannot carry a mark (thinking, blank text, a tool that is loaded later); it never gets one, and loses one
//! that it has.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::copilot;
use super::digest::Digest;
use super::spot::{Lifetime, Place};
use crate::history::record::SUMMARY_TAG;
use crate::map::ordered;
use crate::message::{Message, Part, Role, Tool};
use crate::tokens::{CostModel, Tokenizer};

/// The rules by which marks are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Profile {
    /// By value: tools and system text, the newest message, the position of the previous request's newest mark, the
    /// summary.
    #[default]
    #[serde(rename = "espalier")]
    Espalier,
    /// The placement of Copilot Chat, within the limit.
    #[serde(rename = "copilot-chat")]
    CopilotChat,
}

/// The parts of a request that the wire format can mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Messages only.
    OpenAi,
    /// Blocks of messages and of the system prompt, and tool definitions.
    #[default]
    Anthropic,
}

/// Facts about a part that the wire format shows and the conversation model does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartFact {
    /// Index of the message.
    pub message: usize,
    /// Index of the part: one that may carry a mark, or a mark itself. `None` for a message without any other part.
    pub part: Option<usize>,
    /// False if it must not carry a mark.
    pub can: bool,
    /// The caller's mark on this part.
    pub mark: Option<Lifetime>,
}

impl PartFact {
    fn place(&self) -> Place {
        Place::Message { message: self.message, part: self.part }
    }
}

/// The same facts about a tool definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolFact {
    /// True if the provider loads the definition only when it is searched for.
    pub deferred: bool,
    pub mark: Option<Lifetime>,
}

/// The newest mark of a request: plain data to keep for the next request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Newest {
    /// Id of the message.
    pub message: String,
    /// Index of the part, without counting marks, which may change; absent if the message has no part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// Fingerprint of everything up to the mark. Without it the caller guarantees that nothing changed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// How marks are placed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    pub profile: Profile,
    pub scheme: Scheme,
    /// Maximum marks that the provider allows.
    pub max_marks: usize,
    /// Lifetime of new marks on tools and system text, and of those in messages.
    pub prefix_lifetime: Lifetime,
    pub message_lifetime: Lifetime,
    /// One entry for each tool definition that can carry a mark; empty if none can.
    #[serde(skip)]
    pub tools: Vec<ToolFact>,
    /// Only the parts that differ from the default.
    #[serde(skip)]
    pub parts: Vec<PartFact>,
    pub previous: Option<Newest>,
    /// Index of the newest summary of earlier history.
    #[serde(skip)]
    pub summary: Option<usize>,
    /// Minimum tokens of a prefix, by our count; shorter prefixes get no new mark.
    pub minimum: u64,
}

/// A mark of the request to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Mark {
    pub place: Place,
    pub lifetime: Lifetime,
    /// `system`, `tools`, `newest`, `previous`, `summary`, `user`, or `caller` for a mark of the caller; the other
    /// profile has `round`, `answer` and `leading`.
    pub why: &'static str,
}

/// A mark of the caller that is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unmarked {
    pub place: Place,
    /// `cannot-carry`, `over-limit` or `replaced`.
    pub why: &'static str,
}

/// The marks of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Placement {
    /// In the order in which the provider reads them, within its limit.
    pub marks: Vec<Mark>,
    /// Marks on content that can carry none, in order; then those above the limit.
    pub unmarked: Vec<Unmarked>,
    /// For the next request's [`Layout::previous`]. `None` if no message has a mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Newest>,
}

/// Returns the index of the newest summary: of the message with this id, or of the newest that begins with one.
///
/// ```
/// use espalier::cache::newest_summary;
/// use espalier::message::{Message, Part, Role};
/// let user = |id: &str, text: &str| {
///     Message { id: id.into(), role: Role::User, name: None, parts: vec![Part::Text { text: text.into() }] }
/// };
/// let messages = [user("a", "<conversation-summary covers=\"m1\">"), user("b", "Go on.")];
/// assert_eq!(newest_summary(&messages, None), Some(0));
/// assert_eq!(newest_summary(&messages, Some("b")), Some(1));
/// ```
pub fn newest_summary(messages: &[Message], id: Option<&str>) -> Option<usize> {
    messages.iter().rposition(|message| match id {
        Some(id) => message.id == id,
        None => {
            let text =
                |part: &Part| if let Part::Text { text } = part { Some(text.starts_with(SUMMARY_TAG)) } else { None };
            // A text that only looks like a record costs a cache mark, not a fact.
            message.role == Role::User && message.parts.iter().find_map(text) == Some(true)
        }
    })
}

/// Places marks. The time is linear in the length of the conversation.
///
/// ```
/// use espalier::cache::{Layout, Place, place};
/// use espalier::message::{Message, Part, Role};
/// use espalier::tokens::{CostModel, Tokenizer};
/// struct Bytes;
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// let parts = vec![Part::Text { text: "hi".into() }];
/// let messages = [Message { id: "m0".into(), role: Role::User, name: None, parts }];
/// let layout = Layout { max_marks: 4, ..Layout::default() };
/// let placed = place(&messages, &[], &layout, CostModel::Espalier, &Bytes);
/// assert_eq!(placed.marks[0].place, Place::Message { message: 0, part: Some(0) });
/// ```
pub fn place(
    messages: &[Message],
    tools: &[Tool],
    layout: &Layout,
    model: CostModel,
    tokenizer: &dyn Tokenizer,
) -> Placement {
    let mut request = Request::new(messages, layout);
    if layout.minimum > 0 {
        request.start = first_cacheable(messages, tools, layout.minimum, model, tokenizer);
    }
    let mut placed = match (layout.profile, layout.scheme) {
        (Profile::Espalier, _) => espalier(&mut request, tools),
        (Profile::CopilotChat, Scheme::OpenAi) => copilot::messages(&mut request),
        (Profile::CopilotChat, Scheme::Anthropic) => copilot::blocks(&mut request),
    };
    order_lifetimes(&mut placed);
    let last = placed.iter().rev().find(|mark| mark.place.message().is_some());
    let newest = last.and_then(|mark| newest(messages, tools, mark.place));
    Placement { marks: placed, unmarked: request.unmarked, newest }
}

/// A request whose marks are being placed.
pub(super) struct Request<'a> {
    pub messages: &'a [Message],
    pub layout: &'a Layout,
    /// The caller's marks that can stay.
    pub brought: BTreeMap<Place, Lifetime>,
    pub unmarked: Vec<Unmarked>,
    /// Parts that must not carry a mark, by message.
    barred: BTreeSet<Place>,
    /// The first position whose prefix is long enough to be cached; `None` if there is none.
    start: Option<Place>,
}

impl<'a> Request<'a> {
    fn new(messages: &'a [Message], layout: &'a Layout) -> Request<'a> {
        let barred = ordered(layout.parts.iter().filter(|fact| !fact.can).map(|fact| fact.place()));
        let start = Some(Place::Tool(0));
        let mut request = Request { messages, layout, brought: BTreeMap::new(), unmarked: Vec::new(), barred, start };
        for (at, tool) in layout.tools.iter().enumerate() {
            if let Some(lifetime) = tool.mark {
                request.add_caller_mark(Place::Tool(at), lifetime, !tool.deferred);
            }
        }
        let mut facts = BTreeMap::new();
        for fact in &layout.parts {
            if let Some(lifetime) = fact.mark {
                facts.insert(fact.place(), lifetime);
            }
        }
        // Keyed by the marked part; a message without any other part is marked as a whole.
        let mut caller_marks: BTreeMap<Place, Lifetime> = BTreeMap::new();
        for (message, whole) in messages.iter().enumerate() {
            let place = |part: Option<usize>| Place::Message { message, part };
            if let Some(lifetime) = facts.get(&place(None)).filter(|_| whole.parts.is_empty()) {
                caller_marks.insert(place(None), *lifetime);
            }
            for (at, part) in whole.parts.iter().enumerate() {
                let lifetime = facts.get(&place(Some(at))).copied();
                if matches!(part, Part::CacheMark) {
                    caller_marks.entry(place(request.marked_by(message, at))).or_insert(lifetime.unwrap_or_default());
                } else if let Some(lifetime) = lifetime {
                    caller_marks.insert(place(Some(at)), lifetime);
                }
            }
        }
        for (place, lifetime) in caller_marks {
            let fits = match place {
                Place::Message { message, part: Some(part) } => request.may_carry(message, part),
                _ => !request.is_strict(),
            };
            request.add_caller_mark(place, lifetime, fits);
        }
        request
    }

    fn add_caller_mark(&mut self, place: Place, lifetime: Lifetime, fits: bool) {
        if fits {
            self.brought.insert(place, lifetime);
        } else {
            self.unmarked.push(Unmarked { place, why: "cannot-carry" });
        }
    }

    /// Returns the part that a mark at `at` belongs to: the one before it. In formats that mark whole messages, it is
    /// the last part that can carry the mark, and a mark before all parts also marks the message.
    fn marked_by(&self, message: usize, at: usize) -> Option<usize> {
        let parts = &self.messages[message].parts;
        let is_part = |part: &usize| !parts[*part].is_mark();
        let earlier = || (0..at).rev().filter(is_part);
        if self.layout.scheme == Scheme::Anthropic {
            return earlier().next();
        }
        let whole = || earlier().chain((at..parts.len()).rev().filter(is_part));
        whole().find(|part| self.may_carry(message, *part)).or_else(|| whole().next())
    }

    /// False for Copilot Chat's marks on messages, which stay beside any content.
    fn is_strict(&self) -> bool {
        self.layout.profile == Profile::Espalier || self.layout.scheme == Scheme::Anthropic
    }

    /// True if the provider accepts a mark there.
    pub fn may_carry(&self, message: usize, part: usize) -> bool {
        let Some(value) = self.messages.get(message).and_then(|message| message.parts.get(part)) else { return false };
        let can = match value {
            Part::Text { text } => !self.is_strict() || !text.trim().is_empty(),
            Part::Reasoning { .. } => !self.is_strict(),
            Part::CacheMark | Part::Boundary => false,
            _ => true,
        };
        can && !self.barred.contains(&Place::Message { message, part: Some(part) })
    }

    /// Returns the last part of a message that can carry a mark. A message that only calls tools is not marked as a
    /// whole, because its content is empty.
    pub fn last_carrier(&self, message: usize) -> Option<Place> {
        let parts = &self.messages.get(message)?.parts;
        let whole = self.layout.scheme == Scheme::OpenAi;
        let part = (0..parts.len())
            .rev()
            .find(|&at| self.may_carry(message, at) && !(whole && matches!(parts[at], Part::ToolCall { .. })))?;
        Some(Place::Message { message, part: Some(part) })
    }

    /// Returns the last part of the system prompt that can carry a mark.
    pub fn system(&self) -> Option<Place> {
        let frame = self.messages.iter().take_while(|message| message.role.is_frame()).count();
        (0..frame).rev().find_map(|message| self.last_carrier(message))
    }

    /// Returns the last tool definition that is sent with the request.
    pub fn tool(&self) -> Option<Place> {
        self.layout.tools.iter().rposition(|tool| !tool.deferred).map(Place::Tool)
    }

    /// Returns the index of the newest message with content of the user.
    pub fn user(&self) -> Option<usize> {
        let says = |part: &Part| match part {
            Part::Text { text } => !text.trim().is_empty(),
            Part::ToolResult { .. } | Part::CacheMark | Part::Boundary => false,
            _ => true,
        };
        self.messages.iter().rposition(|message| {
            message.role == Role::User && (message.parts.iter().any(says) || message.results().next().is_none())
        })
    }

    /// True if the prefix up to there is long enough to be cached.
    pub fn is_long(&self, place: Place) -> bool {
        self.start.is_some_and(|start| place >= start)
    }

    /// Removes marks of the caller until `most` are left: the oldest in messages first, then the first ones of the
    /// system text, then those of tools.
    pub fn trim(&mut self, most: usize) {
        let frame = self.messages.iter().take_while(|message| message.role.is_frame()).count();
        let in_frame = |place: &Place| place.message().is_none_or(|message| message < frame);
        let mut order: Vec<Place> = self.brought.keys().copied().filter(|place| !in_frame(place)).collect();
        order.extend(self.brought.keys().filter(|place| in_frame(place) && place.message().is_some()));
        order.extend(self.brought.keys().filter(|place| place.message().is_none()));
        let over = self.brought.len().saturating_sub(most);
        for place in order.into_iter().take(over) {
            self.brought.remove(&place);
            self.unmarked.push(Unmarked { place, why: "over-limit" });
        }
    }

    /// Returns the lifetime of a new mark.
    pub fn lifetime(&self, place: Place) -> Lifetime {
        let in_frame = place.message().is_none_or(|message| self.messages[message].role.is_frame());
        if in_frame { self.layout.prefix_lifetime } else { self.layout.message_lifetime }
    }

    /// Returns the caller's marks and the new ones, in the order of the request.
    pub fn finish(&self, added: &[(Place, &'static str)]) -> Vec<Mark> {
        let mut all = self.brought.clone();
        for &(place, _) in added {
            all.insert(place, self.lifetime(place));
        }
        let why = |place: Place| added.iter().find(|(new, _)| *new == place).map_or("caller", |(_, why)| *why);
        all.into_iter().map(|(place, lifetime)| Mark { place, lifetime, why: why(place) }).collect()
    }
}

/// Places the four rows by value. The first two remove marks of the caller if they need room; the others use what is
/// left.
fn espalier(request: &mut Request, tools: &[Tool]) -> Vec<Mark> {
    let messages = request.messages;
    let newest = (0..messages.len()).rev().find_map(|message| request.last_carrier(message));
    let previous = request.layout.previous.as_ref().and_then(|previous| previous_mark_place(request, tools, previous));
    let anchor = match request.layout.summary {
        Some(summary) => request.last_carrier(summary).map(|place| (place, "summary")),
        None => request.user().and_then(|user| request.last_carrier(user)).map(|place| (place, "user")),
    };
    // The system text takes precedence, because its mark also covers the tools before it.
    let rows = [
        request.system().map(|place| (place, "system")),
        request.tool().map(|place| (place, "tools")),
        newest.map(|place| (place, "newest")),
        previous.map(|place| (place, "previous")),
        anchor,
    ];
    let max = request.layout.max_marks;
    let wanted = |rows: &[Option<(Place, &'static str)>]| -> Vec<(Place, &'static str)> {
        rows.iter().flatten().copied().filter(|(place, _)| request.is_long(*place)).collect()
    };
    let (first, others) = (wanted(&rows[..3]), wanted(&rows[3..]));
    let mut added: Vec<(Place, &'static str)> = Vec::new();
    // The newest message may be the system text itself.
    for row in first {
        if added.len() < max && !added.iter().any(|(place, _)| *place == row.0) {
            added.push(row);
        }
    }
    // An existing mark keeps its lifetime there, and stays while others are trimmed.
    let standing: Vec<(Place, Lifetime)> =
        added.iter().filter_map(|(place, _)| request.brought.remove_entry(place)).collect();
    request.trim(max - added.len());
    for (place, lifetime) in standing {
        added.retain(|(wanted, _)| *wanted != place);
        request.brought.insert(place, lifetime);
    }
    for row in others {
        let is_there = request.brought.contains_key(&row.0) || added.iter().any(|(place, _)| *place == row.0);
        if !is_there && request.brought.len() + added.len() < max {
            added.push(row);
        }
    }
    request.finish(&added)
}

/// Returns the position of the previous request's newest mark if everything up to it is unchanged; only then is a cache
/// hit certain.
fn previous_mark_place(request: &Request, tools: &[Tool], previous: &Newest) -> Option<Place> {
    let message = request.messages.iter().position(|message| message.id == previous.message)?;
    let parts = &request.messages[message].parts;
    let part = (0..parts.len()).filter(|&at| !matches!(parts[at], Part::CacheMark)).nth(previous.part?)?;
    let part = Some(part).filter(|part| request.may_carry(message, *part))?;
    let place = Place::Message { message, part: Some(part) };
    if let Some(prefix) = &previous.prefix
        && *prefix != prefix_name(request.messages, tools, message, Some(part))
    {
        return None;
    }
    Some(place)
}

fn newest(messages: &[Message], tools: &[Tool], place: Place) -> Option<Newest> {
    let Place::Message { message, part } = place else { return None };
    let prefix = prefix_name(messages, tools, message, part);
    let part = part.map(|part| index_without_marks(&messages[message], part));
    Some(Newest { message: messages[message].id.clone(), part, prefix: Some(prefix) })
}

/// Returns the index of a part among those that are not marks.
fn index_without_marks(message: &Message, part: usize) -> usize {
    message.parts.iter().take(part).filter(|part| !matches!(part, Part::CacheMark)).count()
}

/// Names the prefix up to a part. Later parts of the same message are not included, because the message may grow.
fn prefix_name(messages: &[Message], tools: &[Tool], message: usize, part: Option<usize>) -> String {
    let mut digest = Digest::new();
    digest.tools(tools);
    for whole in &messages[..message] {
        digest.head(whole);
        whole.parts.iter().for_each(|part| digest.part(part));
    }
    digest.head(&messages[message]);
    if let Some(part) = part {
        messages[message].parts.iter().take(part + 1).for_each(|part| digest.part(part));
    }
    digest.name()
}

/// Returns the first position whose prefix has `minimum` tokens. Counts no further than that.
fn first_cacheable(
    messages: &[Message],
    tools: &[Tool],
    minimum: u64,
    model: CostModel,
    tokenizer: &dyn Tokenizer,
) -> Option<Place> {
    let costs = model.tools(tools, tokenizer);
    let mut sum = costs.overhead;
    for (at, tool) in costs.per_tool.iter().enumerate() {
        sum += tool.tokens;
        if sum >= minimum {
            return Some(Place::Tool(at));
        }
    }
    for (message, whole) in messages.iter().enumerate() {
        let empty = Message { id: String::new(), role: whole.role, name: whole.name.clone(), parts: Vec::new() };
        sum = sum.saturating_add(model.message(&empty, tokenizer).tokens);
        for (at, part) in whole.parts.iter().enumerate() {
            sum = sum.saturating_add(model.part(whole.role, part, tokenizer).tokens);
            if sum >= minimum {
                return Some(Place::Message { message, part: Some(at) });
            }
        }
    }
    None
}

/// Orders lifetimes: longer ones must precede shorter ones. The caller's are shortened if they are out of order. New
/// ones are lengthened before a longer one of the caller, and shortened after a shorter one.
fn order_lifetimes(marks: &mut [Mark]) {
    shorten(marks.iter_mut().filter(|mark| mark.why == "caller"));
    let mut longest = Lifetime::FiveMinutes;
    for mark in marks.iter_mut().rev() {
        if mark.why == "caller" {
            longest = longest.max(mark.lifetime);
        } else {
            mark.lifetime = mark.lifetime.max(longest);
        }
    }
    shorten(marks.iter_mut());
}

fn shorten<'a>(marks: impl Iterator<Item = &'a mut Mark>) {
    let mut shortest = Lifetime::OneHour;
    for mark in marks {
        mark.lifetime = mark.lifetime.min(shortest);
        shortest = mark.lifetime;
    }
}
