//! The rungs of the ladder that need no model: what is stale, old media, old results.
//!
//! In: a draft, the rungs in order, the goal. Out: the edits that paid, and a report of every rung. A rung is tried only while the request
//! is above the goal; what it would change stays only if that frees its minimum, since every change breaks a cached prefix.
//!
//! - [`scene`]: what of the conversation a rule may touch.
//! - `stale`, `media`, `clear`, `cap`: one rung each.

mod cap;
mod clear;
mod media;
pub mod scene;
mod stale;

use std::collections::{HashMap, HashSet};

use super::budget::Budget;
use super::profile::{Profile, Rung};
use super::{Options, Outcome, StepReport};
use crate::history::draft::Draft;
use crate::history::edit::{self, Author, Edit, Kind, Replacement};
use scene::Scene;

/// What a message costs beside its texts, generously.
const CLOSE: u64 = 32;

/// What the rungs go by.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub options: &'a Options,
    pub budget: &'a Budget,
}

impl Ground<'_> {
    fn profile(&self) -> &Profile {
        &self.options.profile
    }
}

/// Climbs `rungs` until the draft has at most `goal` tokens. Edits that paid are laid over the draft and appended to `edits`.
pub fn climb(draft: &mut Draft, rungs: &[Rung], goal: u64, ground: Ground, edits: &mut Vec<Edit>) -> Vec<StepReport> {
    let mut steps = Vec::new();
    let mut total = draft.total();
    let is_cheap = |rung: &&Rung| matches!(rung, Rung::Stale | Rung::Media | Rung::Cap | Rung::Clear);
    for &rung in rungs.iter().filter(is_cheap) {
        if total <= goal {
            steps.push(StepReport::same(
                rung.as_str(),
                Outcome::Skipped,
                total,
                format!("{total} tokens are at most the {goal} aimed at"),
            ));
            continue;
        }
        let found = match rung {
            Rung::Stale => stale::edits(draft, &Scene::new(draft, ground)),
            Rung::Media => media::edits(draft, &Scene::new(draft, ground), ground),
            Rung::Cap => cap::edits(draft, &Scene::new(draft, ground), ground),
            Rung::Clear => clear::edits(draft, &Scene::new(draft, ground), ground),
            Rung::Summary | Rung::Offline | Rung::Fit => continue,
        };
        if found.is_empty() {
            steps.push(StepReport::same(
                rung.as_str(),
                Outcome::NoGain,
                total,
                "there is nothing for it to change".into(),
            ));
            continue;
        }
        let mut tried = draft.clone();
        edit::apply_all(&mut tried, &found);
        let after = tried.total();
        let freed = total.saturating_sub(after);
        let least = ground.budget.least_gain(rung);
        if after >= total || freed < least {
            let why = format!("it would free {freed} tokens, at least {} are asked for", least.max(1));
            steps.push(StepReport::same(rung.as_str(), Outcome::NoGain, total, why));
            continue;
        }
        let changed: usize = found.iter().map(|edit| edit.texts.len()).sum();
        steps.push(StepReport {
            step: rung.as_str(),
            outcome: Outcome::Applied,
            tokens_before: total,
            tokens_after: after,
            why: format!("{changed} {}", rung.what(changed)),
        });
        *draft = tried;
        total = after;
        edits.extend(found);
    }
    // Numbered in the order in which they are laid.
    for (at, edit) in edits.iter_mut().enumerate() {
        edit.id = format!("e{at}");
    }
    steps
}

/// The edits without what they do to these messages, numbered and counted anew. `draft` is one without them.
pub fn without(mut draft: Draft, edits: &[Edit], gone: &HashSet<&str>) -> Vec<Edit> {
    let index: HashMap<String, usize> =
        draft.entries.iter().enumerate().map(|(at, entry)| (entry.message.id.clone(), at)).collect();
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        let left = edit.texts.iter().filter(|text| !gone.contains(text.message.as_str()));
        let texts = left.filter_map(|text| Some((*index.get(&text.message)?, text.clone()))).collect();
        let Some(left) = edit_of(&draft, edit.kind, edit.rule, edit.newer.clone(), texts) else { continue };
        edit::apply(&mut draft, &left);
        out.push(Edit { id: format!("e{}", out.len()), ..left });
    }
    out
}

/// Whether a line is shorter than the result it is to stand for. The shares of a message's tokens are near enough unless it is close.
fn is_shorter(draft: &Draft, line: &str, result: &scene::Found) -> bool {
    let tokens = draft.meter.text(line);
    result.tokens > tokens.saturating_mul(2).saturating_add(CLOSE) || draft.meter.text(&result.text) > tokens
}

/// An edit of parts; `entries` are those that `texts` are about, ascending. Nothing if there are none.
fn edit_of(
    draft: &Draft,
    kind: Kind,
    rule: &'static str,
    newer: Option<String>,
    mut texts: Vec<(usize, Replacement)>,
) -> Option<Edit> {
    crate::rank::sort(&mut texts, |(entry, _)| *entry as u64);
    let mut entries: Vec<usize> = texts.iter().map(|(entry, _)| *entry).collect();
    entries.dedup();
    let mut lone = Edit {
        id: String::new(),
        kind,
        targets: entries.iter().map(|&at| draft.entries[at].message.id.clone()).collect(),
        rule,
        author: Author::Rule,
        tokens_before: entries.iter().map(|&at| draft.entries[at].after).sum(),
        tokens_after: 0,
        message: None,
        reply: None,
        thinking: None,
        before: None,
        newer,
        texts: texts.into_iter().map(|(_, text)| text).collect(),
    };
    lone.tokens_after = after(draft, &entries, &lone);
    (!entries.is_empty()).then_some(lone)
}

/// Tokens of these entries under the edit.
fn after(draft: &Draft, entries: &[usize], edit: &Edit) -> u64 {
    let mut part = Draft {
        entries: entries.iter().map(|&at| draft.entries[at].clone()).collect(),
        meter: draft.meter,
        origin: draft.origin,
        removed: vec![],
    };
    edit::apply(&mut part, edit);
    part.entries.iter().map(|entry| entry.after).sum()
}
