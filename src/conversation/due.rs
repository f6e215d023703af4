//! Decides what is due: a compaction before a request or beside it, a job to wait for, a result to use.

use serde::de::IntoDeserializer;
use serde::de::value::Error as Unknown;
use serde::{Deserialize, Serialize};

use super::backoff::{Backoff, Now, Verdict};
use super::job::{Next, Phase};
use super::{Around, Look, Machine};
use crate::compact::Status;
use crate::compact::asking::Trigger;
use crate::error::Result;
use crate::fnv;
use crate::history::draft::Draft;
use crate::history::edit::Author;
use crate::history::group::groups;
use crate::history::log::Log;
use crate::history::pairs::callers;
use crate::history::plan::Totals;
use crate::history::prune::{Limits, must_keep};
use crate::message::{Part, texts};
use crate::tokens::Origin;
use crate::tool_result::Output;
use crate::validity::pairs::Place;

/// Divisor of the tokens of the newest results: the quotient may be left out instead of a compaction.
const SPARE: u64 = 4;

/// The properties of a log that decide about compactions: its content, and the tokens that it may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Standing {
    originals: usize,
    edits: Vec<usize>,
    limit: u64,
}

/// A request to prepare.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// Number of requests so far, this one included.
    pub requests: u64,
    /// True if compactions start automatically.
    pub is_automatic: bool,
    /// True if only a summary may remove content, so that a compaction is due even if the count alone would not require
    /// one.
    pub must_fit: bool,
    /// True if a compaction was already applied for this request.
    pub is_done: bool,
    /// True if the job is considered; false after the request waited for it or used it.
    pub asks_job: bool,
    /// True if a hook must be called for every compaction, even for one without effect.
    pub has_hook: bool,
}

impl Default for Request {
    fn default() -> Request {
        let (is_automatic, asks_job) = (true, true);
        Request { requests: 0, is_automatic, must_fit: false, is_done: false, asks_job, has_hook: false }
    }
}

/// The steps before a request is sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestStep {
    pub look: Look,
    /// The step for the background job, which precedes everything else.
    pub job: Next<u32>,
    /// A compaction that is due before the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// True if the provider refused the previous request.
    pub is_forced: bool,
}

/// A compaction that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Due {
    pub trigger: Trigger,
    pub verdict: Verdict,
    /// Tokens of the newest results that may be left out instead, beside those that the previous request left out: a
    /// compaction changes everything that the provider has cached. Absent if there must be a compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare: Option<u64>,
}

/// A background job to start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StartJob {
    pub requests: u64,
    /// True if the host's model should be asked, unless it is skipped.
    pub asks_model: bool,
    /// True if rules can write the summary if no model does.
    pub has_rules: bool,
    /// True if a parked result no longer matches the conversation.
    pub is_stale: bool,
    pub has_hook: bool,
}

/// The end of a compaction that was not started manually.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    pub requests: u64,
    /// The public names of how it was made and how it ended, which may be defined by the host.
    #[serde(default)]
    pub made: Option<String>,
    #[serde(default)]
    pub status: String,
    /// The author of the summary that was inserted.
    #[serde(default)]
    pub author: Option<Author>,
    /// True if the model was asked without success.
    #[serde(default)]
    pub has_failed: bool,
    /// True if content would have been lost without it.
    #[serde(default)]
    pub is_needed: bool,
    /// True if it was due before the request that is being prepared.
    #[serde(default)]
    pub is_before_request: bool,
}

