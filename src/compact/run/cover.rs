//! A range that the caller chose, instead of a cut.

use super::aim::EXTRACT_DIVISOR;
use super::start::covered_by;
use super::*;
use crate::compact::Cover;

/// The result of choosing a range.
pub(super) struct Range {
    /// Ids of messages that were added to the range so that groups stay whole.
    pub grown: Vec<String>,
    /// Id of its first message, where the summary goes.
    pub first: Option<String>,
}

impl Compaction {
    /// Plans the compaction of a chosen range. Only messages that no edit may remove stay in it.
    pub(super) fn plan_range(&mut self, cover: &Cover) -> State {
        let draft = self.view(&[]);
        let total = draft.total();
        let groups = groups(&draft);
        let bounds = match bounds(&draft, &groups, cover) {
            Ok(bounds) => bounds,
            Err(error) => return self.done(Err(error)),
        };
        let budget = self.budget(&draft);
        let scene = Scene::new(&draft, self.ground(&budget));
        let inside: Vec<usize> = bounds.groups.clone().filter(|&at| groups[at].kind != group::Kind::Frame).collect();
        let covered: Vec<usize> = inside.iter().copied().filter(|&at| !scene.is_fixed[at]).collect();
        let entries = || inside.iter().flat_map(|&at| groups[at].entries.iter().copied());
        let id = |at: usize| draft.entries[at].message.id.clone();
        let range = Range {
            grown: entries().filter(|at| !bounds.asked.contains(at)).map(id).collect(),
            first: entries().min().map(id),
        };
        let messages: usize = covered.iter().map(|&at| groups[at].entries.len()).sum();
        let min = self.options.profile.min_messages.manual;
        let covered = covered_by(&draft, &draft, &groups, &covered);
        drop(scene);
        self.cheap = CheapSteps { total, ..CheapSteps::default() };
        self.range = Some(range);
        if messages < min {
            let step = skipped("summary", total, &format!("fewer than {min} messages of the range could be covered"));
            let draft = self.view(&[]);
            return self.done(self.finished(draft, Status::NothingToCompact, vec![], vec![step]));
        }
        self.handle_plan(covered)
    }

    /// Returns the maximum tokens of the summary of `covered`: for a chosen range a share of that range, else a share
    /// of what messages may use.
    pub(super) fn summary_tokens(&self, covered: &Covered) -> u64 {
        if self.options.cover.is_some() {
            return self.options.profile.shares.summary.tokens(covered.tokens).min(covered.tokens / 4);
        }
        let budget = self.whole_budget();
        // For a talk in little room, facts say more.
        let is_small = self.fills && !self.has_work();
        budget.summary.min(if is_small { budget.available / EXTRACT_DIVISOR } else { u64::MAX })
    }
}

struct Bounds {
    /// Groups of the range, by index.
    groups: std::ops::Range<usize>,
    /// The requested entries.
    asked: std::ops::RangeInclusive<usize>,
}

/// Returns the bounds of a range, extended to whole groups.
fn bounds(draft: &Draft, groups: &[Group], cover: &Cover) -> Result<Bounds> {
    let place = |id: &Option<String>, name: &str, absent: usize| match id {
        None => Ok(absent),
        Some(id) => draft.entries.iter().position(|entry| entry.message.id == *id).ok_or_else(|| {
            let error = Error::new(Code::UnknownId, format!("there is no message with the id {id:?}"));
            error.at(format!("options.cover.{name}"))
        }),
    };
    let from = place(&cover.from, "from", 0)?;
    let to = place(&cover.to, "to", draft.entries.len().saturating_sub(1))?;
    if from > to {
        let why = format!("{:?} comes after {:?}", draft.entries[from].message.id, draft.entries[to].message.id);
        return Err(Error::new(Code::BadOption, why).at("options.cover.from"));
    }
    // Groups are in the order of their first entries; only messages of the frame can lie inside other groups.
    let body = |group: &&Group| group.kind != group::Kind::Frame;
    let last_of = |group: &Group| group.entries.last().copied().unwrap_or(0);
    let first_of = |group: &Group| group.entries.first().copied().unwrap_or(usize::MAX);
    let first = groups.iter().position(|group| body(&group) && last_of(group) >= from).unwrap_or(groups.len());
    let end = groups.iter().rposition(|group| body(&group) && first_of(group) <= to).map_or(first, |last| last + 1);
    Ok(Bounds { groups: first..end.max(first), asked: from..=to })
}
