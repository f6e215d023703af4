//! One conversation within its model's window: limits, provider feedback, the background job, back-off and triggers as
//! one machine.
//!
//! In: a log and what happens to its requests (sent, answered, refused, a job started or settled, a compaction ended,
//! another model). Out: how full the next request is, and what is due before it. The host holds timers, signals,
//! promises and results, and the machine's state as data, so that nothing is lost with an instance of the engine.
//!
//! Start with [`Machine::look`], the one question of each step.
//!
//! - `limits`: what a request may have.
//! - `feedback`: what providers say of requests.
//! - `due`: what is due now.
//! - `finish`: the end of a compaction.
//! - [`window`]: the user's threshold and context size.
//! - [`job`]: the background job.
//! - [`backoff`], [`flag`]: when to try again.

pub mod backoff;
mod due;
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
pub use feedback::{OddUsage, Why};
use feedback::{Reported, Tried};
pub use finish::{Finish, Finished};
use job::Jobs;
pub use limits::{Limit, Model, Settings, Source};
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

/// Everything a [`Machine`] remembers: plain data, from which it can be made again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// Of the next request.
    model: Model,
    settings: Settings,
    /// Learned from refusals and odd reports; absent before the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    /// How providers count, by the model's name.
    calibrations: BTreeMap<String, Calibration>,
    /// The newest request under the present model and settings.
    tried: Tried,
    /// Our count of the newest request, under whatever model.
    newest: u64,
    /// The newest report of a server that manages the context by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    managed: Option<Reported>,
    /// The newest request was too large for the provider, and another one is to be made.
    is_refused: bool,
    /// The next request is for another model than the one before.
    is_switched: bool,
    jobs: Jobs<u32>,
    /// Absent until it is first asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff: Option<Backoff>,
    /// The log when a compaction had been applied: without anything new there is nothing to compact.
    #[serde(skip_serializing_if = "Option::is_none")]
    compacted: Option<due::Standing>,
    /// The log, and the tokens of the tools, when an automatic compaction had nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<(due::Standing, u64)>,
}

impl Machine {
    /// A machine that goes on from `state`, with the constants of a profile.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold).
    pub fn new(profile: Profile, state: State) -> Result<Machine> {
        let backoff = state.backoff.map(|backoff| backoff.by_rule(profile.failure));
        let machine = Machine { profile, state: State { backoff, ..state } };
        machine.limit(0).map(|_| machine)
    }

    /// What the machine remembers.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The background job.
    pub fn jobs(&mut self) -> &mut Jobs<u32> {
        &mut self.state.jobs
    }

    /// Continues an earlier session: job numbers go on behind `last`, whose result waits if it `is_ready`.
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