impl Machine {
    /// Returns the next request, and what is due before it. `origin` is that of the view's counts.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn request(
        &mut self,
        log: &Log,
        view: Totals,
        origin: Origin,
        around: Around,
        request: Request,
    ) -> Result<RequestStep> {
        self.go_on(log.originals());
        let look = self.look(log, view, origin, around)?;
        let is_forced = self.state.is_refused;
        let next =
            |machine: &mut Machine| machine.state.jobs.at_request(&machine.profile, look.usage.ratio, look.overflows);
        let job = if request.asks_job { next(self) } else { Next::GoOn };
        let due = if job == Next::GoOn { self.due(log, view, &look, request)? } else { None };
        let due = due.map(|due| Due { spare: spare(log, view, &look, around, request, due.trigger), ..due });
        if job == Next::GoOn && due.is_none() {
            (self.state.is_refused, self.state.is_switched) = (false, false);
        }
        Ok(RequestStep { look, job, due, is_forced })
    }

    fn due(&mut self, log: &Log, view: Totals, look: &Look, request: Request) -> Result<Option<Due>> {
        let is_needed = look.overflows || request.must_fit;
        // Profiles without background jobs compact at their limit, before the request.
        let is_due = is_needed || (!self.profile.background && look.starts);
        // A job's summary may be too old to make enough room: if only a summary may remove content, later messages are
        // summarised as well.
        let is_done = request.is_done && !(request.must_fit && look.overflows);
        if !request.is_automatic || !is_due || is_done {
            return Ok(None);
        }
        let trigger = match () {
            () if self.state.is_refused => Trigger::ProviderError,
            () if self.state.is_switched => Trigger::ModelSwitch,
            () if is_needed => Trigger::Overflow,
            () => Trigger::Threshold,
        };
        let verdict = self.verdict(log, view, request.requests, trigger != Trigger::Threshold)?;
        // The same plan gained nothing recently, or there is none: the request must fit by other means.
        let is_idle = verdict == Verdict::Blocked || self.is_idle(log, view, request.has_hook)?;
        Ok((!is_idle).then_some(Due { trigger, verdict, spare: None }))
    }

    /// Decides whether a compaction may be tried. `is_needed` says that content would be lost without it.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn verdict(&mut self, log: &Log, view: Totals, requests: u64, is_needed: bool) -> Result<Verdict> {
        let now = self.now(log, view, requests, is_needed)?;
        let needed = self.now(log, view, requests, true)?;
        let backoff = self.backoff();
        let verdict = backoff.may_try(now);
        // A plan without gain when it is needed has none earlier.
        let is_blocked = !is_needed && verdict != Verdict::Blocked && backoff.may_try(needed) == Verdict::Blocked;
        Ok(if is_blocked { Verdict::Blocked } else { verdict })
    }

    /// Starts a background job, if it is allowed; returns its number, and which author to ask.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn start_job(&mut self, log: &Log, view: Totals, start: StartJob) -> Result<Option<(u32, Verdict)>> {
        let is_free = match self.state.jobs.phase() {
            Phase::Running | Phase::Ready => false,
            Phase::Parked => start.is_stale,
            Phase::Idle | Phase::Failed => true,
        };
        if !is_free {
            return Ok(None);
        }
        let verdict = if start.asks_model { self.verdict(log, view, start.requests, false)? } else { Verdict::Offline };
        let is_forbidden = matches!(verdict, Verdict::NotYet | Verdict::Blocked)
            || (verdict == Verdict::Offline && !start.has_rules)
            || self.is_idle(log, view, start.has_hook)?;
        let job = if is_forbidden { None } else { self.state.jobs.start(|_| true) };
        Ok(job.map(|job| (job, verdict)))
    }

    /// Records that a compaction was applied: until something happens there is nothing more to compact.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn applied(&mut self, log: &Log) -> Result<()> {
        self.state.compacted = Some(self.standing(log)?);
        Ok(())
    }

    /// Records the end of an automatic compaction.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn ended(&mut self, log: &Log, view: Totals, ended: &Ended) -> Result<()> {
        if let Some("nothing_to_compact" | "not_ready") = ended.made.as_deref() {
            self.state.idle = Some((self.standing(log)?, view.tools));
        }
        let status = match ended.status.as_str() {
            // Without a model the result stays the same, as does content that must stay: only more messages justify
            // another attempt.
            "not_ready" | "budget_exceeded" if !self.profile.failure.flag => Some(Status::NoGain),
            "engine_failed" | "count_failed" => Some(Status::ModelFailed),
            name => Status::deserialize(name.into_deserializer()).map_err(|_: Unknown| ()).ok(),
        };
        if ended.is_before_request {
            (self.state.is_refused, self.state.is_switched) = (false, false);
        }
        let now = self.now(log, view, ended.requests, ended.is_needed)?;
        let backoff = self.backoff();
        // The model is skipped after a failure, even if rules wrote a summary.
        if status == Some(Status::Applied) && ended.has_failed && ended.author != Some(Author::Model) {
            backoff.note(Status::ModelFailed, None, now);
        }
        if let Some(status) = status {
            backoff.note(status, ended.author, now);
        }
        Ok(())
    }

    fn backoff(&mut self) -> &mut Backoff {
        let rule = self.profile.failure;
        self.state.backoff.get_or_insert_with(|| Backoff::new(rule))
    }

    /// True if an automatic compaction would have no effect, so that it need not start.
    fn is_idle(&self, log: &Log, view: Totals, has_hook: bool) -> Result<bool> {
        if has_hook && self.profile.hook.on_noop {
            return Ok(false);
        }
        let is_idle = self.counted(log) < self.profile.min_messages.automatic || self.is_compacted(log)?;
        Ok(is_idle || self.state.idle == Some((self.standing(log)?, view.tools)))
    }

    /// True if nothing happened since a compaction was applied.
    pub(super) fn is_compacted(&self, log: &Log) -> Result<bool> {
        Ok(self.state.compacted.is_some() && self.state.compacted == Some(self.standing(log)?))
    }

    /// Returns the number of messages in the view, by the profile's rule.
    pub(super) fn counted(&self, log: &Log) -> usize {
        if self.profile.min_messages.system { log.totals().messages } else { log.spoken() }
    }

    fn standing(&self, log: &Log) -> Result<Standing> {
        let limit = self.limit(0)?.limit;
        Ok(Standing { originals: log.originals(), edits: log.edits_in_force().collect(), limit })
    }

    fn now(&self, log: &Log, view: Totals, requests: u64, is_needed: bool) -> Result<Now> {
        // Identifies a plan by the edits and the model: additional messages do not make it another plan. A plan with a
        // lower minimum gain covers what another one leaves.
        let needed = if is_needed { "/needed" } else { "" };
        let newest = log.newest_summary().unwrap_or_default();
        let plan = format!("{newest}/{}/{}{needed}", self.profile.name, self.state.model.name);
        Ok(Now {
            requests,
            tokens: log.history_totals().total,
            available: self.limit(view.tools)?.limit.saturating_sub(view.frame + view.tools),
            fingerprint: hash(&plan),
        })
    }
}

