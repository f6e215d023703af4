//! One compaction as a state machine: plan, ask, apply. Planning and applying are pure; only the host waits.
//!
//! In: messages or a log, with options. Out: edits, messages and a report; in between, effects for the host. Start
//! reading at [`Compaction::poll`].

mod aim;
mod apply;
mod ask;
mod cover;
mod fit;
mod hand_over;
mod ledger;
mod measure;
mod record;
mod stages;
mod start;
mod thinking;
mod work;

use std::cell::OnceCell;
use std::rc::Rc;

use stages::{Continuation, Pending, SummarySource};

use crate::compact::asking::{Asked, HookReport, Verify};
use crate::compact::budget::Budget;
use crate::compact::check::Gaps;
use crate::compact::context::{BlockReport, FileReport};
use crate::compact::form;
use crate::compact::held::{Held, Known, Remembering};
use crate::compact::instructions::Wanted;
use crate::compact::ledger::Ledger;
use crate::compact::ledger::gist::Gists;
use crate::compact::ledger::render::Block;
use crate::compact::models::{KEEP_GOING, Traits};
use crate::compact::parse::{Unusable, parse_as};
use crate::compact::profile::{self, CutAt, ForkRule, Rung};
use crate::compact::quality::{Boundary, Cache, Quality, Size, measured};
use crate::compact::steps::scene::Scene;
use crate::compact::steps::{Ground, climb};
use crate::compact::summary::{Blocks, Covering, Extras, Shares, Shown};
use crate::compact::{Compacted, ModelReport, Options, Outcome, Status, StepReport};
use crate::compact::{check, cut, offline, reduce, request, steps, summary};
use crate::effect::{Answer, Ask, Effect, Failure, Purpose, Reduced, Shape, Step};
use crate::error::{Code, Error, Result};
use crate::history::draft::{Draft, Entry, Meter};
use crate::history::edit::{self, Author, Edit, Kind, Target};
use crate::history::group::{self, Group, groups};
use crate::history::log::{Log, Pinned};
use crate::history::mend::{Mended, mend};
use crate::history::opening::{Opening, opening};
use crate::history::pairs::repair;
use crate::history::plan::Fate;
use crate::history::prune::{self, Limits};
use crate::history::record::Records;
use crate::map::HashSet;
use crate::message::tool_map::Mark;
use crate::message::{Message, Part, Role};
use crate::tokens::{CostModel, Origin, Tokenizer};

/// Minimum room in tokens for showing a model anything useful of a history.
const MIN_ROOM: u64 = 1_000;
/// Divisor of the budget: the environment turn of another system stays if it costs at most the quotient.
const ENVIRONMENT_DIVISOR: u64 = 10;

/// See the module. Create it, poll it, answer its effects, poll again; dropping it loses no data of the caller.
pub struct Compaction {
    messages: Vec<Rc<Message>>,
    counts: Vec<u64>,
    /// Cached knowledge about each message.
    known: Rc<[Rc<Known>]>,
    /// What the messages say, read once for all ledgers of this plan, which refer to it weakly.
    gists: Rc<Gists>,
    /// True if the messages need no repair.
    is_sound: bool,
    /// Computed when it is first needed.
    whole_budget: OnceCell<Budget>,
    origin: Origin,
    tools: u64,
    cost_model: CostModel,
    tokenizer: Rc<dyn Tokenizer>,
    options: Options,
    state: State,
    /// The results of the cheap steps.
    cheap: CheapSteps,
    /// True if the conversation, as its provider takes it, exceeds the budget.
    exceeds: bool,
    /// True if the result fills its budget with the working set beside the newest messages and keeps no room for later
    /// turns.
    fills: bool,
    /// The number of the next effect.
    next_id: u32,
    calls: usize,
    prompt_tokens: u64,
    asked: Vec<Asked>,
    /// True if a plan was made and the host's hook was called.
    is_planned: bool,
    /// Paragraphs and blocks of the host, including those from its hook.
    additions: Vec<String>,
    blocks: Vec<crate::effect::Block>,
    /// The blocks beside the summary.
    extras: Extras,
    hooks: Vec<HookReport>,
    files: Vec<FileReport>,
    block_reports: Vec<BlockReport>,
    /// The bounds of a chosen range.
    range: Option<cover::Range>,
    /// The record in the messages, and the messages that it replaced.
    behind: Option<ReplacedRecord>,
    /// Ids of the messages in the environment turn of another system at the start; they stay there.
    environment: Vec<String>,
    /// The messages of a log as they were appended.
    history: Option<Vec<Rc<Message>>>,
    held: Rc<Held>,
}

