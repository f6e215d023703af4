//! Decides how a query is answered: which search runs, for how long, and what follows a failure.
//!
//! In: the host's capabilities, the state of the index, answers to effects, times. Out: numbered effects, then hits in
//! rank order with all attempts. Start reading at [`Plan`].
//!
//! `options` has every number, `effect` the questions and answers, `stages` the attempts, `race` the order of the
//! strategies, `after` the steps after a success: reading texts, reranking. Nothing here searches, waits or reads a
//! clock, so the same events give the same result.

mod after;
mod effect;
mod options;
mod race;
mod stages;

pub use effect::{Answer, Ask, Effect, Keyword, Scored, Step};
pub use options::{Callbacks, Combine, PlanOptions, Timeouts, WholeLimits};
pub use stages::{Attempt, Ending, Stage, Strategy};

use espalier_core::error::{Code, Error, Result};
use serde::Serialize;
use stages::Stages;

/// One search: poll it, carry out the effects, resume it with their answers in any order.
///
/// Answers to effects that are not open are refused and change nothing, so late and repeated answers do no harm.
/// Dropping a plan at any moment loses nothing.
///
/// ```
/// use espalier_search::{Answer, Effect, Plan, PlanOptions, Scored, Step, Strategy};
/// # fn main() -> espalier_core::error::Result<()> {
/// let options = PlanOptions { query: "whale".into(), files: 5_000, ..PlanOptions::default() };
/// let mut plan = Plan::new(options)?;
/// let Step::Ask { effects, .. } = plan.poll(0) else { return Ok(()) };
/// assert!(matches!(&effects[0].effect, Effect::Lexical { query, .. } if query == "whale"));
/// plan.resume(effects[0].id, Answer::Hits { hits: vec![Scored { hit: 7, score: Some(2.5) }] }, 3)?;
/// let Step::Ask { effects, .. } = plan.poll(3) else { return Ok(()) };
/// assert_eq!(effects[0].effect, Effect::Read { hits: vec![7] });
/// plan.resume(effects[0].id, Answer::Read { missing: vec![] }, 4)?;
/// let Step::Done { result } = plan.poll(4) else { return Ok(()) };
/// assert_eq!((result.strategy, result.hits[0].hit), (Some(Strategy::Lexical), 7));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Plan {
    options: PlanOptions,
    /// The caller's time at the first poll.
    begin: Option<u64>,
    /// Time since the first poll.
    now: u64,
    next_id: u32,
    open: Vec<(Stage, Ask)>,
    stages: Stages,
    phase: Phase,
    embedding: Embedding,
    /// The search words of the lexical index, once they are known.
    words: Option<String>,
    /// Results that wait to be joined.
    nearest: Option<Vec<Ranked>>,
    lexical: Option<Vec<Ranked>>,
    spread: Vec<u32>,
}

#[derive(Debug)]
enum Phase {
    New,
    Whole,
    /// True once the local search began.
    Race {
        is_local: bool,
    },
    After(after::Winner),
    Done(Box<Outcome>),
}

/// The vector of the query.
#[derive(Debug)]
enum Embedding {
    /// It was not requested, or the answer is not there yet.
    None,
    Ready(u32),
    Failed(Ending, Option<String>),
}

