//! Cutting one request to its budget.
//!
//! The lineage is the truncator of Copilot CLI: system messages and the newest request of the user are untouchable, orphans go even
//! when everything fits, and every removal is reported. Unlike there, older turns go whole, so that no request stays without what came
//! of it; the rounds after the newest request can go too (an agent that works for hours on one request has nothing else), what stays
//! can become smaller, and the cut is exact: removal stops as soon as the request fits, and what could stay after all is put back.
//!
//! | pass | what goes or becomes smaller |
//! |---|---|
//! | repair | orphan results, empty messages, pictures of more bytes than a turn may have; always |
//! | oversize | any single result over a quarter of the limit, to that or to what the rest leaves free |
//! | turns (A) | turns before the newest request, oldest first; of the last one only its oldest rounds, where the rest of it fits |
//! | current rounds (B) | rounds after the newest request, but for the newest round and pending calls |
//! | results (C) | results in what is left, largest first to one common level |
//! | arguments, media (D) | long arguments of old calls; pictures and documents outside the newest round |
//!
//! Each of the others runs only if the request does not fit yet. Hosts can ask for two more in the place of A, in the order of Copilot
//! CLI: *rounds* (those before the newest request, oldest first), *requests* (older ones with what is left of their turns). In: messages,
//! what counts them, [`Limits`]. Out: [`Pruned`].
//!
//! - `class`: what may go. - `select`: passes that drop. - `turns`: pass A. - `shrink`, `arguments`: the others. - `cut`: what one request
//!   tells the next.
//! - `sentences`: what messages that went say. - `join`: messages that are written as one. - `note`: the line that says that something is missing. - `pictures`: bytes instead of tokens.

pub mod arguments;
mod class;
mod cut;
mod join;
mod note;
mod pictures;
mod select;
mod sentences;
mod shrink;
mod turns;

pub use cut::{Cut, Difference, How, MARK, Shared, Shortened, Stretch, fingerprint};
pub use note::Note;
pub use pictures::lighten;
pub use pictures::{Allowance, PICTURE_BYTES, Picture};
pub use sentences::{Excerpt, Sentences};
pub use shrink::FLOOR;
pub use shrink::media_note;

use serde::{Deserialize, Serialize};

use self::class::{Class, Drop, classify, refusal};
use self::select::Selection;
use self::shrink::Shrinker;
use super::draft::{Draft, Meter};
use super::group::{groups, groups_within};
use super::mend::{Mended, Receiver, Repair, mend};
use super::pairs::{repair_for, takes_results_anywhere};
use super::plan::{MessageFate, PlanItem, Removal, Totals};
use super::record::Records;
use crate::error::{BudgetDetails, Code, Error, Result};
use crate::map::{HashMap, HashSet};
use crate::message::Message;
use crate::tokens::Origin;
use crate::validity::Provider;

/// One pass; repair always runs and is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pass {
    Oversize,
    Turns,
    Rounds,
    Requests,
    CurrentRounds,
    Results,
    Arguments,
    Media,
}

impl Pass {
    /// What is dropped first, then what is left becomes smaller.
    pub const DROP: [Pass; 6] =
        [Pass::Oversize, Pass::Turns, Pass::CurrentRounds, Pass::Results, Pass::Arguments, Pass::Media];
    /// Results become smaller before anything is dropped.
    pub const SHRINK: [Pass; 6] =
        [Pass::Oversize, Pass::Results, Pass::Turns, Pass::CurrentRounds, Pass::Arguments, Pass::Media];

    fn drops(self) -> Option<Drop> {
        match self {
            Pass::Turns => Some(Drop::OldTurn),
            Pass::Rounds => Some(Drop::OldRound),
            Pass::Requests => Some(Drop::OldRequest),
            Pass::CurrentRounds => Some(Drop::CurrentRound),
            Pass::Oversize | Pass::Results | Pass::Arguments | Pass::Media => None,
        }
    }
}

/// Media that go whatever the request costs, since a provider refused its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DropMedia {
    #[default]
    None,
    /// Those outside the newest round and the newest request.
    Old,
    /// All but what the user says in the newest request.
    All,
}

