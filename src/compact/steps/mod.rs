//! The steps that need no model: stale results, old media, old results.
//!
//! In: a draft, the steps in order, the goal. Out: the edits that freed enough, and a report of every step. A step runs
//! only while the request exceeds the goal; its changes stay only if they free its minimum, because every change breaks
//! a cached prefix. Start reading at [`climb`].
//!
//! - [`scene`]: what a rule may change.
//! - `stale`, `media`, `clear`, `cap`: one step each.

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
use crate::history::edit::{self, Edit, Kind, Target};
use crate::map::{HashMap, HashSet};
use scene::Scene;

/// Tokens of a message beside its texts, estimated generously.
const CLOSE: u64 = 32;

/// The common input of all steps.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub options: &'a Options,
    pub budget: &'a Budget,
    /// Cached knowledge about the messages.
    pub known: &'a [Rc<Known>],
}

impl Ground<'_> {
    fn profile(&self) -> &Profile {
        &self.options.profile
    }
}

/// Runs `rungs` until the draft has at most `goal` tokens. Edits that freed enough are applied to the draft and
/// appended to `edits`.
pub fn climb(draft: &mut Draft, rungs: &[Rung], goal: u64, ground: Ground, edits: &mut Vec<Edit>) -> Vec<StepReport> {
    let mut steps = Vec::new();
    let mut total = draft.total();
    let is_cheap = |rung: &&Rung| matches!(rung, Rung::Stale | Rung::Media | Rung::Cap | Rung::Clear);
    let mut rungs = rungs.iter().filter(is_cheap);
    while let Some((tried, found)) = next_change(draft, &mut rungs, &mut total, goal, ground, &mut steps) {
        *draft = tried;
        edits.extend(found);
    }
    // Edits are numbered in the order in which they apply.
    for (at, edit) in edits.iter_mut().enumerate() {
        edit.id = format!("e{at}");
    }
    steps
}

/// Runs steps up to the next one that frees enough, and returns the draft after it. Until then the scene is the same.
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
        let min = ground.budget.least_gain(rung);
        if after >= before || freed < min {
            let why = format!("it would free {freed} tokens, at least {} are asked for", min.max(1));
            steps.push(same(Outcome::NoGain, why));
            continue;
        }
        let changed: usize = found.iter().flat_map(|edit| &edit.targets).map(Target::count).sum();
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

/// Returns the draft under these edits, and sets each edit's own token counts.
fn laid<'d>(draft: &Draft<'d>, edits: &mut [Edit]) -> Draft<'d> {
    let mut tried = draft.clone();
    edit::apply_all(&mut tried, edits);
    let index: HashMap<&str, usize> =
        draft.entries.iter().enumerate().map(|(at, entry)| (entry.message.id.as_str(), at)).collect();
    let places = |edit: &Edit| -> Vec<usize> { edit.ids().filter_map(|id| index.get(id).copied()).collect() };
    let mut edited = vec![0u8; draft.entries.len()];
    for edit in edits.iter() {
        places(edit).into_iter().for_each(|at| edited[at] = edited[at].saturating_add(1));
    }
    for edit in edits {
        let places = places(edit);
        // A message that two edits change has different tokens under each alone.
        edit.tokens_after = match places.iter().all(|&at| edited[at] == 1) {
            true => places.iter().map(|&at| tried.entries[at].after).sum(),
            false => after(draft, &places, edit),
        };
    }
    tried
}

/// Returns the edits without their changes to these messages, renumbered and recounted. `draft` is one without the
/// edits.
pub fn without(mut draft: Draft, edits: &[Edit], gone: &HashSet<&str>) -> Vec<Edit> {
    // These steps insert no message, so that places stay the same.
    let index = edit::Index::new(&draft);
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        let left = edit.targets.iter().filter(|target| !gone.contains(target.message.as_str()));
        let targets = left.filter_map(|target| Some((index.get(&target.message)?, target.clone()))).collect();
        let Some(mut left) = edit_of(&draft, edit.kind, edit.rule, edit.newer.clone(), targets) else { continue };
        edit::apply_with(&mut draft, &left, &index);
        left.tokens_after = left.ids().filter_map(|id| index.get(id)).map(|at| draft.entries[at].after).sum();
        out.push(Edit { id: format!("e{}", out.len()), ..left });
    }
    out
}

/// Returns the number of edits that [`without`] returns.
pub fn remaining(edits: &[Edit], gone: &HashSet<&str>) -> usize {
    let remains = |edit: &&Edit| edit.ids().any(|id| !gone.contains(id));
    edits.iter().filter(remains).count()
}

/// True if a line is shorter than the result it replaces. The result's share of its message's tokens decides, unless
/// the two are close.
fn is_shorter(draft: &Draft, line: &str, result: &scene::Found) -> bool {
    let tokens = draft.meter.text(line);
    result.tokens > tokens.saturating_mul(2).saturating_add(CLOSE) || draft.meter.text(&result.text) > tokens
}

/// Returns an edit of parts; [`laid`] sets its tokens. Returns `None` without `targets`, which come with their entries.
fn edit_of(
    draft: &Draft,
    kind: Kind,
    rule: &'static str,
    newer: Option<String>,
    mut targets: Vec<(usize, Target)>,
) -> Option<Edit> {
    crate::rank::sort(&mut targets, |(entry, _)| *entry as u64);
    let mut entries: Vec<usize> = targets.iter().map(|(entry, _)| *entry).collect();
    entries.dedup();
    let edit = Edit {
        kind,
        targets: targets.into_iter().map(|(_, target)| target).collect(),
        rule,
        tokens_before: entries.iter().map(|&at| draft.entries[at].after).sum(),
        newer,
        ..Edit::default()
    };
    (!entries.is_empty()).then_some(edit)
}

/// Returns the tokens of these entries under the edit.
fn after(draft: &Draft, entries: &[usize], edit: &Edit) -> u64 {
    let mut part = draft.excerpt(entries.iter().copied());
    edit::apply(&mut part, edit);
    part.entries.iter().map(|entry| entry.after).sum()
}
