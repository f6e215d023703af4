//! The answer of the model, and the second question.

use super::*;

impl Compaction {
    pub(super) fn answered(&mut self, answer: Answer, covered: Covered) -> State {
        let (status, why) = match answer {
            Answer::Cancelled => {
                // Nobody waits for a result any more, so nothing is tried in its place.
                let report = self.model_report(Some("cancelled".into()));
                let result = self.untouched(Status::Cancelled, "cancelled", report);
                return self.done(result);
            }
            Answer::Failed { reason, kind: Failure::Timeout } => (Status::Timeout, reason),
            Answer::Failed { reason, kind: Failure::Error } => (Status::ModelFailed, reason),
            Answer::Model { text, finish_reason } => match parse(&text) {
                Ok(parsed) => {
                    let report = self.model_report(None);
                    let budget = self.budget(&self.view(&[]));
                    let max = (budget.summary as f64 * OVERLONG) as u64;
                    let text = check::trim(&parsed.text, max, &*self.tokenizer);
                    match self.apply(&text, Author::Model, &covered, &self.ledger(&covered.ids)) {
                        Ok((edit, shown)) => {
                            let step = self.summary_step(&edit, "the model's summary");
                            let made = Made { covered, text, shown, model: Some(report) };
                            let result = self.fit(vec![edit], vec![step], Some(made));
                            return self.done(result);
                        }
                        Err((status, why)) => (status, why),
                    }
                }
                Err(unusable) => {
                    let called =
                        finish_reason.is_some_and(|r| ["tool_calls", "tool_use", "function_call"].contains(&&*r));
                    match unusable {
                        _ if called => {
                            (Status::ToolCallInstead, "the model called a tool instead of answering".to_string())
                        }
                        Unusable::Empty => (Status::EmptySummary, "the model's summary is empty".to_string()),
                        Unusable::NoTag => (Status::NoSummaryTag, "the reply holds no <summary> block".to_string()),
                    }
                }
            },
        };
        let again = matches!(status, Status::EmptySummary | Status::NoSummaryTag | Status::ToolCallInstead);
        if again && self.calls < ATTEMPTS {
            return self.ask_again(covered, &why);
        }
        let report = self.model_report(Some(why.clone()));
        if self.options.offline_on_failure {
            return self.done(self.offline(&covered, Some((report, why))));
        }
        let result = self.untouched(status, &why, report);
        self.done(result)
    }

    /// The same request once more, with a word on what was wrong.
    pub(super) fn ask_again(&mut self, covered: Covered, why: &str) -> State {
        let calls = self.calls;
        let spent = self.prompt_tokens;
        match self.start() {
            State::Asked { mut ask, .. } => {
                let Effect::CallModel(model) = &mut ask.effect;
                model.prompt.push_str(&format!(
                    "\n\nYour last answer could not be used: {why}. Answer with text only, call no tool, and put the record into one \
                     <summary>...</summary> block."
                ));
                model.prompt_tokens = self.tokenizer.count(&model.system) + self.tokenizer.count(&model.prompt);
                ask.id = calls as u32;
                self.calls = calls + 1;
                self.prompt_tokens = spent + model.prompt_tokens;
                State::Asked { ask, covered }
            }
            other => other,
        }
    }
}