/// What a request may cost and what must stay.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Input tokens the request may have, tool definitions included.
    pub budget: u64,
    /// Tokens to leave free below the budget.
    pub headroom: u64,
    /// Ids of messages that must stay as they are, with their whole group.
    pub keep: HashSet<String>,
    /// Re-admit older groups that still fit whole, newest first. Holes in a story mislead, so this is off by default.
    pub backfill: bool,
    /// Passes in order; one that is not named is skipped. [`Pass::DROP`] if absent.
    pub order: Option<Vec<Pass>>,
    /// Priorities of messages by id, 0 for all others: inside a pass the lowest goes first. A group has that of its highest.
    pub priorities: HashMap<String, f64>,
    /// Say in the next message of the user that something was left out.
    pub note: bool,
    /// Show sentences of dropped messages.
    pub sentences: Option<Sentences>,
    /// The cut of the previous request.
    pub previous: Option<Cut>,
    /// Share of the limit by which a cut moves at least when it must move: 0.1 breaks a provider's cache once in many requests.
    pub cache_step_share: f64,
    pub drop_media: DropMedia,
    /// Pictures in results whose size is known.
    pub pictures: Vec<Picture>,
    /// Bytes that the pictures in the results of one turn may have; [`PICTURE_BYTES`] if absent.
    pub picture_bytes: Option<u64>,
    /// Whom the request is for, if that is known: what that provider takes as it stands needs no repair.
    pub provider: Option<Provider>,
    /// In whose format the messages are written, if that is known: some join neighbours.
    pub written: Option<Provider>,
    /// Whom the result is for; without it nothing is repaired but pairs and empty messages.
    pub receiver: Option<Receiver>,
    /// Messages that are summaries of earlier compactions: they stay.
    pub records: Records,
}

/// A cut is not held on to if the limit has grown by more than this part, one in so many: another model has another cache.
const GROWN: u64 = 10;

/// Times that room is made for notes before they are left out.
const NOTE_ATTEMPTS: usize = 6;

/// Room that is not worth another cut: one part in this many of the limit.
const SPARE: u64 = 50;

/// Cuts that are tried until the messages as they are written fit, and fill the room that joining saves.
const FORM_ATTEMPTS: usize = 6;

/// A pruned request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    pub plan: Vec<PlanItem>,
    pub before: Totals,
    pub after: Totals,
    pub origin: Origin,
    pub removed: Vec<Removal>,
    pub messages: Vec<MessageFate>,
    /// What the rules of its receiver did, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// Lines that were put in; only on demand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What the next request's [`Limits::previous`] should be.
    pub cut: Cut,
    /// What this request has in common with the previous one, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
}

/// Cuts `messages` to `limits`.
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
/// let meter = Meter { model: CostModel::Espalier, tokenizer: &Bytes, tools: 0, by_items: false };
/// let pruned = prune(&messages, meter, Origin::Exact, &Limits { budget: 15, ..Limits::default() }).unwrap();
/// assert_eq!((pruned.removed[0].rule, pruned.removed[0].ids[0].as_str()), ("old-turn", "m0"));
/// ```
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if what must stay is larger than the budget when everything was made as
/// small as it may be; the details name the largest contributors.
pub fn prune(messages: &[Message], meter: Meter, origin: Origin, limits: &Limits) -> Result<Pruned> {
    let marks: Vec<u64> = messages.iter().map(fingerprint).collect();
    cut_draft(Draft::new(messages, meter, origin), &marks, limits)
}

/// The same with counts and [`fingerprint`]s that are held already, one for each message; `origin` is the worst of the counts'.
///
/// # Errors
/// As [`prune`].
pub fn prune_held(
    messages: &[Message],
    counts: &[u64],
    marks: &[u64],
    meter: Meter,
    origin: Origin,
    limits: &Limits,
) -> Result<Pruned> {
    cut_draft(Draft::with_counts(messages, counts, meter, origin), marks, limits)
}

