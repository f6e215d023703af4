//! The exchange with the model: the request, the reading of the answer, the next request.

use super::*;

/// Maximum requests to the model in one compaction, whatever the answers.
const MAX_CALLS: usize = 4;
/// Maximum requests for the same purpose.
const MAX_ATTEMPTS: usize = 2;
/// Maximum missing facts that a second request lists.
const MAX_FACTS: usize = 50;
/// If a model refuses a request as too long and names no limit, the next request has at most this share of it, in
/// percent: after the first refusal, and after each later one.
const SHORTER: [u64; 2] = [75, 50];

/// The state of the exchange with the model.
pub(super) struct Exchange {
    pub(super) covered: Covered,
    shape: Shape,
    /// Maximum tokens that the model accepts.
    limit: u64,
    /// Number of attempts at the open request, in any shape.
    attempts: usize,
    /// Number of times that the model refused it as too long.
    refusals: usize,
    /// Number of groups that `earlier` contains.
    done: usize,
    /// Number of groups up to the end of the open request.
    upto: usize,
    /// The record of the groups before `done`.
    earlier: Option<String>,
    /// The reason why the last answer was unusable.
    unusable: Option<String>,
    /// True if an answer was cut off at the model's limit.
    is_cut: bool,
    /// A usable summary, while a better one is requested.
    first: Option<(String, Gaps)>,
}

impl Exchange {
    pub(super) fn new(covered: Covered, shape: Shape, limit: u64) -> Exchange {
        Exchange {
            covered,
            shape,
            limit,
            attempts: 0,
            refusals: 0,
            done: 0,
            upto: 0,
            earlier: None,
            unusable: None,
            is_cut: false,
            first: None,
        }
    }
}

impl Compaction {
    pub(super) fn form(&self) -> &form::Form {
        self.options.asking.form.unwrap_or(&self.options.profile.summary.form)
    }

    /// Returns the shape of the first request.
    pub(super) fn first_shape(&self) -> Shape {
        let asking = &self.options.asking;
        // The running request is neither about a part of the history nor about all of it.
        let can_fork = self.options.cover.is_none() && !asking.is_handover;
        let forks = can_fork
            && match self.options.profile.summary.fork {
                ForkRule::Warm => asking.is_warm,
                ForkRule::Background => asking.trigger.is_background(),
                ForkRule::Always => true,
                ForkRule::Never => false,
            };
        asking.shape.unwrap_or(if forks { Shape::Fork } else { self.own_shape() })
    }

    /// Returns the shape of a request that is not the running one.
    fn own_shape(&self) -> Shape {
        self.options.profile.summary.overflow_modes.first().copied().unwrap_or(Shape::Full)
    }

    /// Returns the shape to try after a request in this shape failed.
    fn next_shape(&self, shape: Shape) -> Option<Shape> {
        let modes = &self.options.profile.summary.overflow_modes;
        match modes.iter().position(|mode| *mode == shape) {
            Some(at) => modes.get(at + 1).copied(),
            None if shape == Shape::Fork => Some(self.own_shape()),
            // The host asked for this shape.
            None => (shape == Shape::Full).then_some(Shape::Simple),
        }
    }

    /// Asks the model according to the state of the exchange.
    pub(super) fn ask(&mut self, mut talk: Exchange) -> State {
        let draft = self.view(&[]);
        let groups = groups(&draft);
        let parts = told(&draft, &groups, &talk.covered);
        let asking = &self.options.asking;
        let asked_model = asking.asked_model.as_deref().or(asking.model.as_deref());
        let gaps = talk.first.as_ref().map(|(_, gaps)| gaps.sentences()).unwrap_or_default();
        let last = parts.iter().flat_map(|part| part.iter()).max();
        let newer = draft.entries.iter().enumerate().filter(|(at, entry)| entry.is_in() && Some(at) > last);
        let wanted = Wanted {
            form: self.form(),
            max_tokens: self.summary_tokens(&talk.covered),
            focus: self.options.focus.as_deref(),
            additions: &self.additions,
            has_earlier: request::begins_with_summary(&draft, &parts, &self.options.rules.records),
            kept: newer.filter(|(_, entry)| !entry.message.role.is_frame()).count(),
            text_only: Traits::of(asked_model, &asking.models).text_only,
            unusable: talk.unusable.as_deref(),
            first: talk.first.as_ref().map(|(text, _)| (text.as_str(), gaps.as_slice())),
            handover: asking.is_handover.then_some(self.options.profile.summary.handoff_results),
        };
        let rest = &parts[talk.done.min(parts.len())..];
        let mut rule = request::Rule::of(&self.options.profile, talk.limit);
        if asking.trigger.is_by_hand() {
            // Somebody waits for a hand-over and pays for the whole.
            rule.result_cap = None;
        }
        // The rules of the same provider apply to the summarising model.
        let receiver = self.options.receiver.as_ref();
        let mut made = None;
        if talk.shape == Shape::Fork {
            made = request::fork::fork(&draft, &wanted, talk.limit, receiver);
            if made.is_none() {
                talk.shape = self.own_shape();
            }
        }
        if talk.shape == Shape::Full {
            made = request::full::is_possible(&draft, &parts)
                .then(|| request::full::full(&draft, &parts, &wanted, talk.limit, rule, receiver))
                .flatten();
            if made.is_none() {
                talk.shape = Shape::Simple;
            }
        }
        talk.upto = parts.len();
        let model = made.unwrap_or_else(|| {
            // A second request is not split, so that one more failure cannot end the exchange.
            let pieces = if talk.first.is_some() { 1 } else { MAX_CALLS.saturating_sub(self.calls).max(1) };
            let earlier = talk.earlier.as_deref();
            let simple = request::simple::simple(&draft, rest, earlier, &wanted, talk.limit, pieces, rule);
            talk.upto = talk.done + simple.shown;
            simple.request
        });
        self.calls += 1;
        self.prompt_tokens += model.prompt_tokens;
        self.asked.push(Asked {
            purpose: model.purpose,
            shape: model.shape,
            prompt_tokens: model.prompt_tokens,
            reduced: model.reduced,
            error: None,
        });
        talk.attempts += 1;
        self.request(vec![Effect::CallModel(model)], Continuation::Model(Box::new(talk)))
    }

