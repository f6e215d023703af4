//! One compaction as a state machine: plan, ask, apply. Planning and applying are pure; only the host waits.

use std::collections::HashSet;
use std::rc::Rc;

use super::budget::{Budget, MIN_COVERED, MIN_GAIN_OF_COVERED, OVERLONG};
use super::instructions::Wanted;
use super::ledger::Ledger;
use super::parse::{Unusable, parse};
use super::quality::{Boundary, Quality, Size, quality};
use super::summary::{Covering, Shares, Shown};
use super::tool_map::{ToolKind, ToolMap};
use super::{Compacted, ModelReport, Options, Outcome, Status, StepReport};
use super::{check, cut, offline, reduce, request, summary};
use crate::effect::{Answer, Ask, Effect, Failure, Step};
use crate::error::{Code, Error, Result};
use crate::history::draft::{Draft, Meter};
use crate::history::edit::{self, Author, Edit, Kind};
use crate::history::group::groups;
use crate::history::prune::{self, Limits, SUMMARY_TAG};
use crate::message::{Message, Part, Role};
use crate::tokens::{CostModel, Origin, Tokenizer};

/// Room below which a model cannot be shown anything useful of a history, in tokens.
const LEAST_ROOM: u64 = 1_000;
/// A reply without a usable summary is asked for once more.
const ATTEMPTS: usize = 2;

/// See the module. Create it, poll it, answer its effects, poll again; dropping it loses nothing.
pub struct Compaction {
    messages: Vec<Message>,
    counts: Vec<u64>,
    origin: Origin,
    tools: u64,
    cost_model: CostModel,
    tokenizer: Rc<dyn Tokenizer>,
    options: Options,
    state: State,
    calls: usize,
    prompt_tokens: u64,
}

enum State {
    Start,
    Asked {
        ask: Box<Ask>,
        covered: Covered,
    },
    /// The answer is in; the next poll finishes.
    Answered {
        answer: Answer,
        covered: Covered,
    },
    Done(Box<Result<Compacted>>),
}

/// A way to shorten what must stay: the draft, its entries that must stay, tokens to free, id of the edit.
type Reduction = fn(&Draft, &[usize], u64, String) -> Option<Edit>;

/// What the summary will stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Covered {
    /// Ids in order.
    ids: Vec<String>,
    tokens: u64,
}

/// A summary that was made: what it stands for, its text, what became of the ledger, what the model had to do with it.
struct Made {
    covered: Covered,
    text: String,
    shown: Vec<Shown>,
    model: Option<ModelReport>,
}

impl Compaction {
    /// Counts the messages and is ready to be polled. `tools` is what the tool definitions cost.
    pub fn new(
        messages: Vec<Message>,
        tools: u64,
        cost_model: CostModel,
        tokenizer: Rc<dyn Tokenizer>,
        origin: Origin,
        options: Options,
    ) -> Compaction {
        let meter = Meter { model: cost_model, tokenizer: &*tokenizer, tools };
        let draft = Draft::new(&messages, meter, origin);
        let counts = draft.entries.iter().map(|entry| entry.before).collect();
        let origin = draft.origin;
        let state = State::Start;
        Compaction {
            messages,
            counts,
            origin,
            tools,
            cost_model,
            tokenizer,
            options,
            state,
            calls: 0,
            prompt_tokens: 0,
        }
    }

    /// Says what is needed next, or what came of it. Polling again without an answer gives the same effects.
    ///
    /// # Errors
    /// [`Code::BudgetExceeded`] if even the shortest form of what must stay is too large.
    pub fn poll(&mut self) -> Result<Step<Compacted>> {
        let state = std::mem::replace(&mut self.state, State::Start);
        self.state = match state {
            State::Start => self.start(),
            State::Answered { answer, covered } => self.answered(answer, covered),
            other => other,
        };
        match &self.state {
            State::Asked { ask, .. } => Ok(Step::Ask { effects: vec![(**ask).clone()] }),
            State::Done(result) => (**result).clone().map(|result| Step::Done { result }),
            // `start` and `answered` end in the two states above; should that ever change, the answer is simply polled for again.
            State::Start | State::Answered { .. } => self.poll(),
        }
    }

