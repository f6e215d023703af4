//! The order of the strategies: whole workspace, then the remote search, then embeddings, then words. A late strategy
//! keeps running beside the next one; the first with hits wins and cancels the others.

use super::after::Winner;
use super::{Answer, Ask, Combine, Effect, Embedding, Ending, Keyword, Phase, Plan, Ranked, Scored, Stage, Strategy};
use super::{refusal, stages::Progress};
use crate::fuse;
use espalier_core::map::HashSet;

const SEARCHES: [Stage; 4] = [Stage::Remote, Stage::Embeddings, Stage::Keywords, Stage::Lexical];

impl Plan {
    pub(super) fn start(&mut self) {
        let why = match (self.options.query.trim().is_empty(), self.options.files) {
            (true, _) => Some("the query is empty"),
            (_, 0) => Some("there is no file to search"),
            _ => None,
        };
        if let Some(why) = why {
            for stage in [Stage::FullWorkspace, Stage::Remote, Stage::Embeddings, Stage::Lexical] {
                self.stages.skip(stage, why);
            }
            return self.finish(None, Vec::new(), Vec::new(), None);
        }
        let callbacks = self.options.callbacks;
        let missing = [
            (Stage::Remote, callbacks.remote, "no remote callback was given"),
            (Stage::Embeddings, callbacks.embed, "the index has no embed callback"),
            (Stage::Embeddings, !callbacks.embed || self.options.vectors > 0, "no chunk has an embedding"),
            (Stage::Keywords, callbacks.keywords, "no keywords callback was given"),
            (Stage::Rerank, callbacks.rerank, "no rerank callback was given"),
        ];
        for (stage, is_there, why) in missing {
            if !is_there {
                self.stages.skip(stage, why);
            }
        }
        match self.why_not_whole() {
            Some(why) => {
                self.stages.skip(Stage::FullWorkspace, why);
                self.start_race();
            }
            None => {
                self.phase = Phase::Whole;
                self.stages.start(Stage::FullWorkspace, self.now, Some(self.options.timeouts.read));
                self.ask(Stage::FullWorkspace, Effect::ReadWorkspace);
            }
        }
    }

    fn why_not_whole(&self) -> Option<String> {
        let Some(limits) = self.options.full_workspace else { return Some("it is turned off".into()) };
        let files = self.options.files;
        if files >= limits.files {
            return Some(format!("{files} files are not below {}", limits.files));
        }
        self.too_many(self.options.tokens)
    }

    fn too_many(&self, tokens: u64) -> Option<String> {
        let limit = self.options.full_workspace.map_or(0, |limits| limits.tokens);
        if tokens >= limit {
            return Some(format!("{tokens} tokens are not below {limit}"));
        }
        let budget = self.options.budget;
        (tokens > budget).then(|| format!("{tokens} tokens do not fit into the budget of {budget}"))
    }

    pub(super) fn start_race(&mut self) {
        self.phase = Phase::Race { is_local: false };
        let query = self.options.query.clone();
        if self.stages.is_idle(Stage::Embeddings) {
            self.ask(Stage::Embeddings, Effect::Embed { query: query.clone() });
        }
        if self.stages.is_idle(Stage::Remote) {
            self.stages.start(Stage::Remote, self.now, Some(self.options.timeouts.remote));
            self.ask(Stage::Remote, Effect::Remote { query, max_results: self.options.max_results });
        } else {
            self.start_local();
        }
    }

    pub(super) fn start_local(&mut self) {
        match &mut self.phase {
            Phase::Race { is_local } if !*is_local => *is_local = true,
            _ => return,
        }
        if self.stages.is_idle(Stage::Embeddings) {
            self.stages.start(Stage::Embeddings, self.now, Some(self.options.timeouts.embeddings));
            match std::mem::replace(&mut self.embedding, Embedding::None) {
                Embedding::Ready(id) => self.find_nearest(id),
                Embedding::Failed(ending, why) => self.stages.end(Stage::Embeddings, self.now, ending, why),
                Embedding::None => {}
            }
        }
        if self.options.combine == Combine::Fuse || !self.stages.is_running(Stage::Embeddings) {
            self.start_lexical();
        }
    }

    fn find_nearest(&mut self, embedding: u32) {
        let max_results = self.options.max_results;
        self.ask(Stage::Embeddings, Effect::Nearest { embedding, max_results });
    }

