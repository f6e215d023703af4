//! A hand-over: a record of the whole conversation for an agent that continues it elsewhere. The conversation does not
//! change.

use super::start::covered_by;
use super::*;
use crate::compact::form::Form;

impl Compaction {
    /// Covers everything, including the newest request and the newest round.
    pub(super) fn hand_over(&mut self) -> State {
        let draft = self.view(&[]);
        let groups = groups(&draft);
        let all: Vec<usize> = (0..groups.len()).filter(|&at| groups[at].kind != group::Kind::Frame).collect();
        let covered = covered_by(&draft, &draft, &groups, &all);
        let total = draft.total();
        self.cheap = CheapSteps { total, ..CheapSteps::default() };
        if covered.ids.is_empty() {
            let step = skipped("summary", total, "there is nothing to hand over");
            let draft = self.view(&[]);
            return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
        }
        self.handle_plan(covered)
    }

    /// Returns the unchanged conversation, and the record.
    pub(super) fn finish_hand_over(&mut self, covered: Covered, makes: SummarySource) -> State {
        let ledger = self.ledger(&covered.ids);
        let budget = self.whole_budget();
        let form: &Form = self.form();
        let (text, title, model, step) = match makes {
            SummarySource::Text { text, gaps } => {
                let model = ModelReport { gaps: gaps.sentences(), ..self.model_report(None) };
                (text.clone(), form.title_of(&text), Some(model), "summary")
            }
            SummarySource::Rules { after, .. } => {
                let text = self.extract(&covered.ids, &ledger, budget.summary);
                (text, None, after.map(|failed| self.model_report(Some(failed))), "offline")
            }
        };
        let covering = Covering {
            messages: covered.ids.len(),
            tokens: covered.was,
            first: covered.ids.first().map_or("", String::as_str),
            last: covered.ids.last().map_or("", String::as_str),
            followed: 0,
            is_brief: false,
        };
        // The record is alone, so nothing else takes room.
        let Budget { user, entries, .. } = budget;
        let shares =
            Shares { user, ledger: entries, entries, least: entries, room: user + entries, is_last_told: false };
        let extras = Extras::default();
        let (record, Blocks { shown, .. }) =
            summary::message(String::new(), &text, &ledger, covering, shares, &extras, &*self.tokenizer);
        let total = self.cheap.total;
        let step = StepReport::same(step, Outcome::Applied, total, "a record to hand over; nothing was changed".into());
        let done = self.finished(self.view(&[]), Status::Applied, vec![], vec![step]).map(|done| Compacted {
            summary: Some(text),
            title,
            record: Some(record.text()),
            covered: covered.ids,
            ledger: shown,
            model,
            ..done
        });
        self.done(done)
    }
}
