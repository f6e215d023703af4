//! Edits: recorded changes of what the model sees. The history itself is never rewritten.
//!
//! A view is the history with its active edits applied in order. Compaction produces edits. Undoing an edit leaves it
//! out of the view.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::draft::{Draft, Entry, Meter};
use super::pairs::repair;
use super::plan::{Becomes, Fate};
use super::record::SUMMARY_TAG;
use super::rule::Rule;
use crate::map::HashMap;
use crate::message::{Message, Part};
use crate::tokens::Origin;

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Replaces groups by one summary message and the carried messages.
    #[default]
    ReplaceRange,
    /// Replaces a tool result by a placeholder.
    ClearResult,
    /// Replaces a tool result that a newer message repeats or outdates by a placeholder. The edit names that message.
    Supersede,
    /// Shortens long strings in the arguments of an old call. The JSON stays valid and keeps its keys.
    ClearArguments,
    /// Shortens a text or result in the middle.
    Truncate,
    /// Stores a text or result elsewhere and keeps a preview.
    Offload,
    /// Replaces pictures and documents by notes.
    DropMedia,
    /// Removes reasoning.
    DropReasoning,
    /// Removes groups.
    Drop,
    /// Synthetic results for missing ones. Repairs apply to one request and are never part of a log; every view is
    /// repaired again.
    Repair,
}

impl Kind {
    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::ReplaceRange => "replace_range",
            Kind::ClearResult => "clear_result",
            Kind::Supersede => "supersede",
            Kind::ClearArguments => "clear_arguments",
            Kind::Truncate => "truncate",
            Kind::Offload => "offload",
            Kind::DropMedia => "drop_media",
            Kind::DropReasoning => "drop_reasoning",
            Kind::Drop => "drop",
            Kind::Repair => "repair",
        }
    }

    /// Returns the reason, for people.
    fn why(self) -> &'static str {
        match self {
            Kind::ReplaceRange => "the summary replaces it",
            Kind::ClearResult => "an old result, replaced by a placeholder",
            Kind::Supersede => "a newer message repeats or outdates the result",
            Kind::ClearArguments => "long strings in the arguments of an old call, shortened",
            Kind::Truncate => "too long for the budget, shortened in the middle",
            Kind::Offload => "stored elsewhere, a preview stays",
            Kind::DropMedia => "an old picture or document, replaced by a note",
            Kind::DropReasoning => "reasoning of an old answer",
            Kind::Drop => "it did not fit the budget",
            Kind::Repair => "the provider would refuse the request without it",
        }
    }

    /// Returns whether an edit of this kind makes this of a part of that type.
    pub(super) fn fits(self, was: &Part, to: &Becomes) -> bool {
        matches!(
            (self, was, to),
            (Kind::DropMedia, Part::ToolResult { .. }, Becomes::Content { .. })
                | (Kind::DropMedia, Part::Image { .. } | Part::Document { .. }, Becomes::Note { .. })
                | (Kind::DropReasoning, Part::Reasoning { .. }, Becomes::Gone)
                | (Kind::ClearArguments, Part::ToolCall { .. }, Becomes::Arguments { .. })
                | (Kind::ClearResult | Kind::Supersede, Part::ToolResult { .. }, Becomes::Text { .. })
                | (Kind::Truncate | Kind::Offload, Part::Text { .. } | Part::ToolResult { .. }, Becomes::Text { .. })
                | (Kind::Truncate | Kind::Offload, Part::ToolResult { .. }, Becomes::Content { .. })
        )
    }
}

/// Who decided the edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    #[default]
    Rule,
    Model,
    /// A user changed the text before it was applied.
    User,
}

/// One recorded change of the view; the history itself is never rewritten. A host keeps the edits of a compaction until
/// it applies them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    /// `e<n>`, counting from 0 within one log.
    pub id: String,
    pub kind: Kind,
    /// The messages that the edit hides, or the parts that it changes, in order.
    pub targets: Vec<Target>,
    #[serde(deserialize_with = "super::rule::known")]
    pub rule: Rule,
    pub author: Author,
    /// Tokens of the targets before the edit.
    pub tokens_before: u64,
    /// Tokens of what replaces the targets.
    pub tokens_after: u64,
    /// The summary message of a `replace_range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The model's answer to the summary, which follows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Message>,
    /// The reasoning that a `replace_range` inside a turn keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Id of the message before which the summary is inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// For `supersede`: the message that makes the targets unnecessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newer: Option<String>,
}

impl Edit {
    /// Returns the ids of the messages that the edit hides or changes, each once, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let earlier = std::iter::once(None).chain(self.targets.iter().map(Some));
        let is_new =
            |(target, earlier): &(&Target, Option<&Target>)| earlier.is_none_or(|e| e.message != target.message);
        self.targets.iter().zip(earlier).filter(is_new).map(|(target, _)| target.message.as_str())
    }
}

/// Reasoning of a hidden message that moves to the start of a message that stays. Providers that sign reasoning refuse
/// the calls of a turn without any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Thinking {
    /// Id of the message that the reasoning belongs to.
    pub from: String,
    /// Index among the parts of that message when the edit was made.
    pub part: usize,
    /// Id of the message that begins with the reasoning in the view.
    pub to: String,
}