    /// Takes the answer to an effect.
    ///
    /// # Errors
    /// [`Code::UnknownEffect`] if no effect of that number is open; nothing changes then.
    pub fn resume(&mut self, id: u32, answer: Answer) -> Result<()> {
        match &self.state {
            State::Asked { ask, covered } if ask.id == id => {
                let covered = covered.clone();
                self.state = State::Answered { answer, covered };
                Ok(())
            }
            _ => {
                Err(Error::new(Code::UnknownEffect, format!("no effect {id} is open; it was answered or never asked")))
            }
        }
    }

    fn meter(&self) -> Meter<'_> {
        Meter { model: self.cost_model, tokenizer: &*self.tokenizer, tools: self.tools }
    }

    fn view(&self, edits: &[Edit]) -> Draft<'_> {
        edit::view(&self.messages, &self.counts, edits, self.meter(), self.origin)
    }

    fn budget(&self, draft: &Draft) -> Budget {
        let totals = draft.after();
        // Somebody who compacts what fits wants it smaller than it is, not smaller than the window.
        Budget::new(self.options.budget.min(totals.total), totals.frame + totals.tools)
    }

    fn start(&mut self) -> State {
        let draft = self.view(&[]);
        let total = draft.total();
        if total <= self.options.budget && !self.options.force {
            return self.done(self.finished(draft, Status::Unchanged, vec![], vec![]));
        }
        let groups = groups(&draft);
        let budget = self.budget(&draft);
        let pinned = |group: &crate::history::group::Group| {
            group.entries.iter().any(|&i| self.options.keep.contains(&draft.entries[i].message.id))
        };
        let cut = cut::choose(&draft, &groups, budget.keep_recent, pinned).filter(|cut| {
            cut.covered.iter().map(|&at| groups[at].entries.len()).sum::<usize>() >= MIN_COVERED && budget.summary > 0
        });
        let Some(cut) = cut else {
            let why = "fewer than two messages could be covered";
            let step = skipped("summary", total, why);
            if total <= self.options.budget {
                return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
            }
            return self.done(self.fit(vec![], vec![step], None));
        };
        let entries: Vec<usize> = cut.covered.iter().flat_map(|&at| groups[at].entries.iter().copied()).collect();
        let covered = Covered {
            ids: entries.iter().map(|&i| draft.entries[i].message.id.clone()).collect(),
            tokens: entries.iter().map(|&i| draft.entries[i].after).sum(),
        };
        let limit = self.options.model_limit.unwrap_or(self.options.budget);
        if !self.options.has_model || limit < LEAST_ROOM {
            return self.done(self.offline(&covered, None));
        }
        let kept = groups[cut.boundary..].iter().map(|g| g.entries.len()).sum();
        let wanted = Wanted {
            max_tokens: budget.summary,
            focus: self.options.focus.as_deref(),
            has_earlier: request::begins_with_summary(&draft, &groups, &cut.covered, SUMMARY_TAG),
            kept,
        };
        let model = request::request(&draft, &groups, &cut.covered, &wanted, limit, &*self.tokenizer);
        self.calls = 1;
        self.prompt_tokens = model.prompt_tokens;
        State::Asked { ask: Box::new(Ask { id: 0, effect: Effect::CallModel(model) }), covered }
    }

    fn answered(&mut self, answer: Answer, covered: Covered) -> State {
        let (status, why) = match answer {
            Answer::Cancelled => {
                // Nobody waits for a result any more, so nothing is tried in its place.
                let report = self.model_report(Some("cancelled".into()));
                let result = self.untouched(Status::Cancelled, "cancelled", report);
                return self.done(result);
            }
            Answer::Failed { reason, kind: Failure::Timeout } => (Status::Timeout, reason),
            Answer::Failed { reason, kind: Failure::Error } => (Status::ModelFailed, reason),
            Answer::Model { text, finish_reason } => match parse(&text) {
                Ok(parsed) => {
                    let report = self.model_report(None);
                    let budget = self.budget(&self.view(&[]));
                    let max = (budget.summary as f64 * OVERLONG) as u64;
                    let text = check::trim(&parsed.text, max, &*self.tokenizer);
                    match self.apply(&text, Author::Model, &covered, &self.ledger(&covered.ids)) {
                        Ok((edit, shown)) => {
                            let step = self.summary_step(&edit, "the model's summary");
                            let made = Made { covered, text, shown, model: Some(report) };
                            let result = self.fit(vec![edit], vec![step], Some(made));
                            return self.done(result);
                        }
                        Err((status, why)) => (status, why),
                    }
                }
                Err(unusable) => {
                    let called =
                        finish_reason.is_some_and(|r| ["tool_calls", "tool_use", "function_call"].contains(&&*r));
                    match unusable {
                        _ if called => {
                            (Status::ToolCallInstead, "the model called a tool instead of answering".to_string())
                        }
                        Unusable::Empty => (Status::EmptySummary, "the model's summary is empty".to_string()),
                        Unusable::NoTag => (Status::NoSummaryTag, "the reply holds no <summary> block".to_string()),
                    }
                }
            },
        };
        let again = matches!(status, Status::EmptySummary | Status::NoSummaryTag | Status::ToolCallInstead);
        if again && self.calls < ATTEMPTS {
            return self.ask_again(covered, &why);
        }
        let report = self.model_report(Some(why.clone()));
        if self.options.offline_on_failure {
            return self.done(self.offline(&covered, Some((report, why))));
        }
        let result = self.untouched(status, &why, report);
        self.done(result)
    }

    /// The same request once more, with a word on what was wrong.
    fn ask_again(&mut self, covered: Covered, why: &str) -> State {
        let calls = self.calls;
        let spent = self.prompt_tokens;
        match self.start() {
            State::Asked { mut ask, .. } => {
                let Effect::CallModel(model) = &mut ask.effect;
                model.prompt.push_str(&format!(
                    "\n\nYour last answer could not be used: {why}. Answer with text only, call no tool, and put the record into one \
                     <summary>...</summary> block."
                ));
                model.prompt_tokens = self.tokenizer.count(&model.system) + self.tokenizer.count(&model.prompt);
                ask.id = calls as u32;
                self.calls = calls + 1;
                self.prompt_tokens = spent + model.prompt_tokens;
                State::Asked { ask, covered }
            }
            other => other,
        }
    }

    fn offline(&self, covered: &Covered, after: Option<(ModelReport, String)>) -> Result<Compacted> {
        let draft = self.view(&[]);
        let total = draft.total();
        let budget = self.budget(&draft);
        let ledger = self.ledger(&covered.ids);
        let text = offline::offline(&ledger, budget.summary, &*self.tokenizer);
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
            Ok((edit, shown)) => {
                let mut step = self.summary_step(&edit, "a summary made by rules");
                step.step = "offline";
                steps.push(step);
                self.fit(vec![edit], steps, Some(Made { covered: covered.clone(), text, shown, model: report }))
            }
            Err((_, why)) => {
                steps.push(StepReport {
                    step: "offline",
                    outcome: Outcome::NoGain,
                    tokens_before: total,
                    tokens_after: total,
                    why,
                });
                if total <= self.options.budget {
                    return Ok(Compacted { model: report, ..self.finished(draft, Status::NoGain, vec![], steps)? });
                }
                let done = self.fit(vec![], steps, None)?;
                Ok(Compacted { model: report, ..done })
            }
        }
    }

    fn ledger(&self, ids: &[String]) -> Ledger {
        let ids: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let covered = self.messages.iter().filter(|m| ids.contains(m.id.as_str()));
        let mut ledger = Ledger::fold(covered, &self.options.rules);
        let is_request = |m: &&Message| m.role == Role::User && !m.text().trim().is_empty();
        ledger.current = self
            .messages
            .iter()
            .rev()
            .find(is_request)
            .filter(|m| !ids.contains(m.id.as_str()))
            .map(|m| (m.id.clone(), m.text()));
        ledger
    }

    /// The edit that puts a summary in the place of the covered messages, if that is worth it.
    fn apply(
        &self,
        text: &str,
        author: Author,
        covered: &Covered,
        ledger: &Ledger,
    ) -> std::result::Result<(Edit, Vec<Shown>), (Status, String)> {
        let draft = self.view(&[]);
        let budget = self.budget(&draft);
        // A long request takes room that the arithmetic of shares does not know of, and lines of the ledger are not worth a tail
        // that has to go for them. If the request has to be shortened anyway, it is shortened a little more.
        let limits = Limits { budget: self.options.budget, keep: self.options.keep.clone(), ..Limits::default() };
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let must: u64 = prune::must_keep(&draft, &limits)
            .into_iter()
            .map(|i| &draft.entries[i])
            .filter(|entry| !ids.contains(entry.message.id.as_str()))
            .map(|entry| entry.after)
            .sum();
        let text_and_users = self.tokenizer.count(text) + budget.user;
        let room = self.options.budget.saturating_sub(draft.total().saturating_sub(covered.tokens));
        let for_entries = if must + text_and_users + budget.ledger > self.options.budget {
            budget.entries
        } else {
            room.saturating_sub(text_and_users).max(budget.ledger)
        };
        // Never so much that the record would not be worth making.
        let shares = Shares {
            user: budget.user.min(covered.tokens / 5),
            ledger: budget.ledger,
            entries: budget.entries.min(for_entries).min(covered.tokens * 2 / 5),
        };
        let covering = Covering {
            messages: covered.ids.len(),
            tokens: covered.tokens,
            first: covered.ids.first().map_or("", String::as_str),
            last: covered.ids.last().map_or("", String::as_str),
        };
        let (message, shown) = summary::message("e0:summary".into(), text, ledger, covering, shares, &*self.tokenizer);
        let tokens = self.meter().message(&message);
        if tokens >= covered.tokens {
            let why = format!("the summary has {tokens} tokens, what it stands for {}", covered.tokens);
            return Err((Status::Inflated, why));
        }
        // Behind the frame and in front of everything that stays: what happened before the carried messages reads first.
        let before =
            draft.entries.iter().find(|e| e.is_in() && !e.message.role.is_frame()).map(|e| e.message.id.clone());
        let freed = covered.tokens - tokens;
        let least = (covered.tokens as f64 * MIN_GAIN_OF_COVERED) as u64;
        if freed < least.max(budget.min_gain) {
            let why =
                format!("the summary would free {freed} tokens, at least {} are asked for", least.max(budget.min_gain));
            return Err((Status::NoGain, why));
        }
        let edit = Edit {
            id: "e0".into(),
            kind: Kind::ReplaceRange,
            targets: covered.ids.clone(),
            rule: "summary",
            author,
            tokens_before: covered.tokens,
            tokens_after: tokens,
            message: Some(message),
            before,
            texts: vec![],
        };
        Ok((edit, shown))
    }

    fn summary_step(&self, edit: &Edit, what: &str) -> StepReport {
        StepReport {
            step: "summary",
            outcome: Outcome::Applied,
            tokens_before: self.view(&[]).total(),
            tokens_after: self.view(std::slice::from_ref(edit)).total(),
            why: format!("{what} stands for {} messages", edit.targets.len()),
        }
    }

    /// The last step: prune what is left, shorten what must stay, so that the result is on budget.
    fn fit(&self, mut edits: Vec<Edit>, mut steps: Vec<StepReport>, made: Option<Made>) -> Result<Compacted> {
        let mut draft = self.view(&edits);
        let before = draft.total();
        let limits = Limits { budget: self.options.budget, keep: self.options.keep.clone(), ..Limits::default() };
        let mut reductions = [reduce::results as Reduction, reduce::requests].into_iter();
        let why = loop {
            match prune::fit(&mut draft, &limits) {
                Ok(()) => break "what still did not fit was pruned, oldest first",
                Err(error) => {
                    let Some(needed) = error.budget.as_ref().map(|b| b.needed) else { return Err(error) };
                    let must = prune::must_keep(&draft, &limits);
                    // Enough that the tail stays as well: a giant paste must not push out the latest work.
                    let wanted = draft.total().min(needed + self.budget(&draft).keep_recent);
                    let over = wanted.saturating_sub(self.options.budget);
                    let Some(edit) =
                        reductions.find_map(|reduce| reduce(&draft, &must, over, format!("e{}", edits.len())))
                    else {
                        return Err(error);
                    };
                    edit::apply(&mut draft, &edit);
                    edits.push(edit);
                }
            }
        };
        let dropped: Vec<_> = draft.removed.iter().filter(|r| prune::is_prune_rule(r.rule)).cloned().collect();
        for removal in dropped {
            edits.push(Edit {
                id: format!("e{}", edits.len()),
                kind: Kind::Drop,
                targets: removal.ids,
                rule: removal.rule,
                author: Author::Rule,
                tokens_before: removal.tokens,
                tokens_after: 0,
                message: None,
                before: None,
                texts: vec![],
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
        let Some(Made { covered, text, shown, model }) = made else {
            return self.finished(draft, Status::Applied, edits, steps);
        };
        let quality = self.quality(&draft, &covered, &edits, &text);
        Ok(Compacted {
            summary: Some(text),
            covered: covered.ids,
            ledger: shown,
            quality: Some(quality),
            model,
            ..self.finished(draft, Status::Applied, edits, steps)?
        })
    }

    /// What of the history the result still holds.
    fn quality(&self, draft: &Draft, covered: &Covered, edits: &[Edit], text: &str) -> Quality {
        let view: Vec<Message> =
            draft.entries.iter().filter(|e| e.is_in()).map(|e| e.message.clone().into_owned()).collect();
        let edit = edits.first();
        // What rules extract cannot be invented.
        let summary = edit.filter(|edit| edit.author == Author::Model).map(|_| text);
        let report = quality(&self.messages, &view, &self.options.rules, summary, &*self.tokenizer);
        let (before, after) = (draft.before().total, draft.after().total);
        let size = Size {
            before,
            after,
            freed: before.saturating_sub(after),
            headroom: self.options.budget.saturating_sub(after),
            covered: covered.tokens,
            summary: edit.map_or(0, |edit| edit.tokens_after),
            prompt: self.prompt_tokens,
        };
        Quality { size: Some(size), boundary: self.boundary(covered), ..report }
    }

    fn boundary(&self, covered: &Covered) -> Option<Boundary> {
        let map = ToolMap::new(self.options.rules.tools.clone());
        let last = covered.ids.last()?;
        let at = self.messages.iter().position(|m| m.id == *last)?;
        let kinds = |message: &Message| -> Vec<ToolKind> {
            let calls = message.parts.iter().filter_map(|part| match part {
                Part::ToolCall { name, arguments, .. } => Some(map.read(name, arguments).kind),
                _ => None,
            });
            calls.collect()
        };
        let before = self.messages[..=at].iter().rev().map(kinds).find(|kinds| !kinds.is_empty()).unwrap_or_default();
        let after = self.messages[at + 1..].iter().map(kinds).find(|kinds| !kinds.is_empty()).unwrap_or_default();
        Some(Boundary {
            tail: self.counts[at + 1..].iter().sum(),
            target: self.budget(&self.view(&[])).keep_recent,
            between_edit_and_check: before.iter().any(|k| matches!(k, ToolKind::Edit | ToolKind::Write))
                && after.contains(&ToolKind::Shell),
        })
    }

    fn model_report(&self, error: Option<String>) -> ModelReport {
        ModelReport { calls: self.calls, prompt_tokens: self.prompt_tokens, error }
    }

    /// The conversation exactly as it came.
    fn untouched(&self, status: Status, why: &str, model: ModelReport) -> Result<Compacted> {
        let draft = Draft::with_counts(&self.messages, &self.counts, self.meter(), self.origin);
        let total = draft.total();
        let step = StepReport {
            step: "summary",
            outcome: Outcome::Failed,
            tokens_before: total,
            tokens_after: total,
            why: why.to_string(),
        };
        Ok(Compacted { model: Some(model), ..self.finished(draft, status, vec![], vec![step])? })
    }

    fn finished(&self, draft: Draft, status: Status, edits: Vec<Edit>, steps: Vec<StepReport>) -> Result<Compacted> {
        Ok(Compacted {
            status,
            plan: draft.plan(),
            before: draft.before(),
            after: draft.after(),
            origin: draft.origin,
            messages: draft.fates(),
            removed: draft.removed,
            edits,
            steps,
            summary: None,
            covered: vec![],
            ledger: vec![],
            quality: None,
            model: None,
        })
    }

    fn done(&self, result: Result<Compacted>) -> State {
        State::Done(Box::new(result))
    }
}

fn skipped(step: &'static str, total: u64, why: &str) -> StepReport {
    StepReport { step, outcome: Outcome::Skipped, tokens_before: total, tokens_after: total, why: why.into() }
}
