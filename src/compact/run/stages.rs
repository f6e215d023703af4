//! The steps around the exchange with the model: hooks before and after, files that are inserted again, the check of
//! the result.

use super::ask::Exchange;
use super::*;
use crate::compact::asking::{HookOutcome, HookReport};
use crate::compact::context;
use crate::effect::HookCall;

/// Effects whose answers are awaited.
pub(super) struct Pending {
    asks: Vec<Ask>,
    answers: Vec<Option<Answer>>,
    then: Continuation,
}

/// The purpose of the answers.
pub(super) enum Continuation {
    PreHook(Covered),
    Model(Box<Exchange>),
    Files { covered: Covered, makes: SummarySource, paths: Vec<String> },
    PostHook(Box<Compacted>),
}

/// The author of the summary.
pub(super) enum SummarySource {
    /// The model's text, and its remaining gaps.
    Text { text: String, gaps: Gaps },
    /// Rules: after a failure of the model, or because a request was not worth its price, with the reason if there is
    /// one.
    Rules { after: Option<Failed>, unasked: Option<String> },
}

impl Pending {
    pub(super) fn open(&self) -> Vec<Ask> {
        let open = self.asks.iter().zip(&self.answers).filter(|(_, answer)| answer.is_none());
        open.map(|(ask, _)| ask.clone()).collect()
    }

    pub(super) fn is_answered(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }

    /// Accepts an answer; returns false if the effect is not open.
    pub(super) fn answer(&mut self, id: u32, answer: Answer) -> bool {
        let at = self.asks.iter().position(|ask| ask.id == id);
        let Some(slot) = at.and_then(|at| self.answers.get_mut(at)).filter(|slot| slot.is_none()) else { return false };
        *slot = Some(answer);
        true
    }
}

impl Compaction {
    /// Requests effects from the host.
    pub(super) fn request(&mut self, effects: Vec<Effect>, then: Continuation) -> State {
        let mut asks = Vec::with_capacity(effects.len());
        for effect in effects {
            asks.push(Ask { id: self.next_id, effect });
            self.next_id += 1;
        }
        let answers = vec![None; asks.len()];
        State::Asked(Box::new(Pending { asks, answers, then }))
    }

    /// Continues after the last answer.
    pub(super) fn handle_answers(&mut self, pending: Pending) -> State {
        let Pending { answers, then, .. } = pending;
        let mut answers: Vec<Answer> = answers.into_iter().flatten().collect();
        if answers.contains(&Answer::Cancelled) {
            // The caller no longer waits for a result, so no fallback is tried.
            let report = (self.calls > 0).then(|| self.model_report(Some((Status::Cancelled, "cancelled".into()))));
            let result = self.unchanged(Status::Cancelled, "cancelled", report);
            return self.done(result);
        }
        match then {
            Continuation::PreHook(covered) => self.before(answers.pop(), covered),
            Continuation::Model(talk) => match answers.pop() {
                Some(answer) => self.handle_answer(answer, *talk),
                None => self.ask(*talk),
            },
            Continuation::Files { covered, makes, paths } => {
                let read = answers.into_iter().map(|answer| match answer {
                    Answer::File { text } => Ok(text),
                    Answer::Failed { reason, .. } | Answer::TooLong { reason, .. } => Err(reason),
                    _ => Err("no text came back".to_string()),
                });
                let files: Vec<(String, std::result::Result<String, String>)> = paths.into_iter().zip(read).collect();
                let most = self.file_tokens(&covered, &makes);
                let (text, reports) = context::files(&files, most, &*self.tokenizer);
                self.files = reports;
                self.make_result(covered, makes, &text)
            }
            Continuation::PostHook(result) => {
                self.note_hook("postCompact", answers.pop(), HookOutcome::Done);
                let result = Compacted { hooks: self.hooks.clone(), ..*result };
                self.done(Ok(result))
            }
        }
    }

    /// Handles a new plan: calls the host's hook once; then asks the model, or lets rules write the summary.
    pub(super) fn handle_plan(&mut self, covered: Covered) -> State {
        let asking = &self.options.asking;
        if !self.is_planned {
            self.is_planned = true;
            self.additions.clone_from(&asking.additions);
            self.blocks.clone_from(&asking.blocks);
            if asking.pre_hook {
                let call = HookCall::PreCompact {
                    trigger: asking.trigger.as_str(),
                    focus: self.options.focus.clone(),
                    covered: covered.ids.clone(),
                    covered_tokens: covered.tokens,
                    before: self.view(&[]).before(),
                    budget: self.options.budget,
                };
                return self.request(vec![Effect::RunHook(call)], Continuation::PreHook(covered));
            }
        }
        let limit = self.options.model_limit.unwrap_or(u64::MAX);
        if !self.options.has_model || !self.options.profile.has(Rung::Summary) {
            return self.attach(covered, SummarySource::Rules { after: None, unasked: None });
        }
        if limit < MIN_ROOM {
            let why =
                format!("the model takes {limit} tokens, and {MIN_ROOM} are the least that show enough of a history");
            return self.attach(covered, SummarySource::Rules { after: None, unasked: Some(why) });
        }
        let shape = self.first_shape();
        self.ask(Exchange::new(covered, shape, limit))
    }

