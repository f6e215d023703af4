//! The report of a result: what it retains of the history, and what it cost.

use super::*;
use crate::cache::{Clearing, clearing};
use crate::compact::ledger::Rules;

/// Rules of repair. The messages that they change were never sent in any other form.
const REPAIRS: [&str; 4] = ["empty", "orphan-result", "double-id", "lost-call"];

impl Compaction {
    /// Measures what the result retains of the history.
    pub(super) fn quality(&self, draft: &Draft, covered: &Covered, edits: &[Edit], text: &str) -> Quality {
        let view: Vec<&Message> = draft.entries.iter().filter(|e| e.is_in()).map(|e| &*e.message).collect();
        let edit = edits.iter().find(|edit| edit.kind == Kind::ReplaceRange);
        // Rules extract verbatim, so nothing can be invented.
        let summary = edit.filter(|edit| edit.author == Author::Model).map(|_| text);
        let rules = &self.options.rules;
        let all = match &self.behind {
            // A kept ledger of a record may contain more than the record says.
            None => self.held.folds.whole(self.spoken(), rules),
            Some(_) => Rc::new(Ledger::fold(self.messages.iter().map(|message| &**message), rules)),
        };
        let rules = Rules { records: self.records_with(edits), ..rules.clone() };
        let report = measured(&all, &self.messages, &view, &rules, summary, &*self.tokenizer);
        let (before, after) = (draft.before().total, draft.after().total);
        let size = Size {
            before,
            after,
            freed: before.saturating_sub(after),
            headroom: self.options.budget.saturating_sub(after),
            covered: covered.was,
            summary: edit.map_or(0, |edit| edit.tokens_after),
            prompt: self.prompt_tokens,
        };
        Quality { size: Some(size), boundary: self.boundary(covered), cache: self.cache(draft), ..report }
    }

    fn boundary(&self, covered: &Covered) -> Option<Boundary> {
        let last = covered.ids.last()?;
        let draft = self.view(&[]);
        let budget = self.budget(&draft);
        let scene = Scene::new(&draft, self.ground(&budget));
        let holds = |group: &&Group| group.entries.iter().any(|&at| draft.entries[at].message.id == *last);
        let newest_request = scene.groups.iter().rposition(Group::has_request);
        let boundary = scene.groups.iter().position(|group| holds(&group))? + 1;
        let tail = (boundary..scene.groups.len())
            .filter(|&at| Some(at) != newest_request && scene.groups[at].kind != group::Kind::Frame)
            .map(|at| scene.groups[at].tokens(&draft));
        Some(Boundary {
            tail: tail.sum(),
            target: budget.keep_recent,
            between_edit_and_check: cut::parts_edit_from_check(&scene.groups, &cut::deeds(&scene), boundary),
        })
    }

    /// Reports how much of the result the provider has cached, and what the rest costs. `None` if a price is invalid.
    fn cache(&self, draft: &Draft) -> Option<Cache> {
        let before = self.view(&[]).total();
        let after = draft.total();
        let mut shared = self.cost_model.list_overhead() + self.tools;
        for entry in &draft.entries {
            let is_repair = entry.rule.is_some_and(|rule| REPAIRS.contains(&rule));
            match entry.fate {
                Fate::Kept => shared += entry.after,
                Fate::Changed | Fate::Inserted if is_repair => shared += entry.after,
                Fate::Dropped if is_repair => {}
                _ => break,
            }
        }
        let shared = shared.min(after).min(before);
        let change = Clearing {
            cleared: before - shared,
            suffix: 0,
            replacement: after - shared,
            extra: 0.0,
            requests: 1.0,
            hit_rate: 1.0,
        };
        let decision = clearing(self.options.prices, change).ok()?;
        Some(Cache {
            shared,
            rewritten: after - shared,
            saved: before.saturating_sub(after),
            once: decision.once,
            per_request: decision.per_request,
            break_even: decision.break_even,
        })
    }
}
