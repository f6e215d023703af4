//! Edits: recorded changes of what the model gets to see, laid over a history that is never rewritten.
//!
//! A view is the history with its active edits applied in order. Compaction produces edits; undoing one is leaving it out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::draft::{Draft, Entry, Meter};
use super::pairs::repair;
use super::plan::{Becomes, Fate};
use super::rule::Rule;
use crate::map::HashMap;
use crate::message::{Message, Part};
use crate::tokens::Origin;

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The targets are represented by one summary message.
    #[default]
    ReplaceRange,
    /// The targets are not sent.
    Drop,
    /// The text of the targets is shortened in the middle.
    Truncate,
    /// Results of tools become placeholders.
    ClearResult,
    /// The same for what a newer message repeats or outdates; [`Edit::newer`] names that.
    Supersede,
    /// Long strings in the arguments of old calls are shortened; the JSON stays valid and keeps its keys.
    ClearArguments,
    /// Pictures and documents become notes.
    DropMedia,
    /// Reasoning is not sent any more.
    DropReasoning,
}

impl Kind {
    /// Why, for people.
    fn why(self) -> &'static str {
        match self {
            Kind::ReplaceRange => "the summary stands for it",
            Kind::Drop => "it did not fit the budget",
            Kind::Truncate => "too long for the budget, shortened in the middle",
            Kind::ClearResult => "an old result, replaced by a placeholder",
            Kind::Supersede => "a newer message repeats or outdates the result",
            Kind::ClearArguments => "long strings in the arguments of an old call, shortened",
            Kind::DropMedia => "an old picture or document, replaced by a note",
            Kind::DropReasoning => "reasoning of an old answer",
        }
    }
}

/// Who decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    #[default]
    Rule,
    Model,
    /// Somebody changed the text before it was applied.
    User,
}

/// One recorded change. Read back as well: a host keeps a compaction's edits until it applies them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    /// `e<n>`, counting from 0 within one log.
    pub id: String,
    pub kind: Kind,
    /// Ids of the messages it hides or changes, in order.
    pub targets: Vec<String>,
    #[serde(deserialize_with = "super::rule::known")]
    pub rule: Rule,
    pub author: Author,
    /// Tokens of the targets as they stood.
    pub tokens_before: u64,
    /// Tokens of what stands for them.
    pub tokens_after: u64,
    /// The summary message of a `replace_range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The model's answer to it, behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Message>,
    /// The thought that a `replace_range` inside a turn leaves behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Id of the message in front of which the summary stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// For `supersede`: the message that makes the targets unnecessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newer: Option<String>,
    /// What parts of the targets become, for the kinds that change parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Replacement>,
}

/// Reasoning of a message that is hidden, which comes first in one that stays: providers that sign it refuse calls of a turn in which none
/// is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Thinking {
    /// Id of the message that it is of.
    pub from: String,
    /// Index among the parts of that message, as it stood.
    pub part: usize,
    /// Id of the message that begins with it.
    pub to: String,
}

/// What one part becomes: the text of a part or result, the JSON text of a call's arguments, the note in the place of a picture. An empty
/// text for reasoning, which goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    pub message: String,
    /// Index among the parts of the message as it stood.
    pub part: usize,
    /// Index among what a result holds, for a picture or document in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    pub text: String,
}

/// The view of a history under its edits. Repair comes first, so that edits apply to what could be sent.
pub fn view<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    counts: &[u64],
    edits: &[Edit],
    meter: Meter<'a>,
    origin: Origin,
) -> Draft<'a> {
    let mut draft = Draft::with_counts(messages, counts, meter, origin);
    repair(&mut draft);
    apply_all(&mut draft, edits);
    // What an edit left behind may be refused where the whole was not: an empty request beside a summary, say.
    repair(&mut draft);
    draft
}

/// The same for a history in which there is nothing to repair.
pub fn view_of_sound<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    counts: &[u64],
    edits: &[Edit],
    meter: Meter<'a>,
    origin: Origin,
) -> Draft<'a> {
    let mut draft = Draft::with_counts(messages, counts, meter, origin);
    if !edits.is_empty() {
        apply_all(&mut draft, edits);
        repair_behind(&mut draft, edits);
    }
    draft
}

/// Repairs what these edits left of a sound draft. Where they do no more than put words in the place of words there is nothing to repair.
pub fn repair_behind(draft: &mut Draft, edits: &[Edit]) {
    let keeps_all = |edit: &Edit| {
        matches!(edit.kind, Kind::ClearResult | Kind::Supersede | Kind::ClearArguments | Kind::Truncate)
            && edit.texts.iter().all(|text| !text.text.trim().is_empty())
    };
    if !edits.iter().all(keeps_all) {
        repair(draft);
    }
}