/// A record in the messages, and the messages that it replaced.
struct ReplacedRecord {
    /// Id of the record.
    id: String,
    messages: Vec<Rc<Message>>,
}

enum State {
    Start,
    /// Effects wait for answers; after the last answer the next poll continues.
    Asked(Box<Pending>),
    Done(Box<Result<Compacted>>),
}

/// The messages that the summary replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Covered {
    /// Their ids, in order.
    ids: Vec<String>,
    /// Their tokens after the cheap steps.
    tokens: u64,
    /// Their original tokens.
    was: u64,
}

/// The results of the steps before the summary.
#[derive(Debug, Clone, Default)]
struct CheapSteps {
    edits: Vec<Edit>,
    steps: Vec<StepReport>,
    /// Tokens of the view under these edits.
    total: u64,
}

/// Why the model wrote no usable summary, as a status and as text for people.
type Failed = (Status, String);

/// A finished summary: the messages that it replaces, its text, the use of the ledger, the model's part.
struct FinishedSummary {
    covered: Covered,
    text: String,
    shown: Vec<Shown>,
    /// Tokens of the record that only fill free room.
    spare: u64,
    /// Tokens of the record for which long texts of the newest round are shortened.
    crowd: u64,
    model: Option<ModelReport>,
}

/// The edit that inserts a summary, and what it shows of the ledger.
struct Placed {
    edit: Edit,
    shown: Vec<Shown>,
    /// See [`FinishedSummary`].
    spare: u64,
    crowd: u64,
}

/// The way in which messages were counted.
pub struct Counted {
    /// The worst origin of any count.
    pub origin: Origin,
    /// Tokens of the tool definitions.
    pub tools: u64,
    pub cost_model: CostModel,
    pub tokenizer: Rc<dyn Tokenizer>,
}

impl Compaction {
    /// Counts the messages. `tools` are the tokens of the tool definitions.
    pub fn new(
        messages: Vec<Message>,
        tools: u64,
        cost_model: CostModel,
        tokenizer: Rc<dyn Tokenizer>,
        origin: Origin,
        options: Options,
    ) -> Compaction {
        let Options { by_items, provider, .. } = options;
        let meter = Meter { model: cost_model, tokenizer: &*tokenizer, tools, by_items, provider };
        let draft = Draft::new(&messages, meter, origin);
        let counts: Vec<u64> = draft.entries.iter().map(|entry| entry.before).collect();
        let counted = Counted { origin: draft.origin, tools, cost_model, tokenizer: Rc::clone(&tokenizer) };
        drop(draft);
        let messages = messages.into_iter().map(Rc::new).collect();
        Compaction::of_held(messages, counts, counted, Rc::default(), options)
    }

    /// Creates a compaction of messages with known counts. It reuses what earlier compactions with `held` computed
    /// about them.
    pub fn of_held(
        messages: Vec<Rc<Message>>,
        counts: Vec<u64>,
        counted: Counted,
        held: Rc<Held>,
        options: Options,
    ) -> Compaction {
        let Options { by_items, provider, .. } = options;
        let Counted { origin, tools, cost_model: model, tokenizer } = &counted;
        let meter = Meter { model: *model, tokenizer: &**tokenizer, tools: *tools, by_items, provider };
        let all = messages.iter().map(|message| &**message);
        let opening = opening(all.clone(), None);
        let mut draft = Draft::with_counts(all, &counts, meter, *origin);
        repair(&mut draft);
        let is_sound = draft.removed.is_empty() && draft.entries.iter().all(|entry| entry.fate == Fate::Kept);
        drop(draft);
        Compaction::with_counts(messages, counts, is_sound, counted, held, options).with_opening(opening)
    }

    /// Creates a compaction from known counts, one for each message; `counted` has the lowest origin of them.
    fn with_counts(
        messages: Vec<Rc<Message>>,
        counts: Vec<u64>,
        is_sound: bool,
        Counted { origin, tools, cost_model, tokenizer }: Counted,
        held: Rc<Held>,
        options: Options,
    ) -> Compaction {
        let known = held.begin(&messages, &options.rules);
        let gists = held.gists(&known, &options.rules);
        let tokenizer = Rc::new(Remembering { inner: tokenizer, held: Rc::clone(&held) });
        Compaction {
            messages,
            counts,
            known,
            gists,
            is_sound,
            whole_budget: OnceCell::new(),
            origin,
            tools,
            cost_model,
            tokenizer,
            options,
            state: State::Start,
            cheap: CheapSteps::default(),
            exceeds: false,
            fills: false,
            next_id: 0,
            calls: 0,
            prompt_tokens: 0,
            asked: vec![],
            is_planned: false,
            additions: vec![],
            blocks: vec![],
            extras: Extras::default(),
            hooks: vec![],
            files: vec![],
            block_reports: vec![],
            range: None,
            held,
            behind: None,
            environment: vec![],
            history: None,
        }
    }