fn cut_draft(mut draft: Draft, marks: &[u64], limits: &Limits) -> Result<Pruned> {
    let before = draft.before();
    repair_for(&mut draft, limits.provider);
    let (pictures, most, keep) = (&limits.pictures, limits.picture_bytes, &limits.keep);
    lighten(&mut draft, Allowance { pictures, most, keep });
    let limit = limits.budget.saturating_sub(limits.headroom);
    let made = if super::written::joins(limits.written) || limits.receiver.is_some() {
        as_written(&draft, marks, limits, limit)?
    } else {
        passes(draft, marks, limits, limit)?
    };
    let Made { draft, shortened, notes, joined, mended } = made;
    let (plan, after, repair) = match mended {
        Some(Mended { plan, after, mut repair }) => {
            // Joined messages are in `removed`, with their tokens.
            repair.changes.retain(|change| joined == 0 || change.rule != "same-role");
            (plan, after, Some(repair))
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

/// A draft that was cut.
struct Made<'a> {
    draft: Draft<'a>,
    shortened: Vec<Shortened>,
    notes: Vec<Note>,
    /// How many messages are written as part of the one before them.
    joined: usize,
    /// The draft as its receiver takes it.
    mended: Option<Mended>,
}

impl<'a> Made<'a> {
    fn of(draft: Draft<'a>, shortened: Vec<Shortened>, notes: Vec<Note>) -> Made<'a> {
        Made { draft, shortened, notes, joined: 0, mended: None }
    }
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

/// Leaves room for sentences of what goes. `None` if there is none, or nothing to say.
fn with_sentences<'a>(
    draft: &Draft<'a>,
    marks: &[u64],
    limits: &Limits,
    sentences: &Sentences,
    limit: u64,
) -> Option<Made<'a>> {
    let mut share = (limit as f64 * sentences.share.clamp(0.0, 1.0)) as u64;
    let mut best: Option<Made> = None;
    // Where there is less to say than room for it, more messages stay.
    for _ in 0..2 {
        let mut attempt = draft.clone();
        let made = work(&mut attempt, marks, limits, limit.saturating_sub(share));
        let shortened = match made {
            Ok(shortened) => shortened,
            // What must stay leaves less.
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

/// Fits the messages as they are written, which depends on what goes: joining saves tokens, and a repair may take some.
fn as_written<'a>(draft: &Draft<'a>, marks: &[u64], limits: &Limits, limit: u64) -> Result<Made<'a>> {
    let mut best: Option<(Made, u64)> = None;
    let mut room = limit;
    let mut needed = draft.total();
    for _ in 0..FORM_ATTEMPTS {
        let mut made = match (passes(draft.clone(), marks, limits, room), &best) {
            (Ok(made), _) => made,
            (Err(_), Some(_)) => break,
            (Err(error), None) => return Err(error.of_budget(limit, room)),
        };
        let apart = made.draft.total();
        made.mended = limits.receiver.as_ref().map(|receiver| mend(&made.draft, receiver));
        made.joined = join::count_joined(&mut made.draft, limits.written);
        let total = made.mended.as_ref().map_or(made.draft.total(), |mended| mended.after.total);
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
    best.map(|(made, _)| made).ok_or_else(|| Error {
        budget: Some(BudgetDetails { budget: limit, needed, largest: vec![] }),
        ..Error::new(Code::BudgetExceeded, format!("What is left needs more than the {limit} tokens of the budget"))
    })
}

/// Makes room for the notes, which depend on what goes to make room. They are not worth a refusal: if room cannot be made there are none.
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
    // The first attempt always leaves one.
    let (draft, shortened) = bare.unwrap_or((draft, vec![]));
    Ok((draft, shortened, vec![]))
}

/// All passes on a repaired draft.
fn work(draft: &mut Draft, marks: &[u64], limits: &Limits, limit: u64) -> Result<Vec<Shortened>> {
    if draft.total() <= limit && limits.drop_media == DropMedia::None {
        return Ok(vec![]);
    }
    let groups = groups_within(draft, takes_results_anywhere(limits.provider));
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

/// The passes in the host's order, each only while the request does not fit; then what can be put back is.
fn run(draft: &mut Draft, limits: &Limits, limit: u64, selection: &mut Selection, shrinker: &mut Shrinker) {
    // A cut that has to move moves so far that the next requests need not move it.
    let step = (limits.cache_step_share * limit as f64) as u64;
    let goal = limit.saturating_sub(step);
    let order = limits.order.as_deref().unwrap_or(&Pass::DROP);
    // As it was before all results were brought down to the floor, if they were.
    let mut unshrunk = None;
    let mut edited_since = false;
    for &pass in order {
        if selection.total() <= limit {
            break;
        }
        match pass {
            Pass::Turns | Pass::Rounds | Pass::Requests | Pass::CurrentRounds => {
                if let Some(pass) = pass.drops() {
                    selection.pass(pass, goal);
                }
            }
            Pass::Oversize => shrinker.oversize(draft, selection, limit, goal),
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
    // All results were at the floor, and groups went all the same: those that are left need not be as small as that.
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

/// The passes A and B alone, on a repaired draft, which stays as it is if they cannot do.
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if what must stay is larger than the budget as it stands.
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

/// The entries that no pass may take.
pub fn must_keep(draft: &Draft, limits: &Limits) -> Vec<usize> {
    let groups = groups(draft);
    let classes = classify(draft, &groups, limits);
    let must = groups.iter().zip(classes).filter(|(_, class)| matches!(class, Class::Must(_)));
    must.flat_map(|(group, _)| group.entries.iter().copied()).collect()
}

/// True for the rules under which the passes remove groups.
pub fn is_prune_rule(rule: &str) -> bool {
    Drop::ALL.iter().any(|pass| pass.rule() == rule)
}