/// Lays edits over a draft, in order.
pub fn apply_all(draft: &mut Draft, edits: &[Edit]) {
    let mut index = None;
    for edit in edits {
        let known = index.get_or_insert_with(|| Index::new(draft));
        if lay(draft, edit, known) {
            // A message was put in: those behind it have moved.
            index = None;
        }
    }
}

/// Lays one more edit over a draft. Targets that are not there any more are passed over.
pub fn apply(draft: &mut Draft, edit: &Edit) {
    let index = Index::new(draft);
    lay(draft, edit, &index);
}

/// Where the messages of a draft are.
struct Index<'a>(HashMap<Cow<'a, str>, usize>);

impl<'a> Index<'a> {
    fn new(draft: &Draft<'a>) -> Index<'a> {
        let id = |entry: &Entry<'a>| match entry.source {
            Some(source) if source.id == entry.message.id => Cow::Borrowed(source.id.as_str()),
            _ => Cow::Owned(entry.message.id.clone()),
        };
        Index(draft.entries.iter().enumerate().map(|(at, entry)| (id(entry), at)).collect())
    }

    fn get(&self, id: &str) -> Option<usize> {
        self.0.get(id).copied()
    }
}

/// True if a message was put in.
fn lay(draft: &mut Draft, edit: &Edit, index: &Index) -> bool {
    let targets = || edit.targets.iter().filter_map(|id| index.get(id));
    match edit.kind {
        Kind::ReplaceRange => {
            let targets: Vec<usize> = targets().collect();
            draft.drop_entries(&targets, Fate::Covered, edit.rule, edit.kind.why());
            lead(draft, edit, index);
            let place = edit.before.as_ref().and_then(|id| index.get(id)).or(targets.iter().min().copied());
            if let (Some(place), Some(message)) = (place, &edit.message) {
                if let Some(reply) = &edit.reply {
                    draft.insert(place, reply.clone(), edit.rule);
                }
                draft.insert(place, message.clone(), edit.rule);
                return true;
            }
        }
        Kind::Drop => draft.drop_entries(&targets().collect::<Vec<_>>(), Fate::Dropped, edit.rule, edit.kind.why()),
        kind => {
            let mut by_entry: BTreeMap<usize, Vec<&Replacement>> = BTreeMap::new();
            for text in &edit.texts {
                let entry = index.get(&text.message).filter(|&at| draft.entries[at].is_in());
                if let Some(entry) = entry {
                    by_entry.entry(entry).or_default().push(text);
                }
            }
            for (entry, texts) in by_entry {
                let mut part = 0;
                draft.edit_parts(entry, edit.rule, kind.why(), |was| {
                    part += 1;
                    change(kind, was, texts.iter().filter(|text| text.part + 1 == part))
                });
            }
        }
    }
    false
}

/// Puts the thought that stays where it goes.
fn lead(draft: &mut Draft, edit: &Edit, index: &Index) {
    let Some(Thinking { from, part, to }) = &edit.thinking else { return };
    let Some(to) = index.get(to).filter(|&at| draft.entries[at].is_in() && !draft.entries[at].is_new) else { return };
    let Some(entry) = index.get(from).map(|at| &draft.entries[at]) else { return };
    if let Some(thought @ Part::Reasoning { .. }) = entry.message.parts.get(*part).cloned() {
        draft.lead(to, &thought, from, *part, edit.rule);
    }
}

/// What a part becomes.
fn change<'a>(kind: Kind, was: &Part, mut texts: impl Iterator<Item = &'a &'a Replacement>) -> Option<Becomes> {
    let first = texts.next()?;
    let text = first.text.clone();
    Some(match (kind, was) {
        (Kind::DropMedia, Part::ToolResult { content, .. }) => {
            let mut items = vec![None; content.len()];
            for text in std::iter::once(first).chain(texts) {
                if let Some(item) = text.item.and_then(|at| items.get_mut(at)) {
                    *item = Some(text.text.clone());
                }
            }
            Becomes::Content { items }
        }
        (Kind::DropMedia, Part::Image { .. } | Part::Document { .. }) => Becomes::Note { text },
        (Kind::DropReasoning, Part::Reasoning { .. }) => Becomes::Gone,
        (Kind::ClearArguments, Part::ToolCall { .. }) => Becomes::Arguments { arguments: text },
        (Kind::ClearResult | Kind::Supersede, Part::ToolResult { .. }) => Becomes::Text { text },
        (Kind::Truncate, Part::Text { .. } | Part::ToolResult { .. }) => Becomes::Text { text },
        // Not what it was when the edit was made.
        _ => return None,
    })
}
