//! Tool results as a whole: a limit for all of them together, and old ones replaced by notes.
//!
//! In: messages and a [`Rule`]. Out: [`Done`]: a plan, the same changes as targets of an edit, and a report that says
//! where each whole result is. [`Results::next`] names the results one by one before they are removed, so that a host
//! can store them. A host whose history keeps the originals calls [`Results::finish`] at once.
//!
//! - [`rule`]: what to do. - `piece`: results, and which of them take part.
//! - [`gemini`]: gemini-cli's sizes and texts.
//!
//! Calls and the frame stay unchanged. Pictures in results stay unless those of one turn have too many bytes.

pub mod gemini;
mod piece;
pub mod rule;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize};

pub use rule::{Clearing, Exempt, Rule, Style};

use self::piece::Piece;
use crate::history::draft::{Draft, Entry, Meter};
use crate::history::edit::{Kind, Target};
use crate::history::plan::Becomes;
use crate::history::plan::{MessageFate, PlanItem, Removal, Totals};
use crate::history::prune::{Allowance, Picture, lighten};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part};
use crate::tokens::{CostModel, Origin, Tokenizer};
use crate::tool_result::budget::{Size, Walk, outside, prunable, water_level};

/// What to do, and what to leave alone.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Options {
    pub rule: Rule,
    pub style: Style,
    /// Tools whose results stay whole. Their results still count, except in gemini-cli's masking.
    #[serde(default)]
    pub exempt: Exempt,
    /// Ids of messages whose results stay whole.
    pub keep: HashSet<String>,
    /// For [`Style::GeminiCli`]: the response object of a result as JSON text, by message and part, where it is not
    /// `{"output": text}`.
    #[serde(deserialize_with = "pairs")]
    pub bodies: HashMap<(String, usize), String>,
    /// Pictures in results whose size is known.
    #[serde(default)]
    pub pictures: Vec<Picture>,
    /// Maximum bytes of the pictures in the results of one turn;
    /// [`PICTURE_BYTES`](crate::history::prune::PICTURE_BYTES) if absent.
    #[serde(rename = "maxImageBytes")]
    pub picture_bytes: Option<u64>,
}

/// Reads a map as a list of pairs: its keys are not texts.
fn pairs<'de, D: Deserializer<'de>>(from: D) -> Result<HashMap<(String, usize), String>, D::Error> {
    Ok(Vec::deserialize(from)?.into_iter().collect())
}

/// How the operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// At least one result is shorter, or a note replaces one of its pictures.
    Changed,
    /// All results are within the limit.
    WithinBudget,
    /// All results together exceed the limit, but none exceeds the cap, so there is nothing to shorten.
    UnderCap,
    /// Removing everything that may go would free less than the minimum; nothing was changed.
    SmallGain,
}

/// A result that is about to be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Going {
    pub message: String,
    /// Index among the parts of the message.
    pub part: usize,
    /// Index in the result's content if the content is not one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    pub call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The whole text.
    pub text: String,
}

/// A result that was cut or cleared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gone {
    pub message: String,
    /// Index among the parts of the neutral message.
    pub part: usize,
    /// Index in the result's content, if that is not one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    pub call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Tokens of its text before and after, as the rule counts them.
    pub before: u64,
    pub after: u64,
    /// Where the whole result is: the handle that the host returned when it stored it, else the id of the message.
    pub recall: String,
}

/// All results together, as the rule counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sum {
    pub count: usize,
    pub before: u64,
    pub after: u64,
}

/// The result of the operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    pub outcome: Outcome,
    pub plan: Vec<PlanItem>,
    /// The changes as targets of one edit, and its kind; empty if nothing changed.
    pub targets: Vec<Target>,
    /// Notes that replace pictures, as targets of another edit.
    pub pictures: Vec<Target>,
    pub kind: Kind,
    pub rule: &'static str,
    pub before: Totals,
    pub after: Totals,
    pub origin: Origin,
    /// Everything that was removed or changed, in the order of the decisions.
    pub removed: Vec<Removal>,
    /// One row for every message of the input and every inserted one, in order.
    pub messages: Vec<MessageFate>,
    pub results: Sum,
    /// In the order of the messages.
    pub gone: Vec<Gone>,
    /// The water level, if there is one: pass it to the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
}

/// The short form of a piece.
struct Short {
    text: String,
    tokens: u64,
    recall: String,
}

