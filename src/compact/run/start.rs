//! The steps before the model is asked, and the choice of the messages that the summary replaces.

use super::aim::Chosen;
use super::*;

/// Maximum share of the room that the newest request may use before its pastes are shortened, while others need the
/// rest; and the shares that it may have once there is work behind it, if the rest leaves them. In few steps, because
/// each change of an early message costs the provider's cache of everything behind it.
const REQUEST: f64 = 0.15;
const LARGER: [f64; 2] = [0.6, 0.3];

/// The continuation after the first steps.
enum Next {
    /// They freed enough, or no summary is wanted.
    Fit,
    /// A summary, if there are enough messages to replace.
    Cut(Option<Chosen>),
}

impl Compaction {
    pub(super) fn start(&mut self) -> State {
        self.exceeds = self.written_total(&self.view(&[])) > self.options.budget;
        if self.options.asking.is_handover {
            return self.hand_over();
        }
        if let Some(cover) = self.options.cover.clone() {
            return self.plan_range(&cover);
        }
        let total = self.view(&[]).total();
        let has_working_set = self.options.profile.shares.working.share > 0.0;
        self.fills = self.options.target_share.is_none() && has_working_set && self.exceeds;
        let draft = self.view(&[]);
        if !self.exceeds && !self.options.force {
            return self.done(self.finished(draft, Status::Unchanged, vec![], vec![]));
        }
        let budget = self.budget(&draft);
        if !self.exceeds && self.is_compact(&draft) {
            let step = skipped("summary", total, "no message came since the last compaction");
            return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
        }
        let (cheap, next) = self.first_steps(draft, &budget);
        self.cheap = cheap;
        match next {
            Next::Fit => {
                let unasked = self.options.has_model && self.options.profile.has(Rung::Summary);
                let why = format!("the steps before it were enough: {} of {} tokens", self.cheap.total, budget.relief);
                let given = if unasked { vec![skipped("summary", self.cheap.total, &why)] } else { vec![] };
                self.done(self.fit(vec![], given, None))
            }
            Next::Cut(Some(chosen)) => {
                let covered = self.fill_target(&budget, chosen);
                self.handle_plan(covered)
            }
            Next::Cut(None) => {
                let why = format!("fewer than {} messages could be covered", self.options.profile.min_messages.manual);
                let step = skipped("summary", self.cheap.total, &why);
                if !self.exceeds && self.cheap.edits.is_empty() {
                    let draft = self.view(&[]);
                    return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
                }
                self.done(self.fit(vec![], vec![step], None))
            }
        }
    }

    /// Carries out the steps of the ladder before the summary, and chooses the messages that it replaces.
    fn first_steps(&self, draft: Draft, budget: &Budget) -> (CheapSteps, Next) {
        let profile = &self.options.profile;
        let mut edits = Vec::new();
        let mut behind = draft.clone();
        let rungs = self.first_rungs();
        let mut steps = climb(&mut behind, &rungs, budget.relief, self.ground(budget), &mut edits);
        steps.extend(self.shorten_request(&mut behind, budget, &mut edits));
        let cheap = CheapSteps { steps, total: behind.total(), edits };
        // A caller who compacts messages that fit wants a summary.
        let is_enough = cheap.total <= budget.relief && !cheap.edits.is_empty() && !self.options.force;
        if is_enough || !profile.has(Rung::Summary) && !profile.has(Rung::Offline) {
            return (cheap, Next::Fit);
        }
        // The model is asked about the untouched history: it says more, and a provider may still have it cached. The
        // cheap steps remove no message, so the groups are the same.
        edit::repair_behind(&mut behind, &cheap.edits);
        let (cut, groups) = self.choose_cut(budget, &behind);
        let cut = cut.filter(|cut| {
            let covered: usize = cut.covered.iter().map(|&at| groups[at].entries.len()).sum();
            covered >= profile.min_messages.manual && budget.summary > 0
        });
        let rule = profile.cut;
        let chosen =
            cut.map(|cut| Chosen { covered: covered_by(&draft, &behind, &groups, &cut.covered), cut, groups, rule });
        (cheap, Next::Cut(chosen))
    }