/// A hit with a finite score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ranked {
    pub hit: u32,
    pub score: f64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// `None` if there are no hits.
    pub strategy: Option<Strategy>,
    /// Best first.
    pub hits: Vec<Ranked>,
    /// Hits that score too far below the best.
    pub spread: Vec<u32>,
    /// Hits whose text could not be read.
    pub missing: Vec<u32>,
    pub tried: Vec<Attempt>,
    /// The search words of the lexical index, if it was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The reasons why nothing could be searched, if every strategy failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Plan {
    /// Creates a search that has not begun.
    ///
    /// # Errors
    /// [`Code::BadOption`] if an option has an invalid value.
    pub fn new(options: PlanOptions) -> Result<Plan> {
        options.check()?;
        Ok(Plan {
            options,
            begin: None,
            now: 0,
            next_id: 0,
            open: Vec::new(),
            stages: Stages::default(),
            phase: Phase::New,
            embedding: Embedding::None,
            words: None,
            nearest: None,
            lexical: None,
            spread: Vec::new(),
        })
    }

    /// Returns the next step. Polling again at the same time without an answer in between returns the same.
    pub fn poll(&mut self, now_ms: u64) -> Step {
        self.pass_time(now_ms);
        if let Phase::New = self.phase {
            self.start();
        }
        self.expire();
        if let Phase::Done(outcome) = &self.phase {
            return Step::Done { result: (**outcome).clone() };
        }
        let effects = self.open.iter().map(|(_, ask)| ask.clone()).collect();
        let begin = self.begin.unwrap_or_default();
        let next_ms = self.stages.next_deadline().map(|(due, _)| begin.saturating_add(due));
        Step::Ask { effects, next_ms }
    }

    /// Accepts the answer to an effect.
    ///
    /// # Errors
    /// [`Code::UnknownEffect`] if that effect is not open: it was never requested, or it is answered, cancelled or
    /// late. Nothing changes then, except the time.
    pub fn resume(&mut self, id: u32, answer: Answer, now_ms: u64) -> Result<()> {
        self.pass_time(now_ms);
        self.expire();
        let Some(place) = self.open.iter().position(|(_, ask)| ask.id == id) else {
            let message = format!("effect {id} is not open; it was already answered, cancelled or never requested");
            return Err(Error::new(Code::UnknownEffect, message));
        };
        let (stage, ask) = self.open.remove(place);
        match &self.phase {
            Phase::New | Phase::Done(_) => {}
            Phase::Whole | Phase::Race { .. } => self.search_answered(stage, &ask, answer),
            Phase::After(_) => self.winner_answered(stage, &ask, answer),
        }
        Ok(())
    }

    /// Advances the time, which never runs backwards.
    fn pass_time(&mut self, now_ms: u64) {
        let begin = *self.begin.get_or_insert(now_ms);
        self.now = self.now.max(now_ms.saturating_sub(begin));
    }

    /// Ends late stages, or lets others run beside them.
    fn expire(&mut self) {
        while let Some((due, stage)) = self.stages.next_deadline() {
            if due > self.now {
                return;
            }
            self.stages.set_late(stage);
            match stage {
                Stage::Remote => self.start_local(),
                Stage::Embeddings => self.start_lexical(),
                Stage::Keywords => {
                    self.stop(stage, Ending::TimedOut, None);
                    self.search_own_words();
                }
                Stage::FullWorkspace => {
                    self.stop(stage, Ending::TimedOut, None);
                    self.start_race();
                }
                Stage::Lexical | Stage::Read | Stage::Rerank => self.winner_is_late(stage),
            }
            self.settle();
        }
    }

    fn ask(&mut self, stage: Stage, effect: Effect) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        self.open.push((stage, Ask { id, effect }));
        id
    }

    /// Ends a stage and cancels its effects.
    fn stop(&mut self, stage: Stage, ending: Ending, why: Option<String>) {
        self.open.retain(|(of, _)| *of != stage);
        self.stages.end(stage, self.now, ending, why);
    }

    fn finish(&mut self, strategy: Option<Strategy>, hits: Vec<Ranked>, missing: Vec<u32>, failure: Option<String>) {
        self.open.clear();
        self.phase = Phase::Done(Box::new(Outcome {
            strategy: strategy.filter(|_| !hits.is_empty()),
            hits,
            spread: std::mem::take(&mut self.spread),
            missing,
            tried: self.stages.attempts(),
            words: self.words.take(),
            failure,
        }));
    }
}

/// Returns how an unsuccessful answer ends its stage.
fn refusal(answer: Answer) -> (Ending, Option<String>) {
    match answer {
        Answer::Failed { reason } => (Ending::Failed, Some(reason)),
        Answer::Cancelled => (Ending::Cancelled, Some("the host cancelled it".into())),
        _ => (Ending::Failed, Some("the answer is not one to this effect".into())),
    }
}
