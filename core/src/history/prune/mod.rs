//! Prunes one request to its budget.
//!
//! The design follows the truncator of Copilot CLI: it never removes system messages and the user's newest request, it
//! removes orphans even when everything fits, and it reports every removal. Four things differ. Older turns are removed
//! as a whole, so that no request stays without its answer. Rounds after the newest request can be removed too, since
//! an agent that works for hours on one request has nothing else. Parts that stay can be shortened. The cut is exact:
//! removal stops as soon as the request fits, and everything that still fits is put back.
//!
//! | pass | what it removes or shortens |
//! |---|---|
//! | repair | orphan results, empty messages, pictures beyond the bytes that a turn may have; always runs |
//! | oversize | any result over a quarter of the limit (recent ones 3/4), to a quarter or what the rest leaves free |
//! | turns (A) | turns before the newest request, oldest first; of the last one only old rounds, if the rest fits |
//! | current rounds (B) | rounds after the newest request, except the newest round and pending calls |
//! | results (C) | results in the remaining messages, largest first to one common level |
//! | arguments, media (D) | long arguments of old calls; pictures and documents outside the newest round |
//!
//! Each pass after repair runs only if the request does not fit yet. Hosts can ask for two more instead of A, in the
//! order of Copilot CLI: *rounds* (those before the newest request, oldest first) and *requests* (older ones with what
//! is left of their turns). In: messages, a [`Meter`] that counts them, [`Limits`]. Out: [`Pruned`].
//!
//! - `class`: what may be removed.
//! - `select`: the passes that remove groups. `turns`: pass A.
//! - `shrink`, `arguments`: the passes that shorten parts.
//! - `cut`: what the next request needs to know about this one. `held`: a conversation that grows.
//! - `sentences`: sentences of removed messages. `note`: the line that says that something is missing.
//! - `thought`: the thought of the running turn, which moves if its round is removed.
//! - `join`: messages that are joined when written. `pictures`: limits on bytes, not tokens.

pub mod arguments;
mod class;
mod cut;
mod held;
mod join;
mod limits;
mod note;
mod pictures;
mod select;
mod sentences;
mod shrink;
mod thought;
mod turns;

pub use cut::{Cut, Difference, How, MARK, Shared, Shortened, Stretch, fingerprint};
pub use held::{Brief, Held, Item, Row};
pub use limits::{DropMedia, Limits, Pass};
pub use note::Note;
pub use pictures::lighten;
pub use pictures::{Allowance, PICTURE_BYTES, Picture};
pub use sentences::{Excerpt, Sentences};
pub use shrink::FLOOR;
pub use shrink::media_note;

use serde::Serialize;

use self::class::{Class, Drop, classify, confirmed, refusal};
use self::select::Selection;
use self::shrink::Shrinker;
use self::thought::work;
use super::draft::{Draft, Meter};
use super::group::{groups, groups_within};
use super::mend::{Mended, Repair, mend};
use super::pairs::{repair_request, takes_results_anywhere};
use super::plan::{MessageFate, PlanItem, Removal, Totals};
use super::sound::Sound;
use crate::error::{BudgetDetails, Code, Error, Result};
use crate::message::Message;
use crate::tokens::Origin;

/// A previous cut is not repeated if the limit has grown by more than one part in `GROWN`: a larger limit means another
/// model, which has another cache.
const GROWN: u64 = 10;

/// Attempts to make room for notes, before they are left out.
const NOTE_ATTEMPTS: usize = 6;

/// Free tokens that are not worth another attempt: one part in `SPARE` of the limit.
const SPARE: u64 = 50;

/// Attempts to fit the messages in their written form and to use the tokens that joining saves.
const FORM_ATTEMPTS: usize = 6;

/// A pruned request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    pub plan: Vec<PlanItem>,
    pub before: Totals,
    pub after: Totals,
    pub origin: Origin,
    /// Everything that was removed or changed, in the order of the decisions.
    pub removed: Vec<Removal>,
    /// One row for every message of the input and every inserted one, in order.
    pub messages: Vec<MessageFate>,
    /// The repairs for the receiver, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// Inserted lines, if the options asked for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Pass this as [`Limits::previous`] of the next request.
    pub cut: Cut,
    /// Present with `previous`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
}

