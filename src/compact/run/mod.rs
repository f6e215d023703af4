//! One compaction as a state machine: plan, ask, apply. Planning and applying are pure; only the host waits.

mod apply;
mod ask;
mod start;

use std::collections::HashSet;
use std::rc::Rc;

use crate::compact::budget::{Budget, OVERLONG};
use crate::compact::instructions::Wanted;
use crate::compact::ledger::Ledger;
use crate::compact::parse::{Unusable, parse};
use crate::compact::profile::{Form, Rung};
use crate::compact::quality::{Boundary, Quality, Size, quality};
use crate::compact::steps::scene::Scene;
use crate::compact::steps::{Ground, climb};
use crate::compact::summary::{Covering, Shares, Shown};
use crate::compact::tool_map::{ToolKind, ToolMap};
use crate::compact::{Compacted, ModelReport, Options, Outcome, Status, StepReport};
use crate::compact::{check, cut, offline, reduce, request, steps, summary};
use crate::effect::{Answer, Ask, Effect, Failure, Step};
use crate::error::{Code, Error, Result};
use crate::history::draft::{Draft, Meter};
use crate::history::edit::{self, Author, Edit, Kind};
use crate::history::group::{Group, groups};
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
    /// What the cheap steps came to.
    cheap: Cheap,
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
    /// As they stand after the cheap steps.
    tokens: u64,
    /// As they came.
    was: u64,
}

/// What the steps before the summary came to.
#[derive(Debug, Clone, Default)]
struct Cheap {
    edits: Vec<Edit>,
    steps: Vec<StepReport>,
    /// Tokens of the view under these edits.
    total: u64,
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
            cheap: Cheap::default(),
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
        let limit = self.options.budget.min(totals.total);
        Budget::of(limit, totals.frame + totals.tools, &self.options.profile)
    }

    /// The view under the edits of the cheap steps, but for those that a summary of `covered` hides.
    fn cheap_view(&self) -> Draft<'_> {
        self.view(&self.cheap.edits)
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
    StepReport::same(step, Outcome::Skipped, total, why.into())
}