/// One message or part that an edit hides or changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    pub message: String,
    /// Index among the parts of the message: of the host's message in a log, of the shown message in a compaction's
    /// edit. Absent if the whole message is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// The new content of the part; absent if the whole message is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Becomes>,
}

impl Target {
    /// A whole message.
    pub fn message(id: impl Into<String>) -> Target {
        Target { message: id.into(), part: None, to: None }
    }

    /// A part of a message, and its new content.
    pub fn part(message: impl Into<String>, part: usize, to: Becomes) -> Target {
        Target { message: message.into(), part: Some(part), to: Some(to) }
    }

    /// Returns the number of changed items of a tool result's content; 1 for other targets.
    pub fn count(&self) -> usize {
        match &self.to {
            Some(Becomes::Content { items }) => items.iter().flatten().count(),
            _ => 1,
        }
    }
}

/// Returns the view of a history under its edits. Repairs it first unless it `is_sound`, so that edits apply to
/// messages that could be sent.
pub fn view<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    counts: &[u64],
    edits: &[Edit],
    meter: Meter<'a>,
    origin: Origin,
    is_sound: bool,
) -> Draft<'a> {
    let mut draft = Draft::with_counts(messages, counts, meter, origin);
    if !is_sound {
        repair(&mut draft);
    }
    apply_all(&mut draft, edits);
    // The remaining messages may need repair although the whole history did not: an empty request beside a summary,
    // say.
    if is_sound {
        repair_behind(&mut draft, edits)
    } else {
        repair(&mut draft)
    }
    draft
}

/// Repairs what these edits left of a valid draft. Edits that only replace text by other text need no repair.
pub fn repair_behind(draft: &mut Draft, edits: &[Edit]) {
    let has_text = |target: &Target| match &target.to {
        Some(Becomes::Text { text } | Becomes::Arguments { arguments: text }) => !text.trim().is_empty(),
        _ => false,
    };
    let keeps_all = |edit: &Edit| {
        matches!(edit.kind, Kind::ClearResult | Kind::Supersede | Kind::ClearArguments | Kind::Truncate)
            && edit.targets.iter().all(has_text)
    };
    if !edits.iter().all(keeps_all) {
        repair(draft);
    }
}

/// Applies edits to a draft, in order.
pub fn apply_all(draft: &mut Draft, edits: &[Edit]) {
    let mut index = None;
    for edit in edits {
        let known = index.get_or_insert_with(|| Index::new(draft));
        if lay(draft, edit, known) {
            // A message was inserted, so the indices behind it changed.
            index = None;
        }
    }
}

/// Applies one more edit to a draft. Targets that are missing are skipped.
pub fn apply(draft: &mut Draft, edit: &Edit) {
    let index = Index::new(draft);
    lay(draft, edit, &index);
}

/// Applies one more edit, which inserts no message, with the index of the draft.
pub fn apply_with(draft: &mut Draft, edit: &Edit, index: &Index) {
    lay(draft, edit, index);
}

/// Indices of the messages of a draft, by id.
pub struct Index<'a>(HashMap<Cow<'a, str>, usize>);

impl<'a> Index<'a> {
    pub fn new(draft: &Draft<'a>) -> Index<'a> {
        let id = |entry: &Entry<'a>| match entry.source {
            Some(source) if source.id == entry.message.id => Cow::Borrowed(source.id.as_str()),
            _ => Cow::Owned(entry.message.id.clone()),
        };
        Index(draft.entries.iter().enumerate().map(|(at, entry)| (id(entry), at)).collect())
    }

    /// Returns the index of a message.
    pub fn get(&self, id: &str) -> Option<usize> {
        self.0.get(id).copied()
    }
}

/// Applies an edit. Returns whether it inserted a message.
fn lay(draft: &mut Draft, edit: &Edit, index: &Index) -> bool {
    let targets = || edit.ids().filter_map(|id| index.get(id));
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
                draft.entries[place].is_record = message.text().starts_with(SUMMARY_TAG);
                return true;
            }
        }
        Kind::Drop => draft.drop_entries(&targets().collect::<Vec<_>>(), Fate::Dropped, edit.rule, edit.kind.why()),
        kind => {
            let mut by_entry: BTreeMap<usize, BTreeMap<usize, &Becomes>> = BTreeMap::new();
            for Target { message, part, to } in &edit.targets {
                let entry = index.get(message).filter(|&at| draft.entries[at].is_in());
                if let (Some(entry), Some(part), Some(to)) = (entry, part, to) {
                    by_entry.entry(entry).or_default().entry(*part).or_insert(to);
                }
            }
            for (entry, changes) in by_entry {
                draft.edit_parts(entry, edit.rule, kind.why(), |part, was| {
                    changes.get(&part).filter(|to| kind.fits(was, to)).map(|to| (*to).clone())
                });
            }
        }
    }
    false
}

/// Moves the reasoning that stays to its new message.
fn lead(draft: &mut Draft, edit: &Edit, index: &Index) {
    let Some(Thinking { from, part, to }) = &edit.thinking else { return };
    let Some(to) = index.get(to).filter(|&at| draft.entries[at].is_in() && !draft.entries[at].is_new) else { return };
    let Some(entry) = index.get(from).map(|at| &draft.entries[at]) else { return };
    if let Some(thought @ Part::Reasoning { .. }) = entry.message.parts.get(*part).cloned() {
        draft.lead(to, &thought, from, *part, edit.rule);
    }
}
