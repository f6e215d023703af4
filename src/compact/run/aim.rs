//! The target of a summary: how the room under the target is divided, and what prevents a target that cannot be
//! reached.
//!
//! Order of priority: what must stay; rules, plan and changed files; lines for the user's messages and for most errors
//! and commands; the user's verbatim words; the extract of the rules; the tail beyond the newest round. The last of
//! these is cut first.

use super::*;
use crate::compact::Aim;
use crate::compact::context;
use crate::compact::ledger::render::{Wanted, vital, wanted};

/// Minimum budget, in tokens, from which most errors and commands have their own lines whatever the target: with a
/// lower budget these lines would take the room of the work at hand.
const LINES_FROM: u64 = 32_000;
/// Minimum tokens of the rules' extract, even if the target leaves less.
const MIN_EXTRACT: u64 = 512;
/// Divisor of the tokens that messages may use: the quotient is the maximum for the rules' extract.
pub(super) const EXTRACT_DIVISOR: u64 = 16;
/// Tokens of a record without its text and lists: the tags and their sentences.
const WRAPPER: u64 = 120;
/// Maximum number of times that the tail is shortened or lengthened: messages that leave it make the lists longer.
const MAX_CUTS: usize = 3;
/// Maximum number of records that are written to find the cut whose result fills its target.
const MAX_TRIES: usize = 4;
/// Maximum tokens covered for each token above the target, if the tail can have more than its share. A record must be a
/// fifth shorter than the messages that it covers, which is reached at 5.
const COVERED_OF_EXCESS: u64 = 4;

/// A cut, and the groups and rule from which it was chosen.
pub(super) struct Chosen {
    pub cut: cut::Cut,
    pub covered: Covered,
    pub groups: Vec<Group>,
    pub rule: profile::Cut,
}

impl Compaction {
    /// True if this compaction has a target. A range that the caller chose has none, nor has a form without lists.
    pub(super) fn has_target(&self) -> bool {
        self.range.is_none() && self.options.profile.replacement.form == profile::Form::Record
    }

    /// Returns the end of the summary, and the groups of the conversation. The end is where the profile puts it, or
    /// later if the tail would take the view above its target.
    pub(super) fn choose_cut(&self, budget: &Budget, draft: &Draft) -> (Option<cut::Cut>, Vec<Group>) {
        let scene = Scene::new(draft, self.ground(budget));
        let cut = self.choose_boundary(budget, draft, &scene);
        (cut, scene.groups)
    }

    fn choose_boundary(&self, budget: &Budget, draft: &Draft, scene: &Scene) -> Option<cut::Cut> {
        let pinned =
            |group: &Group| group.entries.iter().any(|&i| self.options.keep.contains(&draft.entries[i].message.id));
        let deeds = cut::deeds(scene);
        let mut rule = self.options.profile.cut;
        if rule.at == CutAt::LastRound && self.options.asking.trigger.is_background() {
            rule.at = CutAt::Anchor;
        }
        let choose = |tail, rule: &profile::Cut| cut::choose(draft, &scene.groups, tail, rule, &deeds, pinned);
        let wanted = self.wanted_tail(budget, draft);
        let covers = |cut: &cut::Cut| cut.covered.iter().map(|&at| scene.groups[at].entries.len()).sum::<usize>();
        let is_enough = |cut: &cut::Cut| covers(cut) >= self.options.profile.min_messages.manual;
        let mut cut = match choose(wanted, &rule) {
            Some(cut) if is_enough(&cut) => cut,
            // A message that is nearly as long as the tail should be leaves too few others to cover. If the result is
            // to fill its budget, the fit removes less, as long as there is more than the newest message behind them.
            other => {
                let last = profile::Cut { window: [1.0, 1.0], ..rule };
                let at = |boundary| choose(tail(draft, &scene.groups, boundary), &last);
                let boundaries = if rule.at == CutAt::Tokens { 1..scene.groups.len() } else { 0..0 };
                let is_last = |cut: &cut::Cut| !self.fills || cut.boundary + 1 >= scene.groups.len();
                boundaries.filter_map(at).find(is_enough).filter(is_last).or(other)?
            }
        };
        if !self.has_target() || rule.at != CutAt::Tokens {
            return Some(cut);
        }
        let newest = newest_round(&scene.groups);
        let of_newest = tail(draft, &scene.groups, newest);
        rule.window[1] = 1.0;
        for _ in 0..MAX_CUTS {
            let (view, lines) = self.view_tokens(budget, draft, &scene.groups, &cut);
            let over = view.saturating_sub(budget.target);
            if over == 0 || cut.boundary >= newest {
                break;
            }
            // For lines outside the floor, half of the tail stays, which is as much as a cut may leave anyway.
            let half = (wanted / 2).min(cut.tail_tokens.saturating_sub(over.saturating_sub(lines)));
            let shorter = cut.tail_tokens.saturating_sub(over).max(half).max(of_newest);
            let Some(mut next) = (shorter < cut.tail_tokens).then(|| choose(shorter, &rule)).flatten() else { break };
            if next.boundary > newest {
                let last = profile::Cut { window: [1.0, 1.0], ..rule };
                next = choose(of_newest, &last)?;
            }
            if !(cut.boundary + 1..=newest).contains(&next.boundary) {
                break;
            }
            cut = next;
        }
        Some(cut)
    }