/// Prunes `messages` to `limits`.
///
/// ```
/// use espalier::history::draft::Meter;
/// use espalier::history::prune::{Limits, prune};
/// use espalier::message::{Message, Part, Role};
/// use espalier::tokens::{CostModel, Origin, Tokenizer};
/// struct Bytes; // one token a byte
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// let say = |id: &str, role, text: &str| {
///     Message { id: id.into(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
/// };
/// let messages = [say("m0", Role::User, "a"), say("m1", Role::Assistant, "b"), say("m2", Role::User, "c")];
/// let meter = Meter { model: CostModel::Espalier, tokenizer: &Bytes, tools: 0, by_items: false, provider: None };
/// let pruned = prune(&messages, meter, Origin::Exact, &Limits { budget: 15, ..Limits::default() }).unwrap();
/// assert_eq!((pruned.removed[0].rule, pruned.removed[0].ids[0].as_str()), ("old-turn", "m0"));
/// ```
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if the messages that must stay exceed the budget even
/// when shortened as far as allowed. The details name the largest contributors.
pub fn prune(messages: &[Message], meter: Meter, origin: Origin, limits: &Limits) -> Result<Pruned> {
    let marks: Vec<u64> = messages.iter().map(fingerprint).collect();
    cut_draft(Draft::new(messages, meter, origin), &marks, limits, None)
}

/// Prunes a draft with the [`fingerprint`]s of its messages. `sound` knows all of them, if there is one.
fn cut_draft(mut draft: Draft, marks: &[u64], limits: &Limits, sound: Option<&Sound>) -> Result<Pruned> {
    let before = draft.before();
    draft.mark_records(&limits.records);
    if !sound.is_some_and(|sound| sound.is_sound(draft.meter)) {
        repair_request(&mut draft);
    }
    let (pictures, most, keep) = (&limits.pictures, limits.picture_bytes, &limits.keep);
    lighten(&mut draft, Allowance { pictures, most, keep });
    let limit = limits.budget.saturating_sub(limits.headroom);
    let made = match class::trusted(&draft, limits) {
        None => fitted(draft, marks, limits, limit),
        Some(records) => fitted(draft.clone(), marks, limits, limit)
            .or_else(|_| fitted(draft, marks, &Limits { records, ..limits.clone() }, limit)),
    };
    let Made { draft, shortened, notes, joined, mended } =
        made.map_err(|error| match error.budget.as_ref().map(|details| details.needed) {
            Some(needed) => error.of_budget(limits.budget, needed + limits.headroom),
            None => error,
        })?;
    let (plan, after, repair) = match mended {
        Some(Mended { plan, after, mut repair }) => {
            // `removed` may list a joined message already, with its tokens.
            let is_listed = |change: &Removal| {
                change.rule == "same-role"
                    && draft.removed.iter().any(|it| it.rule == change.rule && it.ids == change.ids)
            };
            repair.changes.retain(|change| !is_listed(change));
            (plan.unwrap_or_else(|| draft.plan()), after, Some(repair))
        }
        None => {
            let after = draft.after();
            (draft.plan(), Totals { messages: after.messages - joined, ..after }, None)
        }
    };
    let cut = cut::cut_of(&draft, marks, limit, shortened);
    let shared = limits.previous.as_ref().map(|previous| cut::shared(&draft, previous, &cut));
    Ok(Pruned {
        before,
        after,
        origin: draft.origin,
        plan,
        repair,
        messages: draft.fates(),
        removed: draft.removed,
        notes,
        cut,
        shared,
    })
}

/// A draft after the cut.
struct Made<'a> {
    draft: Draft<'a>,
    shortened: Vec<Shortened>,
    notes: Vec<Note>,
    /// Number of messages that are joined to the one before them.
    joined: usize,
    /// The draft repaired for its receiver.
    mended: Option<Mended>,
}

