//! Removes pictures, documents and reasoning outside the tail, by the profile's policy.

use super::Ground;
use super::scene::Scene;
use crate::compact::profile::{MediaPolicy, ReasoningPolicy};
use crate::history::draft::Draft;
use crate::history::edit::{Edit, Kind, Target};
use crate::history::group::Group;
use crate::history::plan::Becomes;
use crate::history::prune::media_note;
use crate::message::{Part, Role};

pub(super) fn edits(draft: &Draft, scene: &Scene, ground: Ground) -> Vec<Edit> {
    let policy = &ground.profile().media;
    let end = tail(draft, &scene.groups, ground.budget.keep_recent);
    // Providers require the reasoning of the current turn, since its calls follow from it.
    let turn = match policy.reasoning {
        ReasoningPolicy::Keep => 0,
        ReasoningPolicy::OlderTurns => scene.groups.iter().rposition(Group::has_request).unwrap_or(0).min(end),
        ReasoningPolicy::OutsideTail => end,
    };
    // A receiver that is not known may require it.
    let keeps_reasoning = ground.options.receiver.as_ref().is_none_or(|it| it.target.special.keeps_reasoning);
    let (mut notes, mut thoughts) = (Vec::new(), Vec::new());
    for (at, group) in scene.groups.iter().enumerate().take(end).filter(|(at, _)| !scene.is_fixed[*at]) {
        for &entry in group.entries.iter().filter(|&&entry| !draft.entries[entry].is_new) {
            let message = &draft.entries[entry].message;
            let id = || message.id.clone();
            let says = |part: &Part| match part {
                Part::Text { text } => !text.trim().is_empty(),
                Part::Reasoning { .. } | Part::CacheMark | Part::Boundary => false,
                _ => true,
            };
            let rest_is_empty = !message.parts.iter().any(says);
            let is_needed = keeps_reasoning && message.parts.iter().any(|part| matches!(part, Part::ToolCall { .. }));
            for (part, what) in message.parts.iter().enumerate() {
                match what {
                    Part::Image { .. } | Part::Document { .. } if policy.media == MediaPolicy::Note => {
                        if let Some(text) = media_note(draft, message.role, what, &message.id) {
                            notes.push((entry, Target::part(id(), part, Becomes::Note { text })));
                        }
                    }
                    Part::ToolResult { content, .. } if policy.media == MediaPolicy::Note => {
                        let note = |(item, inner): (usize, &Part)| {
                            let text = media_note(draft, Role::Tool, inner, &message.id)?;
                            // Formats with a single text per result append it to that text.
                            Some(if item > 0 { format!("\n{text}") } else { text })
                        };
                        let items: Vec<Option<String>> = content.iter().enumerate().map(note).collect();
                        if items.iter().any(Option::is_some) {
                            notes.push((entry, Target::part(id(), part, Becomes::Content { items })));
                        }
                    }
                    // A message with only reasoning stays: providers may otherwise refuse the message after it.
                    Part::Reasoning { .. } if at < turn && !rest_is_empty && !is_needed => {
                        thoughts.push((entry, Target::part(id(), part, Becomes::Gone)));
                    }
                    _ => {}
                }
            }
        }
    }
    let media = super::edit_of(draft, Kind::DropMedia, "media", None, notes);
    // Made on the current draft; notes do not change the number of parts.
    let reasoning = super::edit_of(draft, Kind::DropReasoning, "reasoning", None, thoughts);
    media.into_iter().chain(reasoning).collect()
}

/// Returns the first group of the newest ones that have at most `max` tokens together.
fn tail(draft: &Draft, groups: &[Group], max: u64) -> usize {
    let mut sum = 0u64;
    let kept = groups.iter().rev().take_while(|group| {
        sum = sum.saturating_add(group.tokens(draft));
        sum <= max
    });
    groups.len() - kept.count()
}