    /// Returns the tokens of the newest messages that stay verbatim: their share, or more if covering less frees
    /// enough.
    fn wanted_tail(&self, budget: &Budget, draft: &Draft) -> u64 {
        if !self.fills {
            return budget.keep_recent;
        }
        let totals = draft.after();
        let excess = totals.total.saturating_sub(budget.target);
        let body = totals.total.saturating_sub(totals.frame + totals.tools);
        // In a talk without tools, facts say more than the newest words: measured on public questions about long talks.
        let share = if self.has_work() { budget.keep_recent } else { budget.keep_recent / 4 };
        share.max(body.saturating_sub(excess.saturating_mul(COVERED_OF_EXCESS)))
    }

    /// Returns what a summary covers with this cut, or with another one that is closer to the target: an earlier cut if
    /// the record leaves room unused, a later one if it exceeds the target. A record of rules is written to find out
    /// its size; a model is expected to write no less.
    pub(super) fn fill_target(&mut self, budget: &Budget, chosen: Chosen) -> Covered {
        let Chosen { mut cut, mut covered, groups, rule } = chosen;
        if !self.fills || !self.has_target() || rule.at != CutAt::Tokens || !self.options.profile.has(Rung::Offline) {
            return covered;
        }
        self.add_extras(&covered, "");
        let Some(mut beside) = self.distance_to_target(&covered) else { return covered };
        // How far the chosen cut exceeds the target, and the boundaries next to the one that is searched for: the last
        // that exceeds it and the first that does not.
        let mut excess = beside.1;
        let (mut exceeds, mut fits) = (0, usize::MAX);
        let mut tried = cut.clone();
        for _ in 0..MAX_TRIES {
            let (free, over) = beside;
            if over == 0 && free <= budget.available / 50 {
                break;
            }
            *(if over == 0 { &mut fits } else { &mut exceeds }) = tried.boundary;
            let draft = self.repaired_view();
            let pinned = |group: &Group| {
                group.entries.iter().any(|&at| self.options.keep.contains(&draft.entries[at].message.id))
            };
            let rule = profile::Cut { window: [0.0, 1.0], ..rule };
            let tail = (tried.tail_tokens + free).saturating_sub(over);
            let next = cut::choose(&draft, &groups, tail, &rule, &[], pinned);
            let Some(next) = next.filter(|next| exceeds < next.boundary && next.boundary < fits) else { break };
            let other = super::start::covered_by(&self.view(&[]), &draft, &groups, &next.covered);
            drop(draft);
            self.add_extras(&other, "");
            let is_enough = other.ids.len() >= self.options.profile.min_messages.manual;
            beside = match is_enough.then(|| self.distance_to_target(&other)).flatten() {
                Some(beside) => beside,
                // It covers too little; half of the way may be enough.
                None if excess == 0 => (0, (next.tail_tokens.saturating_sub(cut.tail_tokens) / 2).max(1)),
                None => break,
            };
            tried = next;
            if beside.1 <= excess {
                (excess, cut, covered) = (beside.1, tried.clone(), other);
            }
        }
        covered
    }

    /// Returns how far a record of rules is below the target, and how far above it; `None` if the record is not worth
    /// making.
    fn distance_to_target(&self, covered: &Covered) -> Option<(u64, u64)> {
        let ledger = self.ledger(&covered.ids);
        let text = self.extract(&covered.ids, &ledger, self.extract_tokens(covered, &ledger));
        let placed = self.apply(&text, Author::Rule, covered, &ledger).ok()?;
        let (target, view) = (self.whole_budget().target, self.cheap_view());
        let rest = view.total().saturating_sub(covered.tokens);
        let mut after = rest + placed.edit.tokens_after;
        if self.options.has_model && self.options.profile.has(Rung::Summary) {
            // A model may write more than rules do, and lines that must stay do not yield to it.
            let lines = vital(&ledger, self.window(&view).entries, &*self.tokenizer);
            after = after.max(rest + WRAPPER + self.summary_tokens(covered) + lines);
        }
        Some((target.saturating_sub(after), after.saturating_sub(target)))
    }

    /// Returns the tokens of the view behind a cut with everything that the record should contain, and the part of them
    /// that is lines beyond the floor.
    fn view_tokens(&self, budget: &Budget, draft: &Draft, groups: &[Group], cut: &cut::Cut) -> (u64, u64) {
        let covered = super::start::covered_by(draft, draft, groups, &cut.covered);
        let rest = draft.total().saturating_sub(covered.tokens);
        let ledger = self.ledger(&covered.ids);
        let shares = self.shares(budget, draft, &ledger, &covered, 0);
        let Wanted { floor, lines, words } = wanted(&ledger, shares, &*self.tokenizer);
        let blocks = &self.options.asking.blocks;
        let (blocks, _) = context::blocks(blocks, budget.available, &*self.tokenizer);
        let around = rest + WRAPPER + budget.summary + self.tokenizer.count(&blocks);
        let of_work = self.work_tokens(budget).min(budget.working + budget.names);
        (around + floor + lines + words + of_work, lines)
    }