    /// Takes into account how the messages begin if another system compacted them. A large environment turn is treated
    /// like any other message.
    fn with_opening(mut self, opening: Opening) -> Compaction {
        let records = std::mem::take(&mut self.options.rules.records);
        self.options.rules.records = records.with(opening.record);
        let at = |id: &String| self.messages.iter().position(|message| message.id == *id);
        let tokens: u64 = opening.environment.iter().filter_map(at).map(|at| self.counts[at]).sum();
        if tokens <= self.options.budget / ENVIRONMENT_DIVISOR {
            self.options.keep.extend(opening.environment.iter().cloned());
            self.environment = opening.environment;
        }
        self
    }

    /// Creates a compaction of the view of a log. It reuses counts and what earlier compactions computed about the
    /// messages, so that nothing is counted or read again; texts are shared with the log. Facts behind the first
    /// record of the view come from the messages that it replaced, not from the record's text.
    pub fn of_log(log: &Log, mut options: Options) -> Compaction {
        let counting = log.counting();
        (options.by_items, options.provider) = (counting.by_items, counting.provider);
        // The view shows pinned content, whatever an edit covers. Pinned messages stay in place; pinned parts of
        // covered messages are added.
        for Pinned { pin, tokens, .. } in log.pins().into_iter().filter(|pinned| !pinned.rewound) {
            match (pin.message, pin.part) {
                (Some(message), None) => drop(options.keep.insert(message)),
                (Some(_), Some(_)) => options.budget = options.budget.saturating_sub(tokens),
                (None, _) => {}
            }
        }
        let (messages, counts) = log.counted_messages();
        // Messages that the log inserted are records; any other message that looks like one is a text.
        let inserted = messages.iter().filter(|message| log.has_summary(&message.id));
        options.rules.records = Records::Only(inserted.map(|message| message.id.clone()).collect());
        let opening = log.opening();
        let first = messages.iter().find(|message| log.has_summary(&message.id));
        let behind = first.and_then(|record| {
            let messages = log.behind(&record.id)?;
            Some(ReplacedRecord { id: record.id.clone(), messages })
        });
        let (tools, cost_model, tokenizer) = (counting.tools, counting.model, Rc::clone(&counting.tokenizer));
        let counted = Counted { origin: log.origin(), tools, cost_model, tokenizer };
        // The view of a log is already repaired.
        let compaction = Compaction::with_counts(messages, counts, true, counted, log.beside(), options);
        Compaction { behind, history: Some(log.history()), ..compaction.with_opening(opening) }
    }

    /// What the messages say. The next compaction of the same messages reads them anew unless somebody keeps this.
    pub fn gists(&self) -> Rc<Gists> {
        Rc::clone(&self.gists)
    }

    /// Advances the compaction; returns effects or the result. Polling again without an answer returns the same
    /// effects.
    ///
    /// # Errors
    /// [`Code::BudgetExceeded`] if even the shortest form of what must stay is too large.
    pub fn poll(&mut self) -> Result<Step<Compacted>> {
        loop {
            let state = std::mem::replace(&mut self.state, State::Start);
            self.state = match state {
                State::Start => self.start(),
                State::Asked(pending) if pending.is_answered() => self.handle_answers(*pending),
                other => other,
            };
            match &self.state {
                State::Asked(pending) if !pending.is_answered() => return Ok(Step::Ask { effects: pending.open() }),
                State::Done(result) => return (**result).clone().map(|result| Step::Done { result }),
                // All effects are answered, or none was requested: continue.
                State::Start | State::Asked(_) => {}
            }
        }
    }

    /// Accepts the answer to an effect.
    ///
    /// # Errors
    /// [`Code::UnknownEffect`] if no effect with this number is open; then nothing changes.
    pub fn resume(&mut self, id: u32, answer: Answer) -> Result<()> {
        let is_open = match &mut self.state {
            State::Asked(pending) => pending.answer(id, answer),
            State::Start | State::Done(_) => false,
        };
        if is_open {
            return Ok(());
        }
        Err(Error::new(
            Code::UnknownEffect,
            format!("effect {id} is not open; it was already answered or never requested"),
        ))
    }

