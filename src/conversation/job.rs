//! The background job: one summary at a time, made beside the conversation.
//!
//! | | idle | running | ready, parked | failed |
//! |---|---|---|---|---|
//! | start | running | refused | refused, or replaced if stale | running |
//! | settle | ignored | its own job: ready or failed; another's: ignored | ignored | ignored |
//! | request | | full: wait | needed: apply; else parked or dropped | |
//! | cancel | | aborted | dropped | idle |
//!
//! Job numbers are never reused, so that a cancelled job cannot settle the next one.

use serde::{Deserialize, Serialize};

use crate::compact::profile::{Early, Profile};

/// The state of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Idle,
    Running,
    Ready,
    /// Ready, and kept because it was not needed yet.
    Parked,
    Failed,
}

/// The step of a request for the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "next", content = "job", rename_all = "camelCase")]
pub enum Next<T> {
    /// Send the request without waiting.
    GoOn,
    /// Wait until the job has settled, then ask again.
    Wait(u32),
    /// Apply this result.
    Apply(T),
    /// The result was not needed yet, and the profile does not keep it.
    Dropped(T),
}

/// The job of a conversation, with a result `T`. Plain data, so that it survives the loss of an engine instance.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Jobs<T> {
    state: State<T>,
    last: u32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State<T> {
    #[default]
    Idle,
    Running(u32),
    Ready(T),
    Parked(T),
    Failed(String),
}

impl<T> Default for Jobs<T> {
    fn default() -> Jobs<T> {
        Jobs { state: State::Idle, last: 0 }
    }
}

impl<T> Jobs<T> {
    /// Returns a state without a job in which numbers continue after `last`: for a stored conversation that is read
    /// again.
    pub fn after(last: u32) -> Jobs<T> {
        Jobs { state: State::Idle, last }
    }

    pub fn phase(&self) -> Phase {
        match self.state {
            State::Idle => Phase::Idle,
            State::Running(_) => Phase::Running,
            State::Ready(_) => Phase::Ready,
            State::Parked(_) => Phase::Parked,
            State::Failed(_) => Phase::Failed,
        }
    }

    /// Returns the reason why the last job failed.
    pub fn error(&self) -> Option<&str> {
        match &self.state {
            State::Failed(why) => Some(why),
            _ => None,
        }
    }

    /// Begins a job and returns its number; `None` if one is running or has an unused result. `is_stale` says whether a
    /// parked result no longer matches the conversation, so that it may be replaced.
    ///
    /// ```
    /// use espalier::conversation::job::{Jobs, Phase};
    /// let mut jobs: Jobs<&str> = Jobs::default();
    /// let first = jobs.start(|_| false).unwrap();
    /// assert_eq!(jobs.start(|_| false), None);
    /// jobs.cancel();
    /// let second = jobs.start(|_| false).unwrap();
    /// assert!(!jobs.settle(first, Ok("late")));
    /// assert!(jobs.settle(second, Ok("a summary")));
    /// assert_eq!((jobs.phase(), jobs.take()), (Phase::Ready, Some("a summary")));
    /// ```
    pub fn start(&mut self, is_stale: impl FnOnce(&T) -> bool) -> Option<u32> {
        match &self.state {
            State::Running(_) | State::Ready(_) => return None,
            State::Parked(result) if !is_stale(result) => return None,
            _ => {}
        }
        self.last += 1;
        self.state = State::Running(self.last);
        Some(self.last)
    }

    /// Records the end of a job. Returns false if it is not the running one: it was cancelled, replaced, or has already
    /// settled.
    pub fn settle(&mut self, job: u32, outcome: Result<T, String>) -> bool {
        if !matches!(self.state, State::Running(running) if running == job) {
            return false;
        }
        self.state = match outcome {
            Ok(result) => State::Ready(result),
            Err(why) => State::Failed(why),
        };
        true
    }

    /// Returns the step for the next request. `ratio` says how full it is, `overflows` that it does not fit.
    pub fn at_request(&mut self, profile: &Profile, ratio: f64, overflows: bool) -> Next<T> {
        match std::mem::take(&mut self.state) {
            State::Running(job) => {
                self.state = State::Running(job);
                let full = overflows || profile.block.is_some_and(|line| ratio >= line);
                if full { Next::Wait(job) } else { Next::GoOn }
            }
            State::Ready(result) | State::Parked(result) if overflows || ratio >= profile.apply_min => {
                Next::Apply(result)
            }
            State::Ready(result) if profile.early == Early::Dropped => Next::Dropped(result),
            State::Ready(result) | State::Parked(result) => {
                self.state = State::Parked(result);
                Next::GoOn
            }
            other => {
                self.state = other;
                Next::GoOn
            }
        }
    }

    /// Removes and returns a result, or removes the failure. A running job continues.
    pub fn take(&mut self) -> Option<T> {
        match std::mem::take(&mut self.state) {
            State::Ready(result) | State::Parked(result) => Some(result),
            State::Running(job) => {
                self.state = State::Running(job);
                None
            }
            State::Idle | State::Failed(_) => None,
        }
    }

    /// Discards the job or its result; returns the number of a job to abort.
    pub fn cancel(&mut self) -> Option<u32> {
        match std::mem::take(&mut self.state) {
            State::Running(job) => Some(job),
            _ => None,
        }
    }
}
