//! After the summary: the edit that inserts it, the fit to the budget, and the report.

use super::*;
use crate::compact::ledger::render::wanted;
use crate::compact::ledger::{error, render};
use crate::error::BudgetDetails;

impl Compaction {
    pub(super) fn offline(&self, covered: &Covered, after: Option<(ModelReport, String)>) -> Result<Compacted> {
        let draft = self.view(&[]);
        let total = self.cheap.total;
        let ledger = self.closed_ledger(&covered.ids);
        if !self.options.profile.has(Rung::Offline) {
            return self.end_without_summary(after);
        }
        let text = self.extract(&covered.ids, &ledger, self.extract_tokens(covered, &ledger));
        let mut steps = Vec::new();
        let report = after.map(|(report, why)| {
            let step = StepReport {
                step: "summary",
                outcome: Outcome::Failed,
                tokens_before: total,
                tokens_after: total,
                why,
            };
            steps.push(step);
            report
        });
        match self.apply(&text, Author::Rule, covered, &ledger) {
            Ok(Placed { edit, shown, spare, crowd }) => {
                let mut step = self.summary_step(&edit, "a summary made by rules");
                step.step = "offline";
                steps.push(step);
                let covered = covered.clone();
                self.fit(vec![edit], steps, Some(FinishedSummary { covered, text, shown, spare, crowd, model: report }))
            }
            Err((_, why)) => {
                steps.push(StepReport {
                    step: "offline",
                    outcome: Outcome::NoGain,
                    tokens_before: total,
                    tokens_after: total,
                    why,
                });
                if !self.exceeds && self.cheap.edits.is_empty() {
                    return Ok(Compacted { model: report, ..self.finished(draft, Status::NoGain, vec![], steps)? });
                }
                let done = self.fit(vec![], steps, None)?;
                Ok(Compacted { model: report, ..done })
            }
        }
    }

    /// Ends without a summary: neither a model nor rules may write one.
    fn end_without_summary(&self, after: Option<(ModelReport, String)>) -> Result<Compacted> {
        let (model, step) = match after {
            Some((report, why)) => (Some(report), StepReport::same("summary", Outcome::Failed, self.cheap.total, why)),
            None => (None, skipped("summary", self.cheap.total, "there is no model to ask")),
        };
        Ok(Compacted { model, ..self.fit(vec![], vec![step], None)? })
    }

    /// Returns the ledger of these messages.
    pub(super) fn ledger(&self, ids: &[String]) -> Rc<Ledger> {
        let rules = &self.options.rules;
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let messages = self.covered(&known);
        // The facts behind an earlier record come from the messages that it replaced.
        let ledger = self.held.folds.ledger(messages, rules, |first| {
            let behind = self.behind.as_ref().filter(|behind| behind.id == first.id)?;
            Some(self.held.folds.behind(&behind.messages, rules).behind_record(&first.text()))
        });
        let stays = |later: &&Rc<Known>| !known.contains(later.message.id.as_str());
        let later = self.known.iter().filter(stays).map(|later| later.replacing());
        ledger.without_replaced(later).map_or(ledger, Rc::new)
    }

    /// Returns these messages, and in their places the requests that stand beside them, without parts: what follows one
    /// belongs to it. A request in front of a record is newer than all requests in the record, and comes behind it.
    fn covered(&self, ids: &HashSet<&str>) -> Vec<Rc<Message>> {
        let records = &self.options.rules.records;
        let mut out: Vec<Rc<Message>> = Vec::new();
        let mut beside: Option<Rc<Message>> = None;
        // True while the turn of the last covered message goes on outside.
        let mut goes_on = false;
        for message in &self.messages {
            if ids.contains(message.id.as_str()) {
                match out.is_empty() {
                    true => beside = beside.filter(|_| records.is_alone(message)),
                    false => out.extend(beside.take()),
                }
                out.push(Rc::clone(message));
                goes_on = false;
            } else if self.is_request(message) {
                beside = Some(Rc::new(message.without_parts()));
            } else {
                goes_on |= !message.role.is_frame();
            }
        }
        if !(goes_on || out.is_empty()) {
            out.extend(beside);
        }
        let record = out.iter().position(|message| records.is_alone(message));
        if let Some(record) = record.filter(|&at| out[..at].iter().all(|message| message.is_request())) {
            out[..=record].rotate_right(1);
        }
        out
    }

