//! The steps after a success: reading the texts of its hits, then reranking them.

use super::race::cut;
use super::{Answer, Ask, Effect, Ending, Phase, Plan, Ranked, Stage, Strategy, refusal};
use espalier_core::map::HashSet;

/// Hits of the strategy that won.
#[derive(Debug)]
pub(super) struct Winner {
    strategy: Strategy,
    hits: Vec<Ranked>,
    missing: Vec<u32>,
}

impl Winner {
    pub fn new(strategy: Strategy, hits: Vec<Ranked>) -> Winner {
        Winner { strategy, hits, missing: Vec::new() }
    }
}

impl Plan {
    /// Requests the texts of the hits. Those of a whole workspace are already read.
    pub(super) fn read_winner(&mut self) {
        if !self.can_rerank() {
            self.drop_far();
        }
        let Phase::After(winner) = &self.phase else { return };
        if winner.strategy == Strategy::FullWorkspace {
            return self.finish_winner();
        }
        let hits = winner.numbers();
        self.stages.start(Stage::Read, self.now, Some(self.options.timeouts.read));
        self.ask(Stage::Read, Effect::Read { hits });
    }

    pub(super) fn winner_answered(&mut self, stage: Stage, ask: &Ask, answer: Answer) {
        match (&ask.effect, answer) {
            (Effect::Read { .. }, Answer::Read { missing }) => {
                self.stop(stage, Ending::Done, None);
                if let Phase::After(winner) = &mut self.phase {
                    winner.drop_missing(&missing);
                }
                self.rerank_winner();
            }
            (Effect::Rerank { hits, .. }, Answer::Order { order }) => {
                let (ending, why) = self.reorder(hits, &order);
                self.stop(stage, ending, why);
                if ending == Ending::Failed {
                    self.drop_far();
                }
                self.finish_winner();
            }
            (_, answer) => {
                let (ending, why) = refusal(answer);
                self.stop(stage, ending, why);
                self.continue_without(stage);
            }
        }
    }

    pub(super) fn winner_is_late(&mut self, stage: Stage) {
        self.stop(stage, Ending::TimedOut, None);
        self.continue_without(stage);
    }

    /// Continues without an answer: the old order stays, and texts that the host has by then are used.
    fn continue_without(&mut self, stage: Stage) {
        if stage == Stage::Read {
            self.rerank_winner();
        } else {
            self.drop_far();
            self.finish_winner();
        }
    }

    fn can_rerank(&self) -> bool {
        let Phase::After(winner) = &self.phase else { return false };
        self.stages.is_idle(Stage::Rerank) && winner.strategy != Strategy::FullWorkspace && winner.hits.len() > 1
    }

    fn rerank_winner(&mut self) {
        let Phase::After(winner) = &self.phase else { return };
        if !self.can_rerank() {
            self.drop_far();
            return self.finish_winner();
        }
        let hits = winner.numbers();
        self.stages.start(Stage::Rerank, self.now, Some(self.options.timeouts.rerank));
        let query = self.options.query.clone();
        self.ask(Stage::Rerank, Effect::Rerank { query, hits });
    }

    /// Puts hits into the order of a reranker; hits that it omits follow in their old order.
    fn reorder(&mut self, asked: &[u32], order: &[i64]) -> (Ending, Option<String>) {
        let Phase::After(winner) = &mut self.phase else { return (Ending::Done, None) };
        let mut left: Vec<Option<Ranked>> = winner.hits.iter().copied().map(Some).collect();
        let at = |place: &i64| usize::try_from(*place).ok().filter(|place| *place < asked.len());
        let mut sorted: Vec<Ranked> = Vec::with_capacity(left.len());
        for place in order.iter().filter_map(at) {
            sorted.extend(left.get_mut(place).and_then(Option::take));
        }
        let ignored = order.len() - sorted.len();
        let is_useless = sorted.is_empty() && ignored > 0;
        sorted.extend(left.into_iter().flatten());
        winner.hits = sorted;
        match (is_useless, ignored) {
            (_, 0) => (Ending::Done, None),
            (true, _) => (Ending::Failed, Some("no index in the answer belongs to a chunk".into())),
            (false, _) => (Ending::Done, Some(format!("{ignored} indexes are repeated or belong to no chunk"))),
        }
    }

    /// Drops embeddings far below the best. The other strategies have already applied their own rules.
    fn drop_far(&mut self) {
        let Phase::After(winner) = &mut self.phase else { return };
        if winner.strategy == Strategy::Embeddings {
            self.spread.extend(cut(&mut winner.hits, self.options.min_similarity_share));
        }
    }

    fn finish_winner(&mut self) {
        let Phase::After(winner) = &mut self.phase else { return };
        let (strategy, hits) = (winner.strategy, std::mem::take(&mut winner.hits));
        let missing = std::mem::take(&mut winner.missing);
        self.finish(Some(strategy), hits, missing, None);
    }
}

impl Winner {
    fn numbers(&self) -> Vec<u32> {
        self.hits.iter().map(|one| one.hit).collect()
    }

    fn drop_missing(&mut self, missing: &[u32]) {
        let missing: HashSet<u32> = missing.iter().copied().collect();
        self.missing = self.hits.iter().map(|one| one.hit).filter(|hit| missing.contains(hit)).collect();
        self.hits.retain(|one| !missing.contains(&one.hit));
    }
}