    pub(super) fn handle_answer(&mut self, answer: Answer, mut talk: Exchange) -> State {
        let mut is_refused = false;
        let (status, why, next) = match answer {
            Answer::Model { text, finish_reason } => {
                let shown = self.view(&[]);
                let groups = groups(&shown);
                let parts = told(&shown, &groups, &talk.covered).len();
                match parse_as(&text, self.form(), talk.shape == Shape::Fork) {
                    Ok(mut parsed) => {
                        // A block that was closed is complete, whatever follows it.
                        let is_open = parsed.unclosed || parsed.untagged;
                        let ended = finish_reason.is_some_and(|reason| CUT_OFF.contains(&&*reason.to_lowercase()));
                        talk.is_cut |= is_open && ended;
                        // A summary may exceed the requested length somewhat; one far beyond it is cut to that length.
                        let max = self.summary_tokens(&talk.covered);
                        let passes = (max as f64 * self.options.profile.summary.overlong) as u64;
                        let is_long = self.tokenizer.count(&parsed.text) > passes;
                        let max = if is_long { max } else { passes };
                        parsed.text = check::trim(&parsed.text, max, self.form(), &*self.tokenizer);
                        let text = parsed.wrapped();
                        if talk.upto >= parts {
                            return self.accept(text, talk);
                        }
                        let talk = Exchange {
                            done: talk.upto,
                            earlier: Some(text),
                            attempts: 0,
                            unusable: None,
                            shape: Shape::Simple,
                            ..talk
                        };
                        if self.calls < MAX_CALLS {
                            return self.ask(talk);
                        }
                        let why = format!("the history is too long for {MAX_CALLS} requests of the model");
                        return self.handle_failure(Status::ModelFailed, why, talk);
                    }
                    Err(unusable) => {
                        let called = finish_reason.is_some_and(|reason| CALLED.contains(&&*reason));
                        let (status, why) = match unusable {
                            _ if called => (Status::ToolCallInstead, "the model called a tool instead of answering"),
                            Unusable::Empty => (Status::EmptySummary, "the model's summary is empty"),
                            Unusable::NoTag => (Status::NoSummaryTag, "the reply holds no <%> block"),
                        };
                        let why = why.replace('%', &self.form().tag);
                        talk.unusable = Some(why.clone());
                        (status, why, self.options.profile.summary.overflow_modes.last().copied())
                    }
                }
            }
            Answer::Failed { reason, kind: Failure::Timeout } => (Status::Timeout, reason, None),
            Answer::Failed { reason, kind: Failure::Unavailable } => (Status::ModelFailed, reason, None),
            Answer::Failed { reason, kind: Failure::Error } => {
                let next = self.next_shape(talk.shape);
                (Status::ModelFailed, reason, next)
            }
            Answer::TooLong { reason, limit } => {
                let sent = self.asked.last().map_or(0, |asked| asked.prompt_tokens);
                // The model counts differently: a text that it finds too long must also become shorter by our count.
                let shorter = sent * SHORTER[talk.refusals.min(SHORTER.len() - 1)] / 100;
                talk.refusals += 1;
                is_refused = true;
                talk.limit = limit.filter(|limit| *limit > 0).map_or(shorter, |limit| limit.min(sent * 9 / 10));
                let next = if talk.shape == Shape::Fork { self.own_shape() } else { talk.shape };
                (Status::ModelFailed, reason, (talk.limit >= MIN_ROOM).then_some(next))
            }
            Answer::Cancelled | Answer::Hook { .. } | Answer::File { .. } => {
                (Status::ModelFailed, "the request for a model was not answered by one".into(), None)
            }
        };
        if let Some(asked) = self.asked.last_mut() {
            asked.error = Some(why.clone());
        }
        if let Some((text, gaps)) = talk.first.take() {
            // The first summary was usable, so it stays.
            return self.attach(talk.covered, SummarySource::Text { text, gaps });
        }
        if let Some(shape) = next.filter(|_| (is_refused || talk.attempts < MAX_ATTEMPTS) && self.calls < MAX_CALLS) {
            return self.ask(Exchange { shape, ..talk });
        }
        self.handle_failure(status, why, talk)
    }