/// The order of removals.
enum Queue {
    /// Known from the start: pieces and the tokens of each (`None`: a note replaces it).
    Chosen(VecDeque<(usize, Option<u64>)>),
    /// Depends on the outcome of earlier removals.
    Walk(Walk, u64),
}

/// The operation; see the module.
pub struct Results {
    messages: Vec<Message>,
    counts: Vec<u64>,
    origin: Origin,
    model: CostModel,
    tokenizer: Rc<dyn Tokenizer>,
    tools: u64,
    options: Options,
    pieces: Vec<Piece>,
    queue: Queue,
    /// The piece that [`Results::next`] returned last, and its tokens.
    current: Option<(usize, Option<u64>)>,
    short: BTreeMap<usize, Short>,
    level: Option<u64>,
    /// Minimum tokens that clearing has to free, after subtracting notes.
    least: u64,
    /// The outcome if nothing is removed.
    otherwise: Outcome,
}

impl Results {
    /// Counts everything and decides which results to remove. `tools` is the number of tokens of the tool definitions.
    pub fn new(
        messages: Vec<Message>,
        tools: u64,
        model: CostModel,
        tokenizer: Rc<dyn Tokenizer>,
        origin: Origin,
        options: Options,
    ) -> Results {
        let meter = Meter { model, tokenizer: &*tokenizer, tools, by_items: false, provider: None };
        let draft = Draft::new(&messages, meter, origin);
        let (totals, origin) = (draft.before(), draft.origin);
        let counts: Vec<u64> = draft.entries.iter().map(|entry| entry.before).collect();
        let pieces = piece::pieces(&draft, &options);
        drop(draft);
        let mut results = Results {
            messages,
            counts,
            origin,
            model,
            tokenizer,
            tools,
            options,
            pieces,
            queue: Queue::Chosen(VecDeque::new()),
            current: None,
            short: BTreeMap::new(),
            level: None,
            least: 0,
            otherwise: Outcome::WithinBudget,
        };
        match results.options.rule.clone() {
            Rule::Level { budget, previous } => results.sink(budget, previous),
            Rule::NewestFirst { budget, cap } => {
                let sizes = results.pieces.iter().map(|piece| piece.tokens).collect();
                results.queue = Queue::Walk(Walk::new(sizes, budget), cap);
            }
            Rule::Clear(clearing) => results.choose(&clearing.resolved(&totals), totals.total),
        }
        results
    }

    /// Sets one level for all results that may be cut; results that stay whole take their share first.
    fn sink(&mut self, budget: u64, previous: Option<u64>) {
        let (free, fixed): (Vec<usize>, Vec<usize>) = (0..self.pieces.len()).partition(|&at| self.pieces[at].free);
        let taken = fixed.iter().fold(0u64, |sum, &at| sum.saturating_add(self.pieces[at].tokens));
        let sizes: Vec<Size> =
            free.iter().map(|&at| Size { tokens: self.pieces[at].tokens, age: self.pieces[at].age }).collect();
        let found = water_level(&sizes, budget.saturating_sub(taken), previous);
        self.level = found.level;
        let over = free.into_iter().zip(found.caps).filter(|&(at, cap)| cap < self.pieces[at].tokens);
        self.queue = Queue::Chosen(over.map(|(at, cap)| (at, Some(cap))).collect());
    }

    /// Chooses old results outside everything that is protected: all or none.
    fn choose(&mut self, clearing: &rule::Resolved, total: u64) {
        if total <= clearing.min_request_tokens {
            return;
        }
        let all: Vec<usize> = (0..self.pieces.len()).filter(|&at| self.pieces[at].takes_part(clearing)).collect();
        let sizes: Vec<u64> = all.iter().map(|&at| self.pieces[at].tokens).collect();
        let end = match clearing.gross {
            true => prunable(&sizes, clearing.min_kept_tokens, clearing.min_freed_tokens),
            false => outside(&sizes, clearing.min_kept_tokens),
        };
        self.otherwise = match outside(&sizes, clearing.min_kept_tokens) > end {
            true => Outcome::SmallGain,
            false => Outcome::WithinBudget,
        };
        let newest = all.len().saturating_sub(clearing.newest);
        let old = all[..end.min(newest)].iter().copied();
        let old: Vec<usize> =
            old.filter(|&at| self.pieces[at].free && self.pieces[at].age >= clearing.rounds).collect();
        self.least = if clearing.gross { 0 } else { clearing.min_freed_tokens };
        self.queue = Queue::Chosen(old.into_iter().map(|at| (at, None)).collect());
        if self.least > 0 {
            self.only_if_worth_it();
        }
    }

