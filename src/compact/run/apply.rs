//! After the summary: the edit that inserts it.

use super::record::{New, Written};
use super::*;

/// Where a summary goes.
struct Place<'d> {
    /// Id of the message that it precedes.
    before: Option<String>,
    /// The message after it that is not covered.
    next: Option<&'d Entry<'d>>,
    /// Number of messages that follow.
    followed: usize,
}

impl Compaction {
    pub(super) fn offline(&self, covered: &Covered, after: Option<(ModelReport, String)>) -> Result<Compacted> {
        let draft = self.view(&[]);
        let total = self.cheap.total;
        let ledger = self.closed_ledger(&covered.ids);
        if !self.options.profile.has(Rung::Offline) {
            return self.end_without_summary(after);
        }
        let text = self.extract(&covered.ids, &ledger, self.extract_tokens(covered, &ledger));
        let mut steps = Vec::new();
        let report = after.map(|(report, why)| {
            let step = StepReport {
                step: "summary",
                outcome: Outcome::Failed,
                tokens_before: total,
                tokens_after: total,
                why,
            };
            steps.push(step);
            report
        });
        match self.apply(&text, Author::Rule, covered, &ledger) {
            Ok(Placed { edit, shown, spare, crowd }) => {
                let mut step = self.summary_step(&edit, "a summary made by rules");
                step.step = "offline";
                steps.push(step);
                let covered = covered.clone();
                self.fit(vec![edit], steps, Some(FinishedSummary { covered, text, shown, spare, crowd, model: report }))
            }
            Err((_, why)) => {
                steps.push(StepReport {
                    step: "offline",
                    outcome: Outcome::NoGain,
                    tokens_before: total,
                    tokens_after: total,
                    why,
                });
                if !self.exceeds && self.cheap.edits.is_empty() {
                    return Ok(Compacted { model: report, ..self.finished(draft, Status::NoGain, vec![], steps)? });
                }
                let done = self.fit(vec![], steps, None)?;
                Ok(Compacted { model: report, ..done })
            }
        }
    }

    /// Ends without a summary: neither a model nor rules may write one.
    fn end_without_summary(&self, after: Option<(ModelReport, String)>) -> Result<Compacted> {
        let (model, step) = match after {
            Some((report, why)) => (Some(report), StepReport::same("summary", Outcome::Failed, self.cheap.total, why)),
            None => (None, skipped("summary", self.cheap.total, "there is no model to ask")),
        };
        Ok(Compacted { model, ..self.fit(vec![], vec![step], None)? })
    }

    /// Returns the edit that replaces the covered messages by a summary, if that is worth it.
    pub(super) fn apply(
        &self,
        text: &str,
        author: Author,
        covered: &Covered,
        ledger: &Ledger,
    ) -> std::result::Result<Placed, Failed> {
        let (budget, draft) = (self.whole_budget(), self.cheap_view());
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let edit_id = format!("e{}", steps::remaining(&self.cheap.edits, &ids));
        let place = self.place(&draft, &ids);
        let reply = self.reply(format!("{edit_id}:reply"), place.next);
        let (thinking, of_thinking) = self.last_thought(&draft, covered.ids.iter().map(String::as_str)).unzip();
        let of_reply = reply.as_ref().map_or(0, |reply| self.meter().message(reply));
        let beside = of_reply + of_thinking.unwrap_or(0);
        let covering = Covering {
            messages: covered.ids.len(),
            tokens: covered.was,
            first: covered.ids.first().map_or("", String::as_str),
            last: covered.ids.last().map_or("", String::as_str),
            followed: place.followed,
            is_brief: budget.is_brief(),
        };
        let id = format!("{edit_id}:summary");
        let new = New { id, text, author, covering, covered, ledger, draft: &draft, budget: &budget, beside };
        let Written { message, shown, spare, crowd } = self.write(&new);
        let tokens = self.meter().message(&message) + beside;
        self.check_gain(covered, tokens, &budget)?;
        let edit = Edit {
            id: edit_id,
            kind: Kind::ReplaceRange,
            targets: covered.ids.iter().map(Target::message).collect(),
            rule: "summary",
            author,
            tokens_before: covered.was,
            tokens_after: tokens,
            message: Some(message),
            reply,
            thinking,
            before: place.before,
            newer: None,
        };
        Ok(Placed { edit, shown, spare, crowd })
    }

    /// Returns where the summary of these messages goes.
    fn place<'d>(&self, draft: &'d Draft<'d>, ids: &HashSet<&str>) -> Place<'d> {
        let entries = &draft.entries;
        let is_covered = |e: &Entry| ids.contains(e.message.id.as_str());
        // The record goes before everything that stays behind its beginning, so that the reader meets earlier events
        // before the carried messages.
        let stays = |e: &&Entry| e.is_in() && !e.message.role.is_frame() && !self.environment.contains(&e.message.id);
        // Messages in front of the covered ones stay in front of the record, so that the provider's cache keeps them.
        // Where a list joins adjacent messages of the user, the record comes first: it is found again only at the
        // beginning of a message.
        let is_found =
            self.history.is_some() || !self.options.receiver.as_ref().is_some_and(|receiver| receiver.joins());
        let begins = match self.options.profile.replacement.form {
            profile::Form::Record if is_found => entries.iter().position(|e| e.is_in() && is_covered(e)).unwrap_or(0),
            _ => 0,
        };
        let followed = entries[begins..].iter().filter(stays).filter(|e| !is_covered(e)).count();
        let (before, next) = match &self.range {
            Some(range) => {
                let from = entries.iter().rposition(is_covered).map_or(0, |last| last + 1);
                (range.first.clone(), entries[from..].iter().find(stays))
            }
            None => {
                let first = entries[begins..].iter().find(stays).map(|e| e.message.id.clone());
                (first, entries[begins..].iter().filter(stays).find(|e| !is_covered(e)))
            }
        };
        Place { before, next, followed }
    }

    /// Returns the acknowledgement of the summary, if the profile has one and a message of the user follows.
    fn reply(&self, id: String, next: Option<&Entry>) -> Option<Message> {
        let words = self.options.profile.replacement.acknowledgement.as_ref()?;
        next.filter(|next| next.message.role == Role::User)?;
        let parts = vec![Part::Text { text: words.to_string() }];
        Some(Message { id, role: Role::Assistant, name: None, parts })
    }

    /// Returns an error if a summary of `tokens` frees too little.
    fn check_gain(&self, covered: &Covered, tokens: u64, budget: &Budget) -> std::result::Result<(), Failed> {
        if tokens >= covered.tokens {
            let why = format!("the summary has {tokens} tokens, the messages that it replaces have {}", covered.tokens);
            return Err((Status::Inflated, why));
        }
        let freed = covered.tokens - tokens;
        let share = (covered.tokens as f64 * self.options.profile.gain.covered) as u64;
        // A range that the caller chose only has to become shorter.
        let least = if self.range.is_some() { share } else { share.max(budget.min_gain) };
        if freed < least {
            let why = format!("the summary would free {freed} tokens, at least {least} are asked for");
            return Err((Status::NoGain, why));
        }
        Ok(())
    }

    pub(super) fn summary_step(&self, edit: &Edit, what: &str) -> StepReport {
        let mut edits = self.unhidden_edits(edit.ids());
        edits.push(edit.clone());
        StepReport {
            step: "summary",
            outcome: Outcome::Applied,
            tokens_before: self.cheap.total,
            tokens_after: self.view(&edits).total(),
            why: format!("{what} replaces {} messages", edit.targets.len()),
        }
    }
}