impl<'a> Made<'a> {
    fn of(draft: Draft<'a>, shortened: Vec<Shortened>, notes: Vec<Note>) -> Made<'a> {
        Made { draft, shortened, notes, joined: 0, mended: None }
    }

    /// Applies the rules of the receiver and joins messages; returns the tokens of the result too.
    fn written(mut self, limits: &Limits) -> (Made<'a>, u64) {
        self.mended = limits.receiver.as_ref().map(|receiver| mend(&self.draft, receiver));
        self.joined = join::count_joined(&mut self.draft, limits.written);
        let total = self.mended.as_ref().map_or(self.draft.total(), |mended| mended.after.total);
        (self, total)
    }
}

/// Fits a draft to `limit` in the form that its provider takes.
fn fitted<'a>(draft: Draft<'a>, marks: &[u64], limits: &Limits, limit: u64) -> Result<Made<'a>> {
    if !super::written::joins(limits.written) && limits.receiver.is_none() {
        return passes(draft, marks, limits, limit);
    }
    let fitted = |limit| as_written(&draft, marks, limits, limit);
    fitted(limit).map_err(|error| confirmed(error, fitted))
}

fn passes<'a>(mut draft: Draft<'a>, marks: &[u64], limits: &Limits, limit: u64) -> Result<Made<'a>> {
    if let Some(sentences) = limits.sentences.filter(|_| draft.total() > limit)
        && let Some(made) = with_sentences(&draft, marks, limits, &sentences, limit)
    {
        return Ok(made);
    }
    if limits.note {
        let (draft, shortened, notes) = with_notes(draft, marks, limits, limit)?;
        return Ok(Made::of(draft, shortened, notes));
    }
    let shortened = work(&mut draft, marks, limits, limit)?;
    Ok(Made::of(draft, shortened, vec![]))
}

/// Leaves room for sentences of removed messages. Returns `None` if there is no room, or nothing to say.
fn with_sentences<'a>(
    draft: &Draft<'a>,
    marks: &[u64],
    limits: &Limits,
    sentences: &Sentences,
    limit: u64,
) -> Option<Made<'a>> {
    let mut share = (limit as f64 * sentences.share.clamp(0.0, 1.0)) as u64;
    let mut best: Option<Made> = None;
    // If the sentences need less than their share, the second run keeps more messages.
    for _ in 0..2 {
        let mut attempt = draft.clone();
        let made = work(&mut attempt, marks, limits, limit.saturating_sub(share));
        let shortened = match made {
            Ok(shortened) => shortened,
            // The messages that must stay leave less room.
            Err(error) => {
                let needed = error.budget.map(|details| details.needed).filter(|needed| *needed <= limit)?;
                attempt = draft.clone();
                work(&mut attempt, marks, limits, needed).ok()?
            }
        };
        let note = sentences::add(&mut attempt, sentences, limit);
        let total = attempt.total();
        share = note.as_ref().map_or(0, |note| note.tokens);
        if let Some(note) = note.filter(|_| best.as_ref().is_none_or(|best| best.draft.total() < total)) {
            best = Some(Made::of(attempt, shortened, vec![note]));
        }
        if total + limit / SPARE >= limit {
            break;
        }
    }
    best
}