    /// Returns the same ledger, with errors in the state that later messages leave them in: a record must not call an
    /// error open that the tail solved.
    pub(super) fn closed_ledger(&self, ids: &[String]) -> Rc<Ledger> {
        let ledger = self.ledger(ids);
        if ledger.errors.is_empty() {
            return ledger;
        }
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        // System prompts have no facts.
        let spoken = self.messages.iter().filter(|message| !message.role.is_frame()).cloned();
        let (mut all, rest): (Vec<_>, Vec<_>) = spoken.partition(|message| known.contains(message.id.as_str()));
        all.extend(rest);
        let whole = self.held.folds.whole(all, &self.options.rules);
        let mut ledger = Rc::unwrap_or_clone(ledger);
        for (error, later) in ledger.errors.iter_mut().zip(&whole.errors) {
            if error::key(&error.line) == error::key(&later.line) {
                error.resolved = later.resolved;
            }
        }
        Rc::new(ledger)
    }

    /// True for a request of the user: neither a record nor the environment.
    fn is_request(&self, message: &Message) -> bool {
        let records = &self.options.rules.records;
        message.is_request() && !records.is_alone(message) && !self.environment.contains(&message.id)
    }

    /// Returns the newest request, if it is not one of these messages.
    pub(super) fn current_request(&self, ids: &[String]) -> Option<&Message> {
        let newest = self.messages.iter().rev().find(|message| self.is_request(message))?;
        (!ids.contains(&newest.id)).then_some(&**newest)
    }

    /// Returns the text that rules extract from these messages; `ledger` is theirs.
    pub(super) fn extract(&self, ids: &[String], ledger: &Ledger, max: u64) -> String {
        let current = self.current_request(ids).map(|message| (message.id.as_str(), message.text()));
        let current = current.as_ref().map(|(id, text)| (*id, text.as_str()));
        // Only the text of a record has lists beside it.
        let write = match self.options.profile.replacement.form {
            profile::Form::Record => offline::beside_lists,
            profile::Form::Summary | profile::Form::Messages => offline::offline,
        };
        write(ledger, current, max, &*self.tokenizer)
    }

