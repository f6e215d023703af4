//! The last steps: what still exceeds the budget is pruned and shortened, and the result is reported.

use super::*;
use crate::error::BudgetDetails;

impl Compaction {
    /// Carries out the last steps: those of the profile after the summary, then pruning, then shortening of what must
    /// stay, so that the result fits the budget.
    pub(super) fn fit(
        &self,
        summary: Vec<Edit>,
        given: Vec<StepReport>,
        made: Option<FinishedSummary>,
    ) -> Result<Compacted> {
        let mut edits = match &made {
            Some(made) => self.unhidden_edits(made.covered.ids.iter().map(String::as_str)),
            None => self.cheap.edits.clone(),
        };
        edits.extend(summary);
        let mut steps = self.cheap.steps.clone();
        steps.extend(given.iter().cloned());
        let mut draft = self.view(&edits);
        let budget = self.whole_budget();
        let ground = self.ground(&budget);
        // The caller chose what is to change.
        let behind = if self.range.is_some() { &[] } else { self.rungs().1 };
        steps.extend(climb(&mut draft, behind, budget.relief, ground, &mut edits));
        let before = draft.total();
        if !self.options.profile.has(Rung::Fit) && before > self.options.budget {
            return Err(budget_error(before, self.options.budget));
        }
        let is_crowded = made.as_ref().is_some_and(|made| made.crowd > 0);
        let limits = self.fit_limits(if is_crowded { budget.target } else { self.options.budget }, &edits);
        let mended = match (self.shorten(&mut draft, &mut edits, limits)?, made.as_ref()) {
            (Fitted::Yes(mended), _) => mended,
            (Fitted::No(error), None) => return Err(error),
            (Fitted::No(_), Some(made)) => {
                // There may be room for what must stay, but none for a record beside it.
                let why = "there is no room for a record beside what must stay";
                let total = self.cheap.total;
                let given = given.iter().map(|step| StepReport::same(step.step, Outcome::NoGain, total, why.into()));
                let model = made.model.clone();
                return Ok(Compacted { model, ..self.fit(vec![], given.collect(), None)? });
            }
        };
        push_drops(&mut edits, &draft);
        let after = draft.total();
        if after < before {
            let step = StepReport {
                step: "fit",
                outcome: Outcome::Applied,
                tokens_before: before,
                tokens_after: after,
                why: "what still did not fit was pruned, oldest first".into(),
            };
            steps.push(step);
        }
        let low_headroom = after > self.window(&draft).relief;
        let Some(FinishedSummary { covered, text, shown, spare, model, .. }) = made else {
            let covered = Covered { ids: vec![], tokens: 0, was: 0 };
            let quality = Some(self.quality(&draft, &covered, &edits, ""));
            let done = self.finished(draft, Status::Applied, edits, steps)?.mended(mended);
            return Ok(Compacted { quality, low_headroom, ..done });
        };
        let record = edits.iter().find(|edit| edit.kind == Kind::ReplaceRange).map_or(0, |edit| edit.tokens_after);
        let aim = self.report_aim(&draft, record, spare);
        let quality = self.quality(&draft, &covered, &edits, &text);
        Ok(Compacted {
            summary: Some(text),
            covered: covered.ids,
            ledger: shown,
            quality: Some(quality),
            model,
            low_headroom,
            aim,
            ..self.finished(draft, Status::Applied, edits, steps)?.mended(mended)
        })
    }