/// Fits the messages in their written form. Its size depends on the cut: joining saves tokens, and repairs may add
/// some.
fn as_written<'a>(draft: &Draft<'a>, marks: &[u64], limits: &Limits, limit: u64) -> Result<Made<'a>> {
    let mut best: Option<(Made, u64)> = None;
    let mut refused = None;
    let mut room = limit;
    let mut needed = draft.total();
    for _ in 0..FORM_ATTEMPTS {
        let made = match passes(draft.clone(), marks, limits, room) {
            Ok(made) => made,
            Err(error) => {
                refused = Some(error);
                break;
            }
        };
        let apart = made.draft.total();
        let (made, total) = made.written(limits);
        if total > limit {
            if best.is_some() {
                break;
            }
            needed = total;
            room = room.min(apart).saturating_sub(total - limit);
            continue;
        }
        let wider = limit + apart.saturating_sub(total);
        if best.as_ref().is_none_or(|(_, best)| *best < total) {
            best = Some((made, total));
        }
        if wider <= room {
            break;
        }
        room = wider;
    }
    if let Some((made, _)) = best {
        return Ok(made);
    }
    let Some(error) = refused else {
        return Err(Error {
            budget: Some(BudgetDetails { budget: limit, needed, largest: vec![] }),
            ..Error::new(Code::BudgetExceeded, format!("What is left needs more than the {limit} tokens of the budget"))
        });
    };
    // What must stay decides in its written form.
    let least = error.budget.as_ref().map_or(0, |details| details.needed);
    match passes(draft.clone(), marks, limits, least).map(|made| made.written(limits)) {
        Ok((made, total)) if total <= limit => Ok(made),
        Ok((_, total)) => Err(error.of_budget(limit, total)),
        Err(_) => Err(error.of_budget(limit, least)),
    }
}

/// Makes room for the notes, whose size depends on the cut. If there is no room, the result has no notes; this is no
/// error.
fn with_notes<'a>(
    draft: Draft<'a>,
    marks: &[u64],
    limits: &Limits,
    limit: u64,
) -> Result<(Draft<'a>, Vec<Shortened>, Vec<Note>)> {
    let mut bare: Option<(Draft, Vec<Shortened>)> = None;
    let mut reserve = 0;
    for _ in 0..NOTE_ATTEMPTS {
        let mut attempt = draft.clone();
        let shortened = match (work(&mut attempt, marks, limits, limit.saturating_sub(reserve)), &bare) {
            (Ok(shortened), _) => shortened,
            (Err(_), Some(_)) => break,
            (Err(error), None) => return Err(error),
        };
        if bare.is_none() {
            bare = Some((attempt.clone(), shortened.clone()));
        }
        let notes = note::annotate(&mut attempt);
        let over = attempt.total().saturating_sub(limit);
        if over == 0 {
            return Ok((attempt, shortened, notes));
        }
        reserve += over;
    }
    // The first attempt always sets `bare`.
    let (draft, shortened) = bare.unwrap_or((draft, vec![]));
    Ok((draft, shortened, vec![]))
}

/// Runs all passes on a repaired draft.
fn worked(draft: &mut Draft, marks: &[u64], limits: &Limits, limit: u64) -> Result<Vec<Shortened>> {
    if draft.total() <= limit && limits.drop_media == DropMedia::None {
        return Ok(vec![]);
    }
    let groups = groups_within(draft, takes_results_anywhere(draft));
    let classes = classify(draft, &groups, limits);
    let mut selection = Selection::new(draft, &groups, &classes, &limits.priorities);
    let mut shrinker = Shrinker::new(draft, &groups, limits);
    if limits.drop_media != DropMedia::None {
        shrinker.media(draft, &mut selection, 0, limits.drop_media == DropMedia::All);
    }
    if selection.total() > limit {
        let previous = limits.previous.as_ref().filter(|cut| limit <= cut.limit.saturating_add(cut.limit / GROWN));
        if let Some(previous) = previous {
            cut::hold(draft, &groups, marks, previous, &mut selection);
            if limits.order.as_ref().is_none_or(|order| order.contains(&Pass::Turns)) {
                selection.held_turns();
            }
            shrinker.replay(draft, &mut selection, &previous.shortened);
        }
        run(draft, limits, limit, &mut selection, &mut shrinker);
    }
    if selection.total() > limit
        && let Some(error) = refusal(draft, &groups, &classes, limit, |group| selection.is_left(group))
    {
        return Err(error);
    }
    selection.carry_out(draft);
    let done = shrinker.done.iter().filter(|((entry, ..), _)| draft.entries[*entry].is_in());
    Ok(done
        .map(|(&(entry, part, item), &how)| {
            let entry = &draft.entries[entry];
            let part = entry.edits.as_ref().and_then(|edits| edits.get(part)).map_or(part, |edit| edit.part);
            Shortened { id: entry.message.id.clone(), part, item, how: how.how(), limit: how.limit() }
        })
        .collect())
}