    /// Returns the edit that replaces the covered messages by a summary, if that is worth it.
    pub(super) fn apply(
        &self,
        text: &str,
        author: Author,
        covered: &Covered,
        ledger: &Ledger,
    ) -> std::result::Result<Placed, (Status, String)> {
        let budget = self.whole_budget();
        let draft = self.cheap_view();
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let beside = steps::remaining(&self.cheap.edits, &ids);
        let is_begun = |e: &Entry| e.message.role.is_frame() || self.environment.contains(&e.message.id);
        // Messages in front of the covered ones stay in front of the record, so that the provider's cache keeps them.
        // Where a list joins adjacent messages of the user, the record comes first: it is found again only at the
        // beginning of a message.
        let is_covered = |e: &Entry| ids.contains(e.message.id.as_str());
        let is_found =
            self.history.is_some() || !self.options.receiver.as_ref().is_some_and(|receiver| receiver.joins());
        let begins = match self.options.profile.replacement.form {
            profile::Form::Record if is_found => {
                draft.entries.iter().position(|e| e.is_in() && is_covered(e)).unwrap_or(0)
            }
            _ => 0,
        };
        let covering = Covering {
            messages: covered.ids.len(),
            tokens: covered.was,
            first: covered.ids.first().map_or("", String::as_str),
            last: covered.ids.last().map_or("", String::as_str),
            followed: draft.entries[begins..].iter().filter(|e| e.is_in() && !is_begun(e) && !is_covered(e)).count(),
            is_brief: budget.is_brief(),
        };
        let edit_id = format!("e{beside}");
        let id = format!("{edit_id}:summary");
        let replacement = &self.options.profile.replacement;
        // The record goes before everything that stays behind its beginning, so that the reader meets earlier events
        // before the carried messages.
        let stays = |e: &&Entry| e.is_in() && !is_begun(e);
        let (before, next) = match &self.range {
            Some(range) => {
                let from = draft.entries.iter().rposition(is_covered).map_or(0, |last| last + 1);
                (range.first.clone(), draft.entries[from..].iter().find(stays))
            }
            None => {
                let first = draft.entries[begins..].iter().find(stays).map(|e| e.message.id.clone());
                (first, draft.entries[begins..].iter().filter(stays).find(|e| !is_covered(e)))
            }
        };
        let reply = replacement.acknowledgement.as_ref().filter(|_| next.is_some_and(|e| e.message.role == Role::User));
        let reply = reply.map(|words| Message {
            id: format!("{edit_id}:reply"),
            role: Role::Assistant,
            name: None,
            parts: vec![Part::Text { text: words.to_string() }],
        });
        let (thinking, of_thinking) = self.last_thought(&draft, covered.ids.iter().map(String::as_str)).unzip();
        let of_reply = reply.as_ref().map_or(0, |reply| self.meter().message(reply));
        let of_others = of_reply + of_thinking.unwrap_or(0);
        let meter = self.meter();
        let none = Blocks { text: String::new(), shown: vec![], spare: 0 };
        let mut crowd = 0;
        let (message, Blocks { shown, spare, .. }) = match replacement.form {
            profile::Form::Record => {
                let rest = draft.total().saturating_sub(covered.tokens) + of_others;
                let bare = summary::of_blocks(id.clone(), text, "", covering, &self.extras);
                let bare = meter.message(&bare);
                // A record above this size would not be worth making.
                let worth = (covered.tokens as f64 * (1.0 - self.options.profile.gain.covered)) as u64;
                crowd = self.tokens_from_long_texts(&budget, &draft, ledger, covered, rest + bare);
                let target = budget.target + crowd;
                let mut room = target.saturating_sub(rest + bare).min(worth.saturating_sub(bare + of_others));
                let work = self.work(&budget, &draft, covered, text);
                let (surplus, vital) = match author {
                    Author::Rule => (0, 0),
                    Author::Model | Author::User => (
                        self.surplus_tokens(text, covered, ledger),
                        render::vital(ledger, self.window(&draft).entries, &*self.tokenizer),
                    ),
                };
                let mut may_grow = true;
                // Lines of the floor yield if a model wrote more than the rules by which the cut was chosen.
                let mut less = 0;
                let mut longer = 0;
                loop {
                    let mut shares = self.shares(&budget, &draft, ledger, covered, room).yielding(surplus, vital);
                    shares.least = shares.least.saturating_sub(less);
                    shares.is_last_told = author == Author::Rule && offline::tells_last(ledger, text);
                    let reserves = work.as_ref().map_or([0, 0], |work| work.reserves(room));
                    let recalls = !self.extras.breadcrumb.is_empty();
                    let write = |lists: &str, left| {
                        work.as_ref().map_or((String::new(), 0), |work| work.within(lists, left, &*self.tokenizer))
                    };
                    let lists = render::blocks_with(ledger, shares, recalls, &*self.tokenizer, (reserves, write));
                    let message = summary::of_blocks(id.clone(), text, &lists.text, covering, &self.extras);
                    // Lines are counted one by one; together they take slightly more or less.
                    let record = meter.message(&message);
                    let total = rest + record;
                    let over = total.saturating_sub(target).min(room);
                    let under = target.saturating_sub(total).min(worth.saturating_sub(record + of_others));
                    let is_cut = lists.shown.iter().any(|shown| shown.left_out + shown.shortened > 0);
                    if over == 0 && self.fills && may_grow && is_cut && under > budget.target / 100 {
                        room += under.saturating_sub(budget.target / 200);
                        may_grow = false;
                        continue;
                    }
                    if over > 0 && lists.spare == 0 && shares.least > 0 {
                        // Lines that must stay do not yield, and no line yields a part: a step without effect doubles.
                        less += if record == longer { less } else { over };
                        longer = record;
                        continue;
                    }
                    // Lines that only fill free room yield until the record is worth making.
                    let over = over.max((record + of_others).saturating_sub(worth).min(room));
                    if over == 0 || lists.spare == 0 {
                        break (message, lists);
                    }
                    room -= over;
                }
            }
            profile::Form::Summary => (summary::of_blocks(id, text, "", covering, &self.extras), none),
            profile::Form::Messages => {
                let user = budget.user.min(covered.tokens / 5);
                let mut said: Vec<String> = ledger.requests.iter().map(|request| request.text.clone()).collect();
                said.extend(self.current_request(&covered.ids).map(|message| message.text()));
                let message =
                    summary::messages_form(id, text, &said, covering, user, replacement.head_share, &*self.tokenizer);
                (message, none)
            }
        };
        let tokens = meter.message(&message) + of_others;
        if tokens >= covered.tokens {
            let why = format!("the summary has {tokens} tokens, what it stands for {}", covered.tokens);
            return Err((Status::Inflated, why));
        }
        let freed = covered.tokens - tokens;
        let share = (covered.tokens as f64 * self.options.profile.gain.covered) as u64;
        // A range that the caller chose only has to become shorter.
        let least = if self.range.is_some() { share } else { share.max(budget.min_gain) };
        if freed < least {
            return Err((
                Status::NoGain,
                format!("the summary would free {freed} tokens, at least {least} are asked for"),
            ));
        }
        let edit = Edit {
            id: edit_id,
            kind: Kind::ReplaceRange,
            targets: covered.ids.iter().map(Target::message).collect(),
            rule: "summary",
            author,
            tokens_before: covered.was,
            tokens_after: tokens,
            message: Some(message),
            reply,
            thinking,
            before,
            newer: None,
        };
        Ok(Placed { edit, shown, spare, crowd })
    }

