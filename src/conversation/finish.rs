//! The end of a compaction: its edits are recorded in the log, and the machine learns from the outcome.

use serde::{Deserialize, Serialize};

use super::backoff::Backoff;
use super::{Around, Ended, Look, Machine};
use crate::error::{Code, Result};
use crate::history::edit::Edit;
use crate::history::log::entry::{Checkpoint, RecordKind};
use crate::history::log::{Log, Made, Runs};
use crate::history::plan::Totals;
use crate::tokens::Origin;

/// A compaction that ended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finish {
    /// A public name, which may be defined by the host. With `applied` the edits are adopted.
    pub status: String,
    #[serde(default)]
    pub edits: Vec<Edit>,
    #[serde(default)]
    pub made: Made,
    /// The stored summary of the edits, without their ids.
    #[serde(default)]
    pub checkpoint: Option<Checkpoint>,
    pub trigger: String,
    pub plan_id: String,
    #[serde(default)]
    pub job: Option<u32>,
    /// Number of compactions and requests so far.
    pub begun: u64,
    pub requests: u64,
    /// True if it covers the whole log: no message was added since it began.
    #[serde(default)]
    pub is_whole: bool,
    /// The effect of an automatic compaction on the next one.
    #[serde(default)]
    pub ended: Option<Ended>,
}

/// The result of finishing a compaction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    pub status: String,
    /// The reason why the edits were not adopted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Ids of the edits.
    pub ids: Vec<String>,
    /// New lines of the log, in order. The machine's answer has them.
    #[serde(skip)]
    pub lines: Vec<String>,
    pub before: Totals,
    pub after: Totals,
    pub look: Look,
}

/// The stored form. Its names are those of stored logs.
#[derive(Serialize)]
struct PlanRecord<'a> {
    id: &'a str,
    trigger: &'a str,
    status: &'a str,
    before: u64,
    after: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<u32>,
    begun: u64,
    requests: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    patience: Option<&'a Backoff>,
}

impl Machine {
    /// Ends a compaction. A cancelled compaction leaves the log unchanged. `shown` has totals and origin of the
    /// previous view, if the host has it; a new view is returned.
    ///
    /// # Errors
    /// Those of the log, except for edits that no longer match it: then the status says so.
    pub fn finish(
        &mut self,
        log: &mut Log,
        finish: &Finish,
        shown: Option<(Totals, Origin)>,
        around: Around,
        time: i64,
    ) -> Result<(Finished, Option<Runs>)> {
        let before = shown.unwrap_or_else(|| totals_of(log));
        let (mut added, mut error) = (Vec::new(), None);
        let mut status = finish.status.as_str();
        if status == "applied" {
            match log.adopt_made(&finish.edits, &finish.made, time) {
                Ok(adopted) => added = adopted,
                Err(refused) if matches!(refused.code, Code::StalePlan | Code::BadEdit) => {
                    let is_stale = refused.code == Code::StalePlan;
                    status = if is_stale { "stale_plan" } else { "nothing_to_compact" };
                    error = Some(refused.message);
                }
                Err(refused) => return Err(refused),
            }
        }
        let ids: Vec<String> = added.iter().map(|added| added.id.clone()).collect();
        let is_applied = status == "applied";
        if is_applied && finish.is_whole {
            self.applied(log)?;
        }
        if is_applied && let Some(checkpoint) = &finish.checkpoint {
            added.push(log.checkpoint(
                Checkpoint { number: log.next_checkpoint(), edits: ids.clone(), ..checkpoint.clone() },
                time,
            )?);
        }
        let view = is_applied.then(|| log.view_in_runs());
        let (after, origin) = view.as_ref().map_or(before, |runs| (runs.view.after, runs.view.origin));
        if status != "cancelled" {
            let record = PlanRecord {
                id: &finish.plan_id,
                trigger: &finish.trigger,
                status,
                before: before.0.total,
                after: after.total,
                job: finish.job,
                begun: finish.begun,
                requests: finish.requests,
                patience: self.state.backoff.as_ref(),
            };
            added.push(log.record(RecordKind::Plan, json(&record), time)?);
            if let Some(ended) = &finish.ended {
                self.ended(log, after, &Ended { status: status.to_owned(), ..ended.clone() })?;
            }
        }
        let look = self.look(log, after, origin, around)?;
        let lines = added.into_iter().map(|added| added.line).collect();
        Ok((Finished { status: status.to_owned(), error, ids, lines, before: before.0, after, look }, view))
    }
}

fn totals_of(log: &Log) -> (Totals, Origin) {
    let view = log.view();
    (view.after, view.origin)
}

/// Numbers and texts always have JSON.
fn json(record: &PlanRecord) -> String {
    serde_json::to_string(record).unwrap_or_default()
}