    /// Asks the host for nothing if the gain would be too small.
    fn only_if_worth_it(&mut self) {
        let Queue::Chosen(queue) = &self.queue else { return };
        let gain: u64 = queue
            .iter()
            .map(|&(at, cap)| {
                let id = &self.messages[self.pieces[at].entry].id;
                self.pieces[at].tokens.saturating_sub(self.shortened(at, cap, id).1)
            })
            .sum();
        if gain < self.least {
            if !queue.is_empty() {
                self.otherwise = Outcome::SmallGain;
            }
            self.queue = Queue::Chosen(VecDeque::new());
        }
    }

    /// Returns the next result to remove, the same one until [`Results::settle`] is called. The order is newest first
    /// if older ones depend on newer ones, else oldest first.
    #[allow(clippy::should_implement_trait, reason = "each answer changes what comes next")]
    pub fn next(&mut self) -> Option<Going> {
        if self.current.is_none() {
            self.current = match &mut self.queue {
                Queue::Chosen(queue) => queue.pop_front(),
                Queue::Walk(walk, cap) => loop {
                    let Some(at) = walk.next_over() else { break None };
                    // A short result cannot be cut, however many there are: it counts, and stays.
                    if self.pieces[at].free && self.options.style.is_over(&self.pieces[at], *cap) {
                        break Some((at, Some(*cap)));
                    }
                    walk.counts(self.pieces[at].tokens);
                },
            };
        }
        let (at, _) = self.current?;
        let piece = &self.pieces[at];
        Some(Going {
            message: self.messages[piece.entry].id.clone(),
            part: piece.part,
            item: piece.item,
            call_id: piece.call_id.clone(),
            tool: piece.tool.clone(),
            text: self.text(piece).into_owned(),
        })
    }

    /// Reports where the host stored the result that [`Results::next`] returned: the handle replaces it. Without a
    /// handle the result stays.
    pub fn settle(&mut self, recall: Option<&str>) {
        let Some((at, cap)) = self.current.take() else { return };
        let whole = self.pieces[at].tokens;
        let mut left = whole;
        if let Some(recall) = recall {
            let (text, tokens) = self.shortened(at, cap, recall);
            if tokens < whole {
                left = tokens;
                self.short.insert(at, Short { text, tokens, recall: recall.to_string() });
            }
        }
        if let Queue::Walk(walk, _) = &mut self.queue {
            walk.counts(left);
        }
    }

    /// Removes everything that is left to remove, and returns the plan. For results that the host did not store, its
    /// own messages are the originals.
    pub fn finish(mut self) -> Done {
        while let Some(going) = self.next() {
            self.settle(Some(&going.message));
        }
        let freed: u64 = self.short.iter().map(|(&at, short)| self.pieces[at].tokens - short.tokens).sum();
        // The host's handles may be longer than ids.
        if freed < self.least && !self.short.is_empty() {
            self.short.clear();
            self.otherwise = Outcome::SmallGain;
        }
        let before: u64 = self.pieces.iter().map(|piece| piece.tokens).sum();
        let after = before - self.short.iter().map(|(&at, short)| self.pieces[at].tokens - short.tokens).sum::<u64>();
        let gone: Vec<Gone> = self.short.iter().map(|(&at, short)| self.gone(at, short)).collect();
        let rule = self.options.rule.name();
        let (kind, why) = match self.options.rule {
            Rule::Clear(_) => (Kind::ClearResult, "an old result, replaced by a note"),
            _ => (Kind::Truncate, "all results together are over their budget, shortened in the middle"),
        };
        let (model, tools) = (self.model, self.tools);
        let meter = Meter { model, tokenizer: &*self.tokenizer, tools, by_items: false, provider: None };
        let mut draft = Draft::with_counts(&self.messages, &self.counts, meter, self.origin);
        let Options { pictures, picture_bytes, keep, .. } = &self.options;
        lighten(&mut draft, Allowance { pictures, most: *picture_bytes, keep });
        let pictures: Vec<Target> = draft.entries.iter().flat_map(notes).collect();
        let is_same = gone.is_empty() && pictures.is_empty();
        let outcome = if is_same { self.otherwise } else { Outcome::Changed };
        let outcome = match self.options.rule {
            Rule::NewestFirst { budget, .. } if outcome == Outcome::WithinBudget && after > budget => Outcome::UnderCap,
            _ => outcome,
        };
        let mut targets = Vec::new();
        for (entry, changes) in self.changes() {
            let mut recalls: Vec<&str> = changes.values().flat_map(|pieces| pieces.iter()).map(|s| s.1).collect();
            recalls.dedup();
            draft.edit_parts(entry, rule, why, |part, content| change(content, changes.get(&part)?));
            // The host's handle takes precedence over the message's id.
            if let Some(removal) = draft.removed.last_mut() {
                removal.recall = recalls.join(", ");
            }
            let message = &self.messages[entry];
            for (&part, pieces) in &changes {
                let Some(content) = message.parts.get(part) else { continue };
                if let Some(to) = change(content, pieces) {
                    targets.push(Target::part(&message.id, part, to));
                }
            }
        }
        Done {
            outcome,
            plan: draft.plan(),
            targets,
            pictures,
            kind,
            rule,
            before: draft.before(),
            after: draft.after(),
            origin: draft.origin,
            messages: draft.fates(),
            removed: draft.removed,
            results: Sum { count: self.pieces.len(), before, after },
            gone,
            level: self.level,
        }
    }

