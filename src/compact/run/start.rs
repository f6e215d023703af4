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
        self.planned(covered)
    }
}