    fn before(&mut self, answer: Option<Answer>, covered: Covered) -> State {
        let can_wait = self.options.profile.hook.veto && self.options.asking.trigger.can_wait() && !self.exceeds;
        let mut keeps_more = false;
        let mut outcome = HookOutcome::Done;
        if let Some(Answer::Hook { instructions, keep, blocks, skip }) = &answer {
            self.additions.extend(instructions.clone());
            self.blocks.extend(blocks.iter().cloned());
            // Ids of unknown messages are ignored.
            let known = |id: &&String| self.messages.iter().any(|message| message.id == **id);
            for id in keep.iter().filter(known).cloned().collect::<Vec<_>>() {
                keeps_more |= self.options.keep.insert(id);
            }
            if *skip {
                outcome = if can_wait { HookOutcome::Skipped } else { HookOutcome::Overruled };
            }
        }
        self.note_hook("preCompact", answer, outcome);
        if outcome == HookOutcome::Skipped {
            let result = self.unchanged(Status::Skipped, "a hook put it off", None);
            return self.conclude(result);
        }
        // A newly kept message may lie at the cut, so the plan is made again.
        if keeps_more { self.start() } else { self.handle_plan(covered) }
    }

    fn note_hook(&mut self, name: &'static str, answer: Option<Answer>, outcome: HookOutcome) {
        let (outcome, why) = match answer {
            Some(Answer::Failed { reason, kind: Failure::Timeout }) => (HookOutcome::Timeout, Some(reason)),
            Some(Answer::Failed { reason, .. } | Answer::TooLong { reason, .. }) => (HookOutcome::Failed, Some(reason)),
            Some(Answer::Hook { .. }) => (outcome, None),
            _ => (HookOutcome::Failed, Some("the hook was not answered by one".into())),
        };
        self.hooks.push(HookReport { name, outcome, why });
    }

    /// Inserts the files that were in use beside the summary, which exists or will be written.
    pub(super) fn attach(&mut self, covered: Covered, makes: SummarySource) -> State {
        if self.options.asking.is_handover {
            return self.finish_hand_over(covered, makes);
        }
        let paths = if self.options.asking.reads_files { self.files_in_use(&covered) } else { vec![] };
        if paths.is_empty() {
            return self.make_result(covered, makes, "");
        }
        let effects = paths.iter().map(|path| Effect::ReadFile { path: path.clone() }).collect();
        self.request(effects, Continuation::Files { covered, makes, paths })
    }

    /// Returns the files that were last used in the covered messages and not since, changed ones first.
    fn files_in_use(&self, covered: &Covered) -> Vec<String> {
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let tail = self.messages.iter().filter(|message| !ids.contains(message.id.as_str()));
        let tail = Ledger::fold(tail.map(|message| &**message), &self.options.rules);
        let there: HashSet<&str> = tail.files.iter().map(|file| file.path.as_str()).collect();
        let ledger = self.ledger(&covered.ids);
        let mut files: Vec<_> =
            ledger.files.iter().filter(|f| !f.deleted && !there.contains(f.path.as_str())).collect();
        crate::rank::sort_by(&mut files, |one, other| {
            (!one.is_changed(), other.at).cmp(&(!other.is_changed(), one.at))
        });
        files.into_iter().take(context::MAX_FILES).map(|file| file.path.clone()).collect()
    }

    /// Returns the maximum tokens for files: their share, and no more than the target leaves beside the record.
    fn file_tokens(&mut self, covered: &Covered, makes: &SummarySource) -> u64 {
        let share = context::share_of_files(self.whole_budget().available);
        self.add_extras(covered, "");
        let ledger = self.ledger(&covered.ids);
        let (text, author) = match makes {
            SummarySource::Text { text, .. } => (text.clone(), Author::Model),
            SummarySource::Rules { .. } => {
                let max = self.extract_tokens(covered, &ledger);
                (self.extract(&covered.ids, &ledger, max), Author::Rule)
            }
        };
        let placed = self.apply(&text, author, covered, &ledger).ok();
        placed.and_then(|placed| self.headroom(&placed.edit, covered)).map_or(share, |left| share.min(left))
    }