    fn gone(&self, at: usize, short: &Short) -> Gone {
        let piece = &self.pieces[at];
        Gone {
            message: self.messages[piece.entry].id.clone(),
            part: piece.part,
            item: piece.item,
            call_id: piece.call_id.clone(),
            tool: piece.tool.clone(),
            before: piece.tokens,
            after: short.tokens,
            recall: short.recall.clone(),
        }
    }

    /// Returns texts and handles by message, part and item.
    fn changes(&self) -> BTreeMap<usize, BTreeMap<usize, Vec<Changed<'_>>>> {
        let mut out: BTreeMap<usize, BTreeMap<usize, Vec<Changed>>> = BTreeMap::new();
        for (&at, short) in &self.short {
            let piece = &self.pieces[at];
            let parts = out.entry(piece.entry).or_default();
            parts.entry(piece.part).or_default().push((piece.item, &short.recall, &short.text));
        }
        out
    }

    fn text(&self, piece: &Piece) -> Cow<'_, str> {
        piece.text(&self.messages[piece.entry], &self.options)
    }

    /// Returns the text that replaces a piece, and its tokens by the rule's own count.
    fn shortened(&self, at: usize, cap: Option<u64>, recall: &str) -> (String, u64) {
        let piece = &self.pieces[at];
        let whole = self.text(piece);
        let call = piece.call.and_then(|(entry, part)| self.messages.get(entry)?.parts.get(part));
        let style = self.options.style;
        let text = match cap {
            Some(cap) => style.cut(&whole, cap, call, recall, &*self.tokenizer),
            None => {
                let body = piece.body(&self.messages[piece.entry], &self.options);
                style.note(&whole, body, piece, call, recall)
            }
        };
        let tokens = style.size(&text, None, piece.tool.as_deref(), &self.options.rule, &*self.tokenizer);
        (text, tokens)
    }
}

/// Returns the notes that replace pictures of a message.
fn notes(entry: &Entry) -> Vec<Target> {
    let edits = entry.edits.iter().flatten().filter(|edit| matches!(edit.to, Some(Becomes::Content { .. })));
    let id = &entry.message.id;
    edits.map(|edit| Target { message: id.clone(), part: Some(edit.part), to: edit.to.clone() }).collect()
}

/// Item, handle and text that replace a piece.
type Changed<'a> = (Option<usize>, &'a str, &'a str);

/// Returns the change of a result.
fn change(part: &Part, pieces: &[Changed]) -> Option<Becomes> {
    let Part::ToolResult { content, .. } = part else { return None };
    if let [(None, _, text)] = pieces {
        return Some(Becomes::text(*text));
    }
    let mut items = vec![None; content.len()];
    for (item, _, text) in pieces {
        if let Some(slot) = item.and_then(|item| items.get_mut(item)) {
            *slot = Some(text.to_string());
        }
    }
    Some(Becomes::Content { items })
}