    pub(super) fn start_lexical(&mut self) {
        if self.stages.is_running(Stage::Keywords) || !self.stages.is_idle(Stage::Lexical) {
            return;
        }
        if self.stages.is_idle(Stage::Keywords) {
            self.stages.start(Stage::Keywords, self.now, Some(self.options.timeouts.keywords));
            let query = self.options.query.clone();
            self.ask(Stage::Keywords, Effect::Keywords { query });
        } else {
            self.search_own_words();
        }
    }

    pub(super) fn search_own_words(&mut self) {
        self.search_words(self.options.query.clone());
    }

    fn search_words(&mut self, query: String) {
        self.words = Some(query.clone());
        self.stages.start(Stage::Lexical, self.now, None);
        self.ask(Stage::Lexical, Effect::Lexical { query, max_results: self.options.max_results });
    }

    pub(super) fn search_answered(&mut self, stage: Stage, ask: &Ask, answer: Answer) {
        match (&ask.effect, answer) {
            (Effect::ReadWorkspace, Answer::Whole { hits, tokens }) => match self.too_many(tokens) {
                Some(why) => {
                    self.stop(stage, Ending::Skipped, Some(why));
                    self.start_race();
                }
                None => self.found(stage, distinct(hits)),
            },
            (Effect::Remote { .. }, Answer::Hits { hits }) => {
                let hits = distinct(hits);
                self.found(stage, hits);
            }
            (Effect::Nearest { .. }, Answer::Hits { hits }) => {
                let is_number = |scored: &Scored| scored.score.is_some_and(f64::is_finite);
                let mut hits = distinct(hits.into_iter().filter(is_number).collect());
                hits.sort_by(|one, other| other.score.total_cmp(&one.score));
                self.found(stage, hits);
            }
            (Effect::Lexical { .. }, Answer::Hits { hits }) => {
                let mut hits = distinct(hits);
                if let Some(spread) = self.options.max_spread {
                    self.spread.extend(cut(&mut hits, 1.0 - spread));
                }
                self.found(stage, hits);
            }
            (Effect::Embed { .. }, Answer::Done) if self.stages.is_running(stage) => self.find_nearest(ask.id),
            (Effect::Embed { .. }, Answer::Done) => self.embedding = Embedding::Ready(ask.id),
            (Effect::Embed { .. }, answer) if self.stages.is_idle(stage) => {
                let (ending, why) = refusal(answer);
                self.embedding = Embedding::Failed(ending, why);
            }
            (Effect::Keywords { .. }, Answer::Keywords { keywords }) => match joined(&keywords) {
                Some(words) => {
                    self.stop(stage, Ending::Done, None);
                    self.search_words(words);
                }
                None => self.end_without_hits(stage, Ending::Failed, Some("there is no keyword in the answer".into())),
            },
            (_, answer) => {
                let (ending, why) = refusal(answer);
                self.end_without_hits(stage, ending, why);
            }
        }
        self.settle();
    }

    fn found(&mut self, stage: Stage, mut hits: Vec<Ranked>) {
        if stage != Stage::FullWorkspace {
            hits.truncate(self.options.max_results);
        }
        if hits.is_empty() {
            return self.end_without_hits(stage, Ending::Done, Some("it found nothing".into()));
        }
        let strategy = match stage {
            Stage::FullWorkspace => Strategy::FullWorkspace,
            Stage::Remote => Strategy::Remote,
            Stage::Embeddings => Strategy::Embeddings,
            _ => Strategy::Lexical,
        };
        if self.options.combine == Combine::Fuse && matches!(stage, Stage::Embeddings | Stage::Lexical) {
            // `settle` joins them once both have ended.
            self.stages.end(stage, self.now, Ending::Done, None);
            let list = if stage == Stage::Embeddings { &mut self.nearest } else { &mut self.lexical };
            *list = Some(hits);
        } else {
            self.win(strategy, hits);
        }
    }

    /// Ends a stage without hits and begins the next one.
    fn end_without_hits(&mut self, stage: Stage, ending: Ending, why: Option<String>) {
        self.stop(stage, ending, why);
        match stage {
            Stage::FullWorkspace => self.start_race(),
            Stage::Remote => self.start_local(),
            Stage::Embeddings => self.start_lexical(),
            Stage::Keywords => self.search_own_words(),
            _ => {}
        }
    }