/// Returns the tokens that a request may leave out of its newest results instead of a compaction: a quarter of them and
/// what the output of their tools can spare, or all if a compaction could not show them whole either.
fn spare(log: &Log, view: Totals, look: &Look, around: Around, request: Request, trigger: Trigger) -> Option<u64> {
    if trigger != Trigger::Overflow || request.must_fit {
        return None;
    }
    let draft = log.draft();
    let groups = groups(&draft);
    let Some(newest) = groups.last().filter(|group| group.is_round() && !group.pending) else { return Some(0) };
    let tokens = |at: &usize| draft.entries[*at].after;
    let is_result =
        |at: &&usize| draft.entries[**at].message.parts.iter().any(|part| matches!(part, Part::ToolResult { .. }));
    let results: u64 = newest.entries.iter().filter(is_result).map(tokens).sum();
    let must_keep: u64 = must_keep(&draft, &Limits::default()).iter().map(tokens).sum();
    let floor = (must_keep + view.tools) as i64 + around.apart;
    Some(if floor > look.budget as i64 { results } else { results / SPARE + spared(&draft, &newest.entries) })
}

/// Returns the tokens of results that reducers leave out.
fn spared(draft: &Draft, entries: &[usize]) -> u64 {
    let calls = callers(draft);
    let part_at = |(entry, part): Place| draft.entries[entry].message.parts.get(part);
    let mut sum = 0;
    for &entry in entries {
        let message = &draft.entries[entry].message;
        for (part, result) in message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = result else { continue };
            let output = Output::of(calls.get(&(entry, part)).and_then(|call| part_at(*call)));
            sum += output.spared(&texts(content), &message.id, draft.meter.tokenizer);
        }
    }
    sum
}

/// FNV-1a of 32 bits over UTF-16 code units, as in stored logs.
fn hash(text: &str) -> u64 {
    u64::from(text.encode_utf16().fold(fnv::START_32, |hash, unit| fnv::add_32(hash, unit.into())))
}
