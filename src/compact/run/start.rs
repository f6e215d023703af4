//! Before the model is asked: what the summary will stand for.

use super::*;

impl Compaction {
    pub(super) fn start(&mut self) -> State {
        let draft = self.view(&[]);
        let total = draft.total();
        if total <= self.options.budget && !self.options.force {
            return self.done(self.finished(draft, Status::Unchanged, vec![], vec![]));
        }
        let groups = groups(&draft);
        let budget = self.budget(&draft);
        let pinned = |group: &crate::history::group::Group| {
            group.entries.iter().any(|&i| self.options.keep.contains(&draft.entries[i].message.id))
        };
        let cut = cut::choose(&draft, &groups, budget.keep_recent, pinned).filter(|cut| {
            cut.covered.iter().map(|&at| groups[at].entries.len()).sum::<usize>() >= MIN_COVERED && budget.summary > 0
        });
        let Some(cut) = cut else {
            let why = "fewer than two messages could be covered";
            let step = skipped("summary", total, why);
            if total <= self.options.budget {
                return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
            }
            return self.done(self.fit(vec![], vec![step], None));
        };
        let entries: Vec<usize> = cut.covered.iter().flat_map(|&at| groups[at].entries.iter().copied()).collect();
        let covered = Covered {
            ids: entries.iter().map(|&i| draft.entries[i].message.id.clone()).collect(),
            tokens: entries.iter().map(|&i| draft.entries[i].after).sum(),
        };
        let limit = self.options.model_limit.unwrap_or(self.options.budget);
        if !self.options.has_model || limit < LEAST_ROOM {
            return self.done(self.offline(&covered, None));
        }
        let kept = groups[cut.boundary..].iter().map(|g| g.entries.len()).sum();
        let wanted = Wanted {
            max_tokens: budget.summary,
            focus: self.options.focus.as_deref(),
            has_earlier: request::begins_with_summary(&draft, &groups, &cut.covered, SUMMARY_TAG),
            kept,
        };
        let model = request::request(&draft, &groups, &cut.covered, &wanted, limit, &*self.tokenizer);
        self.calls = 1;
        self.prompt_tokens = model.prompt_tokens;
        State::Asked { ask: Box::new(Ask { id: 0, effect: Effect::CallModel(model) }), covered }
    }
}
