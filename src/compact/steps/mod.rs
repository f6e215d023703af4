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

use std::cell::OnceCell;
use std::rc::Rc;

use super::budget::Budget;
use super::held::Known;
use super::profile::{Profile, Rung};
use super::{Options, Outcome, StepReport};
use crate::history::draft::Draft;
use crate::history::edit::{self, Author, Edit, Kind, Replacement};
use crate::map::{HashMap, HashSet};
use scene::Scene;

/// What a message costs beside its texts, generously.
const CLOSE: u64 = 32;

/// What the rungs go by.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub options: &'a Options,
    pub budget: &'a Budget,
    /// What is known of the messages.
    pub known: &'a [Rc<Known>],
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
    let mut rungs = rungs.iter().filter(is_cheap);
    while let Some((tried, found)) = next_change(draft, &mut rungs, &mut total, goal, ground, &mut steps) {
        *draft = tried;
        edits.extend(found);
    }
    // Numbered in the order in which they are laid.
    for (at, edit) in edits.iter_mut().enumerate() {
        edit.id = format!("e{at}");
    }
    steps
}

/// Climbs up to the next rung that pays, and gives the draft behind it. Until then the scene is the same.
fn next_change<'d, 'r>(
    draft: &Draft<'d>,
    rungs: &mut impl Iterator<Item = &'r Rung>,
    total: &mut u64,
    goal: u64,
    ground: Ground,
    steps: &mut Vec<StepReport>,
) -> Option<(Draft<'d>, Vec<Edit>)> {
    let seen = OnceCell::new();
    let scene = || seen.get_or_init(|| Scene::new(draft, ground));
    for &rung in rungs {
        let before = *total;
        let same = |outcome, why| StepReport::same(rung.as_str(), outcome, before, why);
        if before <= goal {
            steps.push(same(Outcome::Skipped, format!("{before} tokens are at most the {goal} aimed at")));
            continue;
        }
        let mut found = match rung {
            Rung::Stale => stale::edits(draft, scene()),
            Rung::Media => media::edits(draft, scene(), ground),
            Rung::Cap => cap::edits(draft, scene(), ground),
            Rung::Clear => clear::edits(draft, scene(), ground),
            Rung::Summary | Rung::Offline | Rung::Fit => continue,
        };
        if found.is_empty() {
            steps.push(same(Outcome::NoGain, "there is nothing for it to change".into()));
            continue;
        }
        let tried = laid(draft, &mut found);
        let after = tried.total();
        let freed = before.saturating_sub(after);
        let least = ground.budget.least_gain(rung);
        if after >= before || freed < least {
            let why = format!("it would free {freed} tokens, at least {} are asked for", least.max(1));
            steps.push(same(Outcome::NoGain, why));
            continue;
        }
        let changed: usize = found.iter().map(|edit| edit.texts.len()).sum();
        steps.push(StepReport {
            step: rung.as_str(),
            outcome: Outcome::Applied,
            tokens_before: before,
            tokens_after: after,
            why: format!("{changed} {}", rung.what(changed)),
        });
        *total = after;
        return Some((tried, found));
    }
    None
}

/// A draft under these edits, which are told what each comes to by itself.
fn laid<'d>(draft: &Draft<'d>, edits: &mut [Edit]) -> Draft<'d> {
    let mut tried = draft.clone();
    edit::apply_all(&mut tried, edits);
    let index: HashMap<&str, usize> =
        draft.entries.iter().enumerate().map(|(at, entry)| (entry.message.id.as_str(), at)).collect();
    let places =
        |edit: &Edit| -> Vec<usize> { edit.targets.iter().filter_map(|id| index.get(id.as_str()).copied()).collect() };
    let mut edited = vec![0u8; draft.entries.len()];
    for edit in edits.iter() {
        places(edit).into_iter().for_each(|at| edited[at] = edited[at].saturating_add(1));
    }
    for edit in edits {
        let places = places(edit);
        // What two of them change has other tokens under each alone.
        edit.tokens_after = match places.iter().all(|&at| edited[at] == 1) {
            true => places.iter().map(|&at| tried.entries[at].after).sum(),
            false => after(draft, &places, edit),
        };
    }
    tried
}

/// The edits without what they do to these messages, numbered and counted anew. `draft` is one without them.
pub fn without(mut draft: Draft, edits: &[Edit], gone: &HashSet<&str>) -> Vec<Edit> {
    let index: HashMap<String, usize> =
        draft.entries.iter().enumerate().map(|(at, entry)| (entry.message.id.clone(), at)).collect();
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        let left = edit.texts.iter().filter(|text| !gone.contains(text.message.as_str()));
        let texts = left.filter_map(|text| Some((*index.get(&text.message)?, text.clone()))).collect();
        let Some(mut left) = edit_of(&draft, edit.kind, edit.rule, edit.newer.clone(), texts) else { continue };
        draft = laid(&draft, std::slice::from_mut(&mut left));
        out.push(Edit { id: format!("e{}", out.len()), ..left });
    }
    out
}

/// The number of edits that [`without`] returns.
pub fn remaining(edits: &[Edit], gone: &HashSet<&str>) -> usize {
    let remains = |edit: &&Edit| edit.texts.iter().any(|text| !gone.contains(text.message.as_str()));
    edits.iter().filter(remains).count()
}

/// Whether a line is shorter than the result it is to stand for. The shares of a message's tokens are near enough unless it is close.
fn is_shorter(draft: &Draft, line: &str, result: &scene::Found) -> bool {
    let tokens = draft.meter.text(line);
    result.tokens > tokens.saturating_mul(2).saturating_add(CLOSE) || draft.meter.text(&result.text) > tokens
}

/// An edit of parts; [`laid`] tells it what it comes to. Nothing if there are no `texts`, which come with the entries that they are about.
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
    let edit = Edit {
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
    (!entries.is_empty()).then_some(edit)
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