    /// Returns the tokens of a text beyond those that rules would have written. They take room from the lists and not
    /// from files and names: otherwise the next steps would know less of these with a model than without one.
    fn surplus_tokens(&self, text: &str, covered: &Covered, ledger: &Ledger) -> u64 {
        let usual = self.extract(&covered.ids, ledger, self.extract_tokens(covered, ledger));
        self.tokenizer.count(text).saturating_sub(self.tokenizer.count(&usual))
    }

    /// Returns the records in the view under these edits. A log names its records, so one that this compaction inserts
    /// must be added: the fit would drop it, and the report would count none of its lines.
    pub(super) fn records_with(&self, edits: &[Edit]) -> Records {
        let inserted = edits.iter().filter_map(|edit| edit.message.as_ref());
        self.options.rules.records.clone().with_own(inserted.map(|message| message.id.as_str()))
    }

    /// Returns the limits of the fit of the view under these edits: the messages that it keeps, and the budget.
    fn fit_limits(&self, budget: u64, edits: &[Edit]) -> Limits {
        Limits { budget, keep: self.options.keep.clone(), records: self.records_with(edits), ..Limits::default() }
    }

    /// Returns the tokens that the fit should take from long results and pastes, so that the record gets up to half of
    /// the target: a file that was just read can be read again, and facts that the record has no room for are lost.
    /// `around` are the tokens of everything but the lists of the record.
    fn tokens_from_long_texts(
        &self,
        budget: &Budget,
        draft: &Draft,
        ledger: &Ledger,
        covered: &Covered,
        around: u64,
    ) -> u64 {
        let half = budget.target / 2;
        let room = budget.target.saturating_sub(around);
        if !self.fills || room >= half {
            return 0;
        }
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let must = prune::must_keep(draft, &self.fit_limits(budget.target, &[]));
        let musts: HashSet<usize> = must.iter().copied().collect();
        let stays = |(_, entry): &(usize, &Entry)| entry.is_in() && !ids.contains(entry.message.id.as_str());
        let has_more = |(at, entry): (usize, &Entry)| !musts.contains(&at) && !entry.message.role.is_frame();
        // A later cut frees room as well, without shortening anything.
        if draft.entries.iter().enumerate().filter(stays).any(has_more) {
            return 0;
        }
        let wanted = wanted(ledger, self.shares(budget, draft, ledger, covered, half), &*self.tokenizer);
        let wanted = (wanted.floor + wanted.lines + wanted.words + budget.names).min(half);
        let kept = |at: &usize| !self.options.keep.contains(&draft.entries[*at].message.id);
        let long: Vec<usize> = must.into_iter().filter(kept).collect();
        wanted.saturating_sub(room).min(reduce::most(draft, &long))
    }

