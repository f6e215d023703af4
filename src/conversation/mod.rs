//! One conversation within its model's window: limits, provider feedback, the background job, back-off and triggers as
//! one machine.
//!
//! In: a log and what happens to its requests (sent, answered, refused, a job started or settled, a compaction ended,
//! another model). Out: how full the next request is, and what is due before it. The host holds timers, signals,
//! promises and results, and the machine's state as data, so that nothing is lost with an instance of the engine.
//!
//! Start reading at [`Machine::step`], which handles every event, and [`Machine::look`], the one question of each step.
//!
//! - [`event`]: what the host reports and asks.
//! - `limits`: the limits of a request.
//! - `feedback`: provider feedback.
//! - `due`: decides what is due.
//! - `finish`: the end of a compaction.
//! - [`window`]: the user's threshold and context size.
//! - [`job`]: the background job.
//! - [`backoff`], [`flag`]: when to try again.

pub mod backoff;
mod due;
pub mod event;
mod feedback;
mod finish;
pub mod flag;
pub mod job;
mod limits;
mod look;
pub mod window;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use backoff::Backoff;
pub use due::{Due, Ended, Request, RequestStep, StartJob};
pub use event::Event;
pub use feedback::{OddUsage, Why};
use feedback::{Reported, Tried};
pub use finish::{Finish, Finished};
use job::Jobs;
pub use limits::{Limit, Model, Settings};
pub use look::{Around, Look, Usage};

use crate::compact::profile::Profile;
use crate::error::Result;
use crate::history::recovery::Recovery;
use crate::tokens::Calibration;

/// See the module.
#[derive(Debug, Clone)]
pub struct Machine {
    profile: Profile,
    state: State,
}

/// The whole state of a [`Machine`]: plain data, from which it can be created again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// The model of the next request.
    model: Model,
    settings: Settings,
    /// Learned from refusals and odd reports; `None` before the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    /// Calibrations of providers, by the model's name.
    calibrations: BTreeMap<String, Calibration>,
    /// The newest request under the current model and settings.
    tried: Tried,
    /// Our count of the newest request, under any model.
    newest: u64,
    /// The newest report of a server that manages the context by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    managed: Option<Reported>,
    /// True if the newest request was too large for the provider, so that another one is needed.
    is_refused: bool,
    /// True if the next request is for another model than the previous one.
    is_switched: bool,
    jobs: Jobs<u32>,
    /// `None` until it is first used.
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff: Option<Backoff>,
    /// The log right after a compaction was applied: without anything new there is nothing to compact.
    #[serde(skip_serializing_if = "Option::is_none")]
    compacted: Option<due::Standing>,
    /// The log, and the tokens of the tools, when an automatic compaction had no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<(due::Standing, u64)>,
}

impl Machine {
    /// Returns a machine that continues from `state`, with the constants of a profile.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold).
    pub fn new(profile: Profile, state: State) -> Result<Machine> {
        let backoff = state.backoff.map(|backoff| backoff.by_rule(profile.failure));
        let machine = Machine { profile, state: State { backoff, ..state } };
        machine.limit(0).map(|_| machine)
    }

    /// Returns the state of the machine.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the background job.
    pub fn jobs(&mut self) -> &mut Jobs<u32> {
        &mut self.state.jobs
    }

    /// Continues an earlier session: job numbers continue after `last`, whose result waits if it `is_ready`.
    pub fn reopen(&mut self, backoff: Option<Backoff>, last: u32, is_ready: bool) {
        self.state.backoff = backoff.map(|backoff| backoff.by_rule(self.profile.failure));
        if let Some(backoff) = &mut self.state.backoff {
            backoff.reset_flag();
        }
        self.state.jobs = Jobs::after(if is_ready { last.saturating_sub(1) } else { last });
        if is_ready && let Some(job) = self.state.jobs.start(|_| false) {
            self.state.jobs.settle(job, Ok(job));
        }
    }
}