    /// Ends the exchange without a summary by the model.
    fn handle_failure(&mut self, status: Status, why: String, talk: Exchange) -> State {
        if self.options.offline_on_failure {
            return self.attach(talk.covered, SummarySource::Rules { after: Some((status, why)), unasked: None });
        }
        let result = self.unchanged(status, &why, Some(self.model_report(Some((status, why.clone())))));
        self.conclude(result)
    }

    /// Accepts a summary of the whole covered range, or asks for a better one if that is worth its price.
    fn accept(&mut self, text: String, mut talk: Exchange) -> State {
        let ledger = self.ledger(&talk.covered.ids);
        let facts = self.facts_without_place(&text, &talk.covered, &ledger);
        let mut told: Vec<&str> = self.additions.iter().map(String::as_str).collect();
        told.extend(self.options.focus.as_deref());
        let gaps = Gaps::of(&text, self.form(), &self.messages, &told, &facts);
        let gaps = Gaps { is_cut: std::mem::take(&mut talk.is_cut), ..gaps };
        let (text, gaps) = match talk.first.take() {
            // A second summary with more gaps than the first is discarded.
            Some((first, before)) if before.len() < gaps.len() => (first, before),
            Some(_) => (text, gaps),
            None => {
                let wanted = match self.options.asking.verify {
                    Verify::Never => false,
                    Verify::Always => true,
                    Verify::Auto => !gaps.is_empty(),
                };
                if wanted && self.calls < MAX_CALLS {
                    talk.attempts = 0;
                    talk.unusable = None;
                    talk.first = Some((text, gaps));
                    return self.ask(talk);
                }
                (text, gaps)
            }
        };
        self.attach(talk.covered, SummarySource::Text { text, gaps })
    }

    /// Returns constraints, open items of the plan and changed files that are neither in the summary nor in the blocks
    /// beside it.
    fn facts_without_place(&self, text: &str, covered: &Covered, ledger: &Ledger) -> Vec<String> {
        let Ok(Placed { edit, shown, .. }) = self.apply(text, Author::Model, covered, ledger) else { return vec![] };
        let is_short = |block: Block| shown.iter().any(|shown| shown.block == block && shown.left_out > 0);
        // Facts that an earlier record already left out are skipped: otherwise every compaction would ask about them
        // again.
        let new: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let view = edit.message.map(|message| message.text()).unwrap_or_default();
        let mut facts: Vec<&str> = Vec::new();
        if is_short(Block::Constraints) {
            let constraints = ledger.constraints.iter().filter(|constraint| new.contains(constraint.id.as_str()));
            facts.extend(constraints.map(|constraint| constraint.sentence.as_str()));
        }
        if is_short(Block::Todo) {
            let items = ledger.plan.iter().flat_map(|plan| &plan.items);
            facts.extend(items.filter(|(mark, _)| *mark != Mark::Done).map(|(_, what)| what.as_str()));
        }
        if is_short(Block::Changed) {
            let files = ledger.files.iter().filter(|file| file.is_changed() && new.contains(file.last.as_str()));
            facts.extend(files.map(|file| file.path.as_str()));
        }
        facts.into_iter().filter(|fact| !view.contains(fact)).take(MAX_FACTS).map(str::to_string).collect()
    }
}

/// Maximum tokens of a request that the model is shown although it stays in the conversation.
const REQUEST_TOKENS: u64 = 4_000;

/// Returns the groups that the model is shown: the covered ones, and the newest request among them, which stays in
/// the conversation. Without it nobody knows what the work is for.
fn told<'g>(draft: &Draft, groups: &'g [Group], covered: &Covered) -> Vec<&'g [usize]> {
    let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
    let is_covered = |at: usize| ids.contains(draft.entries[at].message.id.as_str());
    let last = groups.iter().rposition(|group| group.entries.iter().any(|&at| is_covered(at))).unwrap_or_default();
    let request = groups[..last].iter().rfind(|group| group.has_request());
    let is_short =
        |group: &&Group| group.entries.iter().map(|&at| draft.entries[at].after).sum::<u64>() <= REQUEST_TOKENS;
    let request = request.filter(is_short).map(|group| group.entries.as_slice()).unwrap_or_default();
    request::parts(groups, |at| is_covered(at) || request.contains(&at))
}

/// Providers' words, in lower case, for the finish reason of an answer that reached the maximum of its tokens.
const CUT_OFF: [&str; 5] = ["length", "max_tokens", "max-tokens", "max_output_tokens", "model_context_window_exceeded"];

/// Providers' words for the finish reason of a tool call.
const CALLED: [&str; 4] = ["tool_calls", "tool_use", "function_call", "tool-calls"];