    /// Returns the shares of a record's lists if `room` is left under the target.
    pub(super) fn shares(
        &self,
        budget: &Budget,
        draft: &Draft,
        ledger: &Ledger,
        covered: &Covered,
        room: u64,
    ) -> Shares {
        // Rules, the plan and changed files are the purpose of a record: they get their share of the whole window, even
        // if little of it is in use.
        let of_vital = vital(ledger, self.window(draft).entries, &*self.tokenizer);
        // The lists must stay so small that the record is worth making.
        let max = covered.tokens * 2 / 5;
        let entries = budget.entries.min(max).max(of_vital);
        let ledger = budget.ledger.min(max);
        let user = budget.user.min(covered.tokens / 5);
        // If the request must be cut anyway, lines take no room from it: the middle of a paste can be recalled, and
        // facts that were not written down cannot.
        let rest = draft.total().saturating_sub(covered.tokens);
        let is_cut = rest + budget.summary + user + ledger > self.options.budget;
        let least = if self.options.budget >= LINES_FROM || is_cut || !self.has_target() { entries } else { ledger };
        let room = if self.has_target() { room } else { u64::MAX };
        Shares { user, ledger, entries, least, room, is_last_told: false }
    }

    /// Returns the maximum tokens of the rules' extract: the whole share, or what the target leaves of it.
    pub(super) fn extract_tokens(&self, covered: &Covered, ledger: &Ledger) -> u64 {
        let max = self.summary_tokens(covered);
        if !self.has_target() {
            return max;
        }
        let draft = self.cheap_view();
        let budget = self.whole_budget();
        // In little room, lists help more than the newest answer.
        let max = max.min(budget.available / EXTRACT_DIVISOR);
        let shares = self.shares(&budget, &draft, ledger, covered, 0);
        let Wanted { floor, lines, words } = wanted(ledger, shares, &*self.tokenizer);
        let Extras { context, breadcrumb, .. } = &self.extras;
        let added = self.tokenizer.count(context) + self.tokenizer.count(breadcrumb);
        let rest = draft.total().saturating_sub(covered.tokens);
        let left = budget.target.saturating_sub(rest + WRAPPER + floor + lines + words + added);
        left.max(MIN_EXTRACT).min(max)
    }

    /// Returns the tokens left under the target beside the record in `edit`; `None` if there is no target.
    pub(super) fn headroom(&self, edit: &Edit, covered: &Covered) -> Option<u64> {
        let budget = self.whole_budget();
        let after = self.cheap_view().total().saturating_sub(covered.tokens) + edit.tokens_after;
        self.has_target().then(|| budget.target.saturating_sub(after))
    }

    /// Reports how close the result is to its target. `spare` are the tokens of the record that only fill free room.
    pub(super) fn report_aim(&self, draft: &Draft, record: u64, spare: u64) -> Option<Aim> {
        if !self.has_target() {
            return None;
        }
        let whole = self.view(&[]);
        let target = self.budget(&whole).target;
        let groups = groups(&whole);
        let newest = newest_round(&groups);
        // What no cut could cover: the newest request and round, calls without a result and everything after them, kept
        // messages.
        let pinned =
            |group: &Group| group.entries.iter().any(|&i| self.options.keep.contains(&whole.entries[i].message.id));
        let rule = profile::Cut { at: CutAt::Tokens, window: [1.0, 1.0], ..self.options.profile.cut };
        let of_newest = tail(&whole, &groups, newest);
        let latest = cut::choose(&whole, &groups, of_newest, &rule, &[], pinned);
        let covered: HashSet<usize> =
            latest.iter().flat_map(|cut| &cut.covered).flat_map(|&at| groups[at].entries.iter().copied()).collect();
        let ids: HashSet<&str> = covered.iter().map(|&at| whole.entries[at].message.id.as_str()).collect();
        let optional: u64 = draft
            .entries
            .iter()
            .filter(|entry| entry.is_in() && ids.contains(entry.message.id.as_str()))
            .map(|entry| entry.after)
            .sum();
        let after = draft.total();
        let must_keep = after.saturating_sub(record + optional);
        let floor = must_keep + record.saturating_sub(spare);
        Some(Aim { target, reached: after <= target, floor, must_keep })
    }
}

/// Returns the index of the newest round's group.
fn newest_round(groups: &[Group]) -> usize {
    groups.iter().rposition(Group::is_round).unwrap_or(0)
}

/// Returns the tokens after a boundary, as a cut counts them: without the newest request and the frame.
fn tail(draft: &Draft, groups: &[Group], boundary: usize) -> u64 {
    let request = groups.iter().rposition(Group::has_request);
    let counts = |at: &usize| Some(*at) != request && groups[*at].kind != group::Kind::Frame;
    (boundary..groups.len()).filter(counts).map(|at| groups[at].tokens(draft)).sum()
}