/// Runs the passes in the host's order, each only while the request does not fit. Then puts back what still fits.
fn run(draft: &mut Draft, limits: &Limits, limit: u64, selection: &mut Selection, shrinker: &mut Shrinker) {
    // A cut that has to move moves further than needed, so that it can stay for the next requests.
    let step = (limits.cache_step_share * limit as f64) as u64;
    let goal = limit.saturating_sub(step);
    let order = limits.order.as_deref().unwrap_or(&Pass::DROP);
    // The state before all results were cut to the floor, if they were.
    let mut unshrunk = None;
    let mut edited_since = false;
    for (at, &pass) in order.iter().enumerate() {
        if selection.total() <= limit {
            break;
        }
        match pass {
            Pass::Turns | Pass::Rounds | Pass::Requests | Pass::CurrentRounds => {
                if let Some(pass) = pass.drops() {
                    selection.pass(pass, goal);
                }
            }
            Pass::Oversize => {
                // What is recent stays whole only if older messages go next.
                let next: Vec<Drop> = order[at + 1..].iter().map_while(|pass| pass.drops()).collect();
                let recent = selection.newest_that_fit(&next, goal);
                shrinker.oversize(draft, selection, (limit, goal), recent);
            }
            Pass::Results => {
                let before = (draft.clone(), shrinker.clone());
                shrinker.results(draft, selection, goal);
                if selection.total() > limit {
                    unshrunk = Some(before);
                    edited_since = false;
                }
            }
            Pass::Arguments => {
                shrinker.arguments(draft, selection, goal);
                edited_since = true;
            }
            Pass::Media => {
                shrinker.media(draft, selection, goal, false);
                edited_since = true;
            }
        }
    }
    let drops: Vec<Drop> = order.iter().filter_map(|pass| pass.drops()).collect();
    if !limits.backfill {
        selection.refill_turns(goal);
    }
    selection.readmit(&drops, goal, limits.backfill);
    // All results were cut to the floor, and groups were removed nevertheless. The results that are left may be longer.
    if let Some((before, whole)) = unshrunk
        && selection.total() < limit
        && selection.has_moved()
        && !edited_since
    {
        let floored = (draft.clone(), shrinker.clone(), selection.clone());
        *draft = before;
        *shrinker = whole;
        selection.refresh(draft);
        shrinker.results(draft, selection, goal);
        if selection.total() > limit {
            (*draft, *shrinker, *selection) = floored;
        }
    }
}

/// Runs the passes A and B only, on a repaired draft whose records are marked.
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if the messages that must stay exceed the budget. The
/// draft is then unchanged.
pub fn fit(draft: &mut Draft, limits: &Limits) -> Result<()> {
    let limit = limits.budget.saturating_sub(limits.headroom);
    if draft.total() <= limit {
        return Ok(());
    }
    let groups = groups(draft);
    let classes = classify(draft, &groups, limits);
    let must = |group: usize| matches!(classes[group], Class::Must(_));
    if let Some(error) = refusal(draft, &groups, &classes, limit, must) {
        return Err(error);
    }
    let mut selection = Selection::new(draft, &groups, &classes, &limits.priorities);
    for pass in Drop::USUAL {
        selection.pass(pass, limit);
    }
    selection.refill_turns(limit);
    selection.readmit(&Drop::USUAL, limit, limits.backfill);
    selection.carry_out(draft);
    Ok(())
}

/// Returns the entries that no pass may remove.
pub fn must_keep(draft: &Draft, limits: &Limits) -> Vec<usize> {
    let groups = groups(draft);
    let classes = classify(draft, &groups, limits);
    let must = groups.iter().zip(classes).filter(|(_, class)| matches!(class, Class::Must(_)));
    must.flat_map(|(group, _)| group.entries.iter().copied()).collect()
}

/// Returns whether a pass removes groups under this rule.
pub fn is_prune_rule(rule: &str) -> bool {
    Drop::ALL.iter().any(|pass| pass.rule() == rule)
}