    /// Records what goes beside the summary; returns the host's blocks.
    pub(super) fn add_extras(&mut self, covered: &Covered, files: &str) -> String {
        let available = self.whole_budget().available;
        let (blocks, reports) = context::blocks(&self.blocks, available, &*self.tokenizer);
        self.block_reports = reports;
        let (first, last) = (covered.ids.first(), covered.ids.last());
        let (first, last) = (first.map_or("", String::as_str), last.map_or("", String::as_str));
        let keeps_going = Traits::of(self.options.asking.model.as_deref(), &self.options.asking.models).keep_going;
        self.extras = Extras {
            context: context::wrapped(&blocks, files),
            breadcrumb: context::breadcrumb(&self.options.asking.breadcrumb, first, last),
            behind: if keeps_going { KEEP_GOING } else { "" },
        };
        blocks
    }

    /// Makes the result.
    fn make_result(&mut self, covered: Covered, makes: SummarySource, files: &str) -> State {
        let blocks = self.add_extras(&covered, files);
        let mut result = self.make_summary(&covered, &makes);
        // Files may cost as much as the summary frees; then they are left out.
        let gained = |result: &Result<Compacted>| {
            result
                .as_ref()
                .is_ok_and(|done| done.summary.is_some() || !matches!(done.status, Status::NoGain | Status::Inflated))
        };
        if !files.is_empty() && !gained(&result) {
            self.extras.context = context::wrapped(&blocks, "");
            for file in &mut self.files {
                (file.outcome, file.tokens) = (context::FileOutcome::Path, 0);
                file.why = Some("the record would not have been worth making".into());
            }
            result = self.make_summary(&covered, &makes);
        }
        let result = match result {
            Ok(done) if self.options.asking.strict && !done.quality.as_ref().is_none_or(|q| q.misses.is_empty()) => {
                let why = format!(
                    "the result falls short: {}",
                    done.quality.as_ref().map_or(String::new(), |q| q.misses.join(", "))
                );
                let untouched = self.unchanged(Status::QualityFailed, &why, done.model);
                untouched.map(|untouched| Compacted { quality: done.quality, ..untouched })
            }
            other => other,
        };
        self.conclude(result)
    }

    fn make_summary(&self, covered: &Covered, makes: &SummarySource) -> Result<Compacted> {
        let (text, gaps) = match makes {
            SummarySource::Rules { after, unasked } => {
                let after = after.clone().map(|failed| (self.model_report(Some(failed.clone())), failed.1));
                let done = self.offline(covered, after)?;
                let Some(why) = unasked else { return Ok(done) };
                // Goes before the step that replaced it.
                let mut steps = done.steps;
                let at = steps.iter().position(|step| step.step == "offline" || step.step == "summary");
                steps.insert(at.unwrap_or(self.cheap.steps.len()), skipped("summary", self.cheap.total, why));
                return Ok(Compacted { steps, ..done });
            }
            SummarySource::Text { text, gaps } => (text, gaps),
        };
        match self.apply(text, Author::Model, covered, &self.closed_ledger(&covered.ids)) {
            Ok(Placed { edit, shown, spare, crowd }) => {
                let step = self.summary_step(&edit, "the model's summary");
                let model = Some(ModelReport { gaps: gaps.sentences(), ..self.model_report(None) });
                let title = self.form().title_of(text);
                let made = FinishedSummary { covered: covered.clone(), text: text.clone(), shown, spare, crowd, model };
                let done = self.fit(vec![edit], vec![step], Some(made))?;
                if done.summary.is_none() && self.options.offline_on_failure {
                    // Rules write less, if the model's words leave no room.
                    let why = "there is no room for the model's summary beside what must stay".to_string();
                    let failed = (Status::NoGain, why);
                    return self.offline(covered, Some((self.model_report(Some(failed.clone())), failed.1)));
                }
                Ok(Compacted { title, ..done })
            }
            Err(failed) if self.options.offline_on_failure => {
                self.offline(covered, Some((self.model_report(Some(failed.clone())), failed.1)))
            }
            Err((status, why)) => self.unchanged(status, &why, Some(self.model_report(Some((status, why.clone()))))),
        }
    }

    /// Ends the compaction: calls the host's second hook if there is one.
    pub(super) fn conclude(&mut self, result: Result<Compacted>) -> State {
        match result {
            Ok(done) if self.options.asking.post_hook => {
                let call = HookCall::PostCompact {
                    trigger: self.options.asking.trigger.as_str(),
                    status: done.status.as_str(),
                    before: done.before,
                    after: done.after,
                    covered: done.covered.clone(),
                    summary: done.summary.clone(),
                };
                self.request(vec![Effect::RunHook(call)], Continuation::PostHook(Box::new(done)))
            }
            other => self.done(other),
        }
    }
}