    fn meter(&self) -> Meter<'_> {
        let Options { by_items, provider, .. } = self.options;
        Meter { model: self.cost_model, tokenizer: &*self.tokenizer, tools: self.tools, by_items, provider }
    }

    fn view(&self, edits: &[Edit]) -> Draft<'_> {
        let messages = self.messages.iter().map(|message| &**message);
        let mut draft = edit::view(messages, &self.counts, edits, self.meter(), self.origin, self.is_sound);
        draft.mark_records(&self.options.rules.records);
        draft
    }

    fn ground<'a>(&'a self, budget: &'a Budget) -> Ground<'a> {
        Ground { options: &self.options, budget, known: &self.known }
    }

    /// Returns the budget of the whole conversation.
    fn whole_budget(&self) -> Budget {
        *self.whole_budget.get_or_init(|| self.budget(&self.view(&[])))
    }

    fn budget(&self, draft: &Draft) -> Budget {
        let totals = draft.after();
        // A compaction of messages that fit should make them smaller than they are, not smaller than the window.
        let limit = self.options.budget.min(totals.total);
        Budget::of(limit, totals.frame + totals.tools, &self.options.profile, self.target())
    }

    /// Returns the target of the result, as a share of what messages may use.
    fn target(&self) -> f64 {
        let shares = &self.options.profile.shares;
        let own = if self.exceeds { shares.target } else { shares.ongoing };
        self.options.target_share.unwrap_or(own)
    }

    /// Returns the budget of the whole window, whatever part of it is in use.
    fn window(&self, draft: &Draft) -> Budget {
        let totals = draft.after();
        Budget::of(self.options.budget, totals.frame + totals.tools, &self.options.profile, self.target())
    }

    /// Returns the tokens of a draft in the form that its provider takes.
    fn written_total(&self, draft: &Draft) -> u64 {
        let receiver = self.options.receiver.as_ref();
        receiver.map_or(draft.total(), |receiver| mend(draft, receiver).after.total)
    }

    /// Returns the view under the edits of the cheap steps.
    fn cheap_view(&self) -> Draft<'_> {
        self.view(&self.cheap.edits)
    }

    fn model_report(&self, failed: Option<Failed>) -> ModelReport {
        let (failure, error) = failed.unzip();
        let asked = self.asked.clone();
        let used = asked.iter().filter(|asked| asked.error.is_none() && asked.purpose != Purpose::Verify);
        let reduced = used.fold(Reduced::default(), |sum, asked| sum.and(asked.reduced));
        ModelReport {
            calls: self.calls,
            prompt_tokens: self.prompt_tokens,
            asked,
            reduced,
            gaps: vec![],
            failure,
            error,
        }
    }

    /// Returns the conversation unchanged.
    fn unchanged(&self, status: Status, why: &str, model: Option<ModelReport>) -> Result<Compacted> {
        let messages = self.messages.iter().map(|message| &**message);
        let draft = Draft::with_counts(messages, &self.counts, self.meter(), self.origin);
        let total = draft.total();
        let step = StepReport {
            step: "summary",
            outcome: if status == Status::Skipped { Outcome::Skipped } else { Outcome::Failed },
            tokens_before: total,
            tokens_after: total,
            why: why.to_string(),
        };
        Ok(Compacted { model, ..self.finished(draft, status, vec![], vec![step])? })
    }

    fn finished(&self, draft: Draft, status: Status, edits: Vec<Edit>, steps: Vec<StepReport>) -> Result<Compacted> {
        // The fit takes the provider's rules into account itself; a cancelled conversation comes back as it was.
        let is_left = !matches!(status, Status::Applied | Status::Cancelled);
        let receiver = self.options.receiver.as_ref().filter(|_| is_left);
        let mended = receiver.map(|receiver| mend(&draft, receiver));
        let finished = Compacted {
            status,
            plan: draft.plan(),
            before: draft.before(),
            after: draft.after(),
            origin: draft.origin,
            messages: draft.fates(),
            removed: draft.removed,
            edits,
            steps,
            repair: None,
            summary: None,
            title: None,
            covered: vec![],
            grown: self.range.as_ref().map_or(vec![], |range| range.grown.clone()),
            record: None,
            low_headroom: false,
            aim: None,
            ledger: vec![],
            quality: None,
            model: None,
            hooks: self.hooks.clone(),
            files: self.files.clone(),
            blocks: self.block_reports.clone(),
        };
        Ok(finished.mended(mended))
    }

    fn done(&self, result: Result<Compacted>) -> State {
        State::Done(Box::new(result))
    }
}

fn skipped(step: &'static str, total: u64, why: &str) -> StepReport {
    StepReport::same(step, Outcome::Skipped, total, why.into())
}