    /// Prunes and shortens until the draft fits as its provider takes it. The edits of what was shortened are added to
    /// `edits`.
    fn shorten<'d>(&'d self, draft: &mut Draft<'d>, edits: &mut Vec<Edit>, mut limits: Limits) -> Result<Fitted> {
        let mut reductions = REDUCTIONS.into_iter();
        let mut repairs = 0;
        loop {
            let error = match prune::fit(draft, &limits) {
                Ok(()) if self.move_thought(edits, draft) => {
                    *draft = self.view(edits);
                    continue;
                }
                Ok(()) => {
                    let mended = self.options.receiver.as_ref().map(|receiver| mend(draft, receiver));
                    let total = mended.as_ref().map_or(0, |mended| mended.after.total);
                    let over = total.saturating_sub(self.options.budget);
                    if over == 0 {
                        return Ok(Fitted::Yes(mended));
                    }
                    if repairs == REPAIRS || !self.options.profile.has(Rung::Fit) {
                        return Err(too_long(total, self.options.budget));
                    }
                    repairs += 1;
                    limits.budget = limits.budget.min(draft.total()).saturating_sub(over);
                    continue;
                }
                Err(error) => error,
            };
            let Some(needed) = error.budget.as_ref().map(|b| b.needed) else { return Err(error) };
            // The last repair may have needed less room if more messages are dropped.
            if repairs > 0 && self.written_total(&least(draft, &limits, needed)) <= self.options.budget {
                limits.budget = needed;
                continue;
            }
            let kept = |&at: &usize| !self.options.keep.contains(&draft.entries[at].message.id);
            let must: Vec<usize> = prune::must_keep(draft, &limits).into_iter().filter(kept).collect();
            // Frees enough for the tail as well: a giant paste must not push out the latest work.
            let wanted = draft.total().min(needed + self.whole_budget().keep_recent);
            let over = wanted.saturating_sub(limits.budget);
            let shortened = reductions.find_map(|reduce| reduce(draft, &must, over, format!("e{}", edits.len())));
            match shortened {
                None => {
                    // What must stay decides in its written form.
                    let written = self.written_total(&least(draft, &limits, needed)).max(needed);
                    return Ok(Fitted::No(error.of_budget(self.options.budget, written)));
                }
                Some(edit) if edit.rule == "long-record" => {
                    // The record exists once, so it is shortened in its own edit.
                    self.rewrite(edits, &edit);
                    *draft = self.view(edits);
                }
                Some(edit) => {
                    edit::apply(draft, &edit);
                    // This edit replaces an earlier one with the same rule and targets.
                    edits.retain(|earlier| earlier.rule != edit.rule || !earlier.ids().eq(edit.ids()));
                    edits.push(edit);
                }
            }
        }
    }

    /// Returns the limits of the fit of the view under these edits: the messages that it keeps, and the budget.
    pub(super) fn fit_limits(&self, budget: u64, edits: &[Edit]) -> Limits {
        Limits { budget, keep: self.options.keep.clone(), records: self.records_with(edits), ..Limits::default() }
    }

    /// Returns the records in the view under these edits. A log names its records, so one that this compaction inserts
    /// must be added: the fit would drop it, and the report would count none of its lines.
    pub(super) fn records_with(&self, edits: &[Edit]) -> Records {
        let inserted = edits.iter().filter_map(|edit| edit.message.as_ref());
        self.options.rules.records.clone().with_own(inserted.map(|message| message.id.as_str()))
    }

    /// Returns the edits of the cheap steps that a summary of these messages does not hide.
    pub(super) fn unhidden_edits<'a>(&self, covered: impl Iterator<Item = &'a str>) -> Vec<Edit> {
        if self.cheap.edits.is_empty() {
            return vec![];
        }
        steps::without(self.view(&[]), &self.cheap.edits, &covered.collect())
    }

    /// Replaces texts in summaries by their shortened form.
    fn rewrite(&self, edits: &mut [Edit], shortened: &Edit) {
        let meter = self.meter();
        for edit in edits.iter_mut() {
            let Some(message) = edit.message.as_mut() else { continue };
            let was = meter.message(message);
            for Target { part, to, .. } in shortened.targets.iter().filter(|target| target.message == message.id) {
                if let (Some(part), Some(to)) = (part.and_then(|part| message.parts.get_mut(part)), to)
                    && let Some(short) = to.applied(part)
                {
                    *part = short;
                }
            }
            edit.tokens_after = (edit.tokens_after + meter.message(message)).saturating_sub(was);
        }
    }
}

/// The end of the attempts to fit a draft.
enum Fitted {
    /// It fits, with what its provider's rules changed.
    Yes(Option<Mended>),
    /// The shortest form of what must stay does not.
    No(Error),
}

/// A function that shortens what must stay: the draft, the entries that must stay, tokens to free, id of the edit.
type Reduction = fn(&Draft, &[usize], u64, String) -> Option<Edit>;

/// In the order in which they are tried.
const REDUCTIONS: [Reduction; 5] =
    [reduce::results, reduce::arguments, reduce::requests, reduce::earlier_records, reduce::records];

/// Max repairs of one result: a repair may make it longer, so that the next cut must be deeper.
const REPAIRS: usize = 8;

/// Adds an edit for each message that pruning dropped.
fn push_drops(edits: &mut Vec<Edit>, draft: &Draft) {
    for removal in draft.removed.iter().filter(|removal| prune::is_prune_rule(removal.rule)) {
        edits.push(Edit {
            id: format!("e{}", edits.len()),
            kind: Kind::Drop,
            targets: removal.ids.iter().map(Target::message).collect(),
            rule: removal.rule,
            tokens_before: removal.tokens,
            ..Edit::default()
        });
    }
}

/// Returns a draft after a fit that leaves only what must stay, which has `needed` tokens.
fn least<'a>(draft: &Draft<'a>, limits: &Limits, needed: u64) -> Draft<'a> {
    let mut least = draft.clone();
    // It cannot fail: `needed` is what it was refused for.
    let _ = prune::fit(&mut least, &Limits { budget: needed, ..limits.clone() });
    least
}

/// Returns the error for a result whose form for its provider exceeds the budget.
fn too_long(needed: u64, budget: u64) -> Error {
    let why = format!("The provider's form of the remaining messages has {needed} tokens, the budget is {budget}");
    let details = BudgetDetails { budget, needed, largest: vec![] };
    Error { budget: Some(details), ..Error::new(Code::BudgetExceeded, why).at("options.budget") }
}

/// Returns the error for a result above the budget that no step may shorten.
fn budget_error(needed: u64, budget: u64) -> Error {
    let why =
        format!("The result has {needed} tokens, the budget is {budget}, and the profile's ladder has no step `fit`");
    let details = BudgetDetails { budget, needed, largest: vec![] };
    Error { budget: Some(details), ..Error::new(Code::BudgetExceeded, why).at("options.budget") }
}