    /// Joins the results so far, and ends a search that can get no more hits from any strategy.
    pub(super) fn settle(&mut self) {
        let Phase::Race { is_local: true } = self.phase else { return };
        self.join();
        let Phase::Race { .. } = self.phase else { return };
        if SEARCHES.iter().any(|stage| self.stages.is_in_time(*stage)) {
            return;
        }
        // The search waits for a late strategy only while another one has time.
        for stage in self.stages.running() {
            self.stop(stage, Ending::TimedOut, None);
        }
        let failure = self.failure();
        self.finish(None, Vec::new(), Vec::new(), failure);
    }

    fn join(&mut self) {
        let waits_for_words = self.stages.is_running(Stage::Keywords) || self.stages.is_running(Stage::Lexical);
        let waits_for_nearest = self.stages.is_in_time(Stage::Embeddings);
        match (self.nearest.take(), self.lexical.take()) {
            (Some(mut nearest), Some(lexical)) => {
                self.spread.extend(cut(&mut nearest, self.options.min_similarity_share));
                let hits = |ranked: &[Ranked]| ranked.iter().map(|one| one.hit).collect::<Vec<u32>>();
                let fused = fuse(&[&hits(&nearest), &hits(&lexical)], self.options.rrf_k);
                let found: HashSet<u32> = fused.iter().map(|(hit, _)| *hit).collect();
                self.spread.retain(|hit| !found.contains(hit));
                let joined = fused.into_iter().take(self.options.max_results);
                self.win(Strategy::Fused, joined.map(|(hit, score)| Ranked { hit, score }).collect());
            }
            (Some(nearest), None) if !waits_for_words => self.win(Strategy::Embeddings, nearest),
            (None, Some(lexical)) if !waits_for_nearest => self.win(Strategy::Lexical, lexical),
            (nearest, lexical) => (self.nearest, self.lexical) = (nearest, lexical),
        }
    }

    /// Returns the reasons of all strategies, if none of them could search.
    fn failure(&self) -> Option<String> {
        let mut reasons = Vec::new();
        for stage in [Stage::Remote, Stage::Embeddings, Stage::Lexical] {
            let Progress::Ended(attempt) = self.stages.of(stage) else { continue };
            match attempt.ending {
                Ending::Done | Ending::Won => return None,
                Ending::Skipped => {}
                _ => reasons.push(format!("{}: {}", stage.as_str(), attempt.why.as_deref().unwrap_or("it failed"))),
            }
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    fn win(&mut self, strategy: Strategy, hits: Vec<Ranked>) {
        let winners: &[Stage] = match strategy {
            Strategy::FullWorkspace => &[Stage::FullWorkspace],
            Strategy::Remote => &[Stage::Remote],
            Strategy::Embeddings => &[Stage::Embeddings],
            Strategy::Lexical => &[Stage::Lexical],
            Strategy::Fused => &[Stage::Embeddings, Stage::Lexical],
        };
        for stage in winners {
            self.stages.set_won(*stage, self.now);
        }
        let first = winners.first().map_or("", |stage| stage.as_str());
        for stage in self.stages.running() {
            self.stop(stage, Ending::Cancelled, Some(format!("{first} was first")));
        }
        // The vector of the query belongs to no stage until the local search begins.
        self.open.clear();
        self.phase = Phase::After(Winner::new(strategy, hits));
        self.read_winner();
    }
}

/// Returns hits without duplicates, with finite scores.
fn distinct(hits: Vec<Scored>) -> Vec<Ranked> {
    let is_scored = hits.iter().all(|one| one.score.is_some_and(f64::is_finite));
    let mut seen = HashSet::default();
    let distinct = hits.into_iter().filter(|one| seen.insert(one.hit)).enumerate();
    let by_place = |place: usize| 1.0 / (place + 1) as f64;
    let ranked = distinct.map(|(place, one)| {
        let score = one.score.filter(|_| is_scored).unwrap_or_else(|| by_place(place));
        Ranked { hit: one.hit, score }
    });
    ranked.collect()
}

/// Returns the keywords, each followed by its variations.
fn joined(keywords: &[Keyword]) -> Option<String> {
    let words = keywords.iter().flat_map(|one| std::iter::once(&one.keyword).chain(&one.variations));
    let words: Vec<&str> = words.map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Drops hits below `share` of the best, and returns them.
pub(super) fn cut(hits: &mut Vec<Ranked>, share: f64) -> Vec<u32> {
    let best = hits.iter().map(|one| one.score).fold(0.0, f64::max);
    let dropped = hits.iter().filter(|one| one.score < best * share).map(|one| one.hit).collect();
    hits.retain(|one| one.score >= best * share);
    dropped
}