    /// Shortens pastes in the newest request if it would take the room of everything else: pastes can be recalled, and
    /// facts that the record has no room for would be lost.
    fn shorten_request(&self, draft: &mut Draft, budget: &Budget, edits: &mut Vec<Edit>) -> Option<StepReport> {
        let before = draft.total();
        // A conversation that continues shows its newest request unchanged.
        let continues = self.history.is_some() && !self.options.is_request;
        if !self.fills || continues || before <= budget.target {
            return None;
        }
        let is_request =
            |entry: &&Entry| entry.is_in() && entry.message.role == Role::User && !entry.is_new && !entry.is_record;
        let at = draft.entries.iter().rposition(|entry| is_request(&entry))?;
        let newest = &draft.entries[at];
        let room = budget.target.saturating_sub(draft.after().frame) as f64;
        let left = (budget.target + newest.after).saturating_sub(before);
        let is_last = !draft.entries[at + 1..].iter().any(Entry::is_in);
        let fits = |share: &f64| (room * share) as u64 <= left;
        let share = LARGER.into_iter().find(fits).unwrap_or(REQUEST);
        let max = ((room * share) as u64).max(if is_last { left } else { 0 });
        let over = newest.after.saturating_sub(max);
        if over == 0 || self.options.keep.contains(&newest.message.id) {
            return None;
        }
        let edit = reduce::requests(draft, &[at], over, format!("e{}", edits.len()))?;
        edit::apply(draft, &edit);
        edits.push(edit);
        Some(StepReport {
            step: "request",
            outcome: Outcome::Applied,
            tokens_before: before,
            tokens_after: draft.total(),
            why: "what was pasted into the newest request would take the room of everything else".into(),
        })
    }

    /// Returns the conversation after the cheap steps, as the summary finds it.
    pub(super) fn repaired_view(&self) -> Draft<'_> {
        let mut draft = self.cheap_view();
        edit::repair_behind(&mut draft, &self.cheap.edits);
        draft
    }

    /// Returns the rungs before the summary. If the result fills its budget and shows files in their latest state,
    /// results are not cleared: the cut frees the room. Measured on public transcripts at 32,000 tokens: with clearing
    /// 50 % of the lines that the next steps need are in the result, without it 58 %.
    fn first_rungs(&self) -> Vec<Rung> {
        let spares = self.fills && self.options.profile.has(Rung::Offline);
        self.rungs().0.iter().copied().filter(|rung| *rung != Rung::Clear || !spares).collect()
    }

    /// Returns the rungs before the summary, and those after it.
    pub(super) fn rungs(&self) -> (&[Rung], &[Rung]) {
        let ladder = &*self.options.profile.ladder;
        let is_summary = |rung: &Rung| matches!(rung, Rung::Summary | Rung::Offline | Rung::Fit);
        let first = ladder.iter().position(is_summary).unwrap_or(ladder.len());
        ladder.split_at(first)
    }

    /// True if the conversation begins with the record of a compaction, or with the newest request and such a record,
    /// and no more messages follow it than did then.
    fn is_compact(&self, draft: &Draft) -> bool {
        let is_begun = |entry: &Entry| entry.message.role.is_frame() || self.environment.contains(&entry.message.id);
        let mut rest = draft.entries.iter().filter(|entry| entry.is_in() && !is_begun(entry)).peekable();
        let records = &self.options.rules.records;
        let request = self.current_request(&[]).map(|message| message.id.as_str());
        let stays = |entry: &&Entry| {
            let id = entry.message.id.as_str();
            Some(id) == request || self.options.keep.contains(id)
        };
        while rest.next_if(|entry| !entry.is_record && stays(entry)).is_some() {}
        let record = rest.next().filter(|entry| records.has(&entry.message));
        let then = record.and_then(|entry| summary::followed(&entry.message));
        then.is_some_and(|then| rest.count() <= then)
    }
}

/// Returns these groups as the messages that the summary replaces; `cheap` is the same conversation after the cheap
/// steps, entry by entry.
pub(super) fn covered_by(draft: &Draft, cheap: &Draft, groups: &[Group], covered: &[usize]) -> Covered {
    let mut entries: Vec<usize> = covered.iter().flat_map(|&at| groups[at].entries.iter().copied()).collect();
    // Messages of two groups may alternate.
    entries.sort_unstable();
    Covered {
        ids: entries.iter().map(|&at| draft.entries[at].message.id.clone()).collect(),
        tokens: entries.iter().map(|&at| cheap.entries[at].after).sum(),
        was: entries.iter().map(|&at| draft.entries[at].after).sum(),
    }
}