    pub(super) fn summary_step(&self, edit: &Edit, what: &str) -> StepReport {
        let mut edits = self.unhidden_edits(edit.ids());
        edits.push(edit.clone());
        StepReport {
            step: "summary",
            outcome: Outcome::Applied,
            tokens_before: self.cheap.total,
            tokens_after: self.view(&edits).total(),
            why: format!("{what} stands for {} messages", edit.targets.len()),
        }
    }

    /// Returns the edits of the cheap steps that a summary of these messages does not hide.
    fn unhidden_edits<'a>(&self, covered: impl Iterator<Item = &'a str>) -> Vec<Edit> {
        if self.cheap.edits.is_empty() {
            return vec![];
        }
        steps::without(self.view(&[]), &self.cheap.edits, &covered.collect())
    }

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
        let mut limits = self.fit_limits(if is_crowded { budget.target } else { self.options.budget }, &edits);
        let reductions: [Reduction; 5] =
            [reduce::results, reduce::arguments, reduce::requests, reduce::earlier_records, reduce::records];
        let mut reductions = reductions.into_iter();
        let mut mended: Option<Mended>;
        let mut repairs = 0;
        let why = loop {
            match prune::fit(&mut draft, &limits) {
                Ok(()) if self.move_thought(&mut edits, &draft) => draft = self.view(&edits),
                Ok(()) => {
                    mended = self.options.receiver.as_ref().map(|receiver| mend(&draft, receiver));
                    let total = mended.as_ref().map_or(0, |mended| mended.after.total);
                    let over = total.saturating_sub(self.options.budget);
                    if over == 0 {
                        break "what still did not fit was pruned, oldest first";
                    }
                    if repairs == REPAIRS || !self.options.profile.has(Rung::Fit) {
                        return Err(too_long(total, self.options.budget));
                    }
                    repairs += 1;
                    limits.budget = limits.budget.min(draft.total()).saturating_sub(over);
                }
                Err(error) => {
                    let Some(needed) = error.budget.as_ref().map(|b| b.needed) else { return Err(error) };
                    let kept = |&at: &usize| !self.options.keep.contains(&draft.entries[at].message.id);
                    let must: Vec<usize> = prune::must_keep(&draft, &limits).into_iter().filter(kept).collect();
                    // Frees enough for the tail as well: a giant paste must not push out the latest work.
                    let wanted = draft.total().min(needed + budget.keep_recent);
                    let over = wanted.saturating_sub(limits.budget);
                    let Some(edit) =
                        reductions.find_map(|reduce| reduce(&draft, &must, over, format!("e{}", edits.len())))
                    else {
                        // What must stay decides in its written form.
                        let written = self.written_total(&least(&draft, &limits, needed)).max(needed);
                        let Some(FinishedSummary { model, .. }) = made else {
                            return Err(error.of_budget(self.options.budget, written));
                        };
                        // There may be room for what must stay, but none for a record beside it.
                        let why = "there is no room for a record beside what must stay";
                        let total = self.cheap.total;
                        let given =
                            given.iter().map(|step| StepReport::same(step.step, Outcome::NoGain, total, why.into()));
                        return Ok(Compacted { model, ..self.fit(vec![], given.collect(), None)? });
                    };
                    if edit.rule == "long-record" {
                        // The record exists once, so it is shortened in its own edit.
                        self.rewrite(&mut edits, &edit);
                        draft = self.view(&edits);
                        continue;
                    }
                    edit::apply(&mut draft, &edit);
                    // This edit replaces an earlier one with the same rule and targets.
                    edits.retain(|earlier| earlier.rule != edit.rule || !earlier.ids().eq(edit.ids()));
                    edits.push(edit);
                }
            }
        };
        let dropped: Vec<_> = draft.removed.iter().filter(|r| prune::is_prune_rule(r.rule)).cloned().collect();
        for removal in dropped {
            edits.push(Edit {
                id: format!("e{}", edits.len()),
                kind: Kind::Drop,
                targets: removal.ids.into_iter().map(Target::message).collect(),
                rule: removal.rule,
                tokens_before: removal.tokens,
                ..Edit::default()
            });
        }
        let after = draft.total();
        if after < before {
            let step = StepReport {
                step: "fit",
                outcome: Outcome::Applied,
                tokens_before: before,
                tokens_after: after,
                why: why.into(),
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

/// Max repairs of one result: a repair may make it longer, so that the next cut must be deeper.
const REPAIRS: usize = 8;

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
