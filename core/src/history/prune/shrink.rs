//! Shortens parts instead of removing messages: long results, long arguments, pictures and documents.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Limits;
use super::arguments;
use super::cut::{Reduced, Shortened};
use super::select::Selection;
use crate::history::draft::Draft;
use crate::history::group::{Group, Kind};
use crate::history::pairs::callers;
use crate::history::plan::Becomes;
use crate::map::{HashMap, HashSet, ordered};
use crate::message::{Part, Role, texts};
use crate::tool_result::budget::greatest;
use crate::tool_result::{Output, cut_result};

/// No result is shortened below this many tokens.
pub const FLOOR: u64 = 200;

/// A single result may have one part in `OVERSIZE` of the limit.
const OVERSIZE: u64 = 4;

/// The rule of a result that is not cut, and why it is shorter.
const REDUCED: &str = "reduced-result";
const SPARED: &str = "a long result without what can be spared, such as repetitions, progress and passed tests";

/// A text in a draft: entry, current index of the part, and the item if the result holds several.
type Place = (usize, usize, Option<usize>);

/// A text of a result.
struct Piece {
    place: Place,
    /// Current tokens.
    tokens: u64,
    /// Tokens without what a reducer of such output leaves out.
    reduced: u64,
}

impl Piece {
    /// Tokens of the text once it is shortened to `cap`.
    fn at(&self, cap: u64) -> u64 {
        if self.tokens <= cap { self.tokens } else { self.reduced.min(cap) }
    }
}

/// See the module. Every cut starts from the host's own text, so that no text is cut twice.
#[derive(Debug, Clone)]
pub(super) struct Shrinker<'g> {
    groups: &'g [Group],
    limits: &'g Limits,
    /// The group of the newest round. Its calls and media are still in use.
    newest_round: Option<usize>,
    newest_request: Option<usize>,
    /// The group of each entry.
    group_of: HashMap<usize, usize>,
    /// Entry and part of the call of each result. Filled when the first result is cut.
    calls: Option<HashMap<(usize, usize), (usize, usize)>>,
    /// What was shortened, for the next request.
    pub(super) done: BTreeMap<Place, Reduced>,
}

impl<'g> Shrinker<'g> {
    pub(super) fn new(draft: &Draft, groups: &'g [Group], limits: &'g Limits) -> Shrinker<'g> {
        Shrinker {
            groups,
            limits,
            newest_round: super::class::newest_round(groups),
            newest_request: super::class::newest_request(draft, groups),
            group_of: groups
                .iter()
                .enumerate()
                .flat_map(|(at, g)| g.entries.iter().map(move |&entry| (entry, at)))
                .collect(),
            calls: None,
            done: BTreeMap::new(),
        }
    }

    /// Returns what a result is, by its call.
    fn output(&mut self, draft: &Draft, result: (usize, usize)) -> Output {
        let calls = self.calls.get_or_insert_with(|| callers(draft));
        Output::of(calls.get(&result).and_then(|&(entry, part)| draft.entries[entry].message.parts.get(part)))
    }

    /// Pass `oversize`: cuts any single result over a quarter of the limit to that, or to what the rest leaves free if
    /// that is more. Results from the group `recent` on stay whole if a quarter is left for the rest: what an agent has
    /// just read, its next calls use. Measured on 12 transcripts (`benches/retention`, lines needed next): 38.8 instead
    /// of 29.4 % at 16,000 tokens (29.3 if half must be left), 65.1 instead of 60.3 at 32,000, the same at 8,000.
    pub(super) fn oversize(
        &mut self,
        draft: &mut Draft,
        selection: &mut Selection,
        (limit, goal): (u64, u64),
        recent: usize,
    ) {
        let share = (limit / OVERSIZE).max(FLOOR);
        let most = limit - limit / OVERSIZE;
        let mut pieces = self.pieces(draft, selection, share);
        pieces.retain(|piece| piece.tokens > most || self.group_of.get(&piece.place.0).is_none_or(|&at| at < recent));
        let rest = selection.total().saturating_sub(pieces.iter().map(|piece| piece.tokens).sum());
        let cap = self.level(draft, &mut pieces, goal.saturating_sub(rest)).max(share);
        let why = "larger than a quarter of the limit by itself, shortened";
        self.shorten(draft, selection, &pieces, cap, Reduced::Oversize { limit: cap }, why);
    }

    /// Pass C: cuts the largest results to one common length until the total is at most `goal`.
    pub(super) fn results(&mut self, draft: &mut Draft, selection: &mut Selection, goal: u64) {
        // A message may cost a little more or less than its texts, so a few rounds may be needed.
        for _ in 0..4 {
            let over = selection.total().saturating_sub(goal);
            let mut pieces = self.pieces(draft, selection, FLOOR);
            if over == 0 || pieces.is_empty() {
                return;
            }
            let all: u64 = pieces.iter().map(|piece| piece.tokens).sum();
            let cap = self.level(draft, &mut pieces, all.saturating_sub(over)).max(FLOOR);
            let why = "a long result, shortened like all others of its length";
            self.shorten(draft, selection, &pieces, cap, Reduced::Result { limit: cap }, why);
            if cap == FLOOR {
                return;
            }
        }
    }

    /// Pass D: shortens long arguments of old calls, oldest first.
    pub(super) fn arguments(&mut self, draft: &mut Draft, selection: &mut Selection, goal: u64) {
        for group in 0..self.groups.len() {
            if selection.total() <= goal {
                return;
            }
            if Some(group) == self.newest_round || self.groups[group].pending || !selection.is_left(group) {
                continue;
            }
            for entry in self.own(draft, group) {
                self.shorten_arguments(draft, entry, |_| true);
            }
            selection.shrunk(group, draft);
        }
    }

    fn shorten_arguments(&mut self, draft: &mut Draft, entry: usize, wanted: impl Fn(usize) -> bool) {
        let (tokenizer, recall) = (draft.meter.tokenizer, draft.entries[entry].message.id.clone());
        let mut changes: HashMap<usize, Becomes> = HashMap::default();
        for (part, call) in draft.entries[entry].message.parts.iter().enumerate() {
            let Part::ToolCall { arguments, .. } = call else { continue };
            let short = if wanted(part) { arguments::shortened(arguments, &recall) } else { None };
            let Some(short) = short.filter(|short| tokenizer.count(short) < tokenizer.count(arguments)) else {
                continue;
            };
            self.done.insert((entry, part, None), Reduced::Arguments);
            changes.insert(part, Becomes::Arguments { arguments: short });
        }
        change(draft, entry, changes, "long-arguments", "long arguments of an old call, shortened");
    }

    /// Pass D: replaces pictures and documents outside the newest round, oldest first. With `all`, also those of the
    /// newest round.
    pub(super) fn media(&mut self, draft: &mut Draft, selection: &mut Selection, goal: u64, all: bool) {
        for group in 0..self.groups.len() {
            if selection.total() <= goal {
                return;
            }
            if (Some(group) == self.newest_round && !all) || !selection.is_left(group) {
                continue;
            }
            // The user's own part of the newest request stays unchanged.
            let in_request = Some(group) == self.newest_request;
            if in_request && (!all || self.groups[group].kind == Kind::User) {
                continue;
            }
            for entry in self.own(draft, group) {
                self.note_media(draft, entry, in_request, |_, _| true);
            }
            selection.shrunk(group, draft);
        }
    }

    fn note_media(
        &mut self,
        draft: &mut Draft,
        entry: usize,
        only_results: bool,
        wanted: impl Fn(usize, Option<usize>) -> bool,
    ) {
        let id = draft.entries[entry].message.id.clone();
        let role = draft.entries[entry].message.role;
        let mut changes: HashMap<usize, Becomes> = HashMap::default();
        for (number, part) in draft.entries[entry].message.parts.iter().enumerate() {
            match part {
                Part::Image { .. } | Part::Document { .. } if !only_results && wanted(number, None) => {
                    if let Some(note) = media_note(draft, role, part, &id) {
                        self.done.insert((entry, number, None), Reduced::Media);
                        changes.insert(number, Becomes::Note { text: note });
                    }
                }
                Part::ToolResult { content, .. } => {
                    let mut items = vec![None; content.len()];
                    for (at, item) in content.iter().enumerate() {
                        let note =
                            if wanted(number, Some(at)) { media_note(draft, Role::Tool, item, &id) } else { None };
                        if let Some(note) = note {
                            // Formats without room for several texts in a result append this one to the text before it.
                            let text = if at > 0 { format!("\n{note}") } else { note };
                            self.done.insert((entry, number, Some(at)), Reduced::Media);
                            items[at] = Some(text);
                        }
                    }
                    if items.iter().any(Option::is_some) {
                        changes.insert(number, Becomes::Content { items });
                    }
                }
                _ => {}
            }
        }
        change(draft, entry, changes, "media", "a picture or document outside the newest round, replaced by a note");
    }

    /// Repeats what was shortened for the previous request.
    pub(super) fn replay(&mut self, draft: &mut Draft, selection: &mut Selection, shortened: &[Shortened]) {
        if shortened.is_empty() {
            return;
        }
        let mut index: HashMap<&str, (usize, usize)> = HashMap::default();
        let mut of_message: BTreeMap<(usize, usize), Vec<&Shortened>> = BTreeMap::new();
        for (group, of_group) in self.groups.iter().enumerate() {
            for &entry in &of_group.entries {
                if let Some(id) = draft.entries.get(entry).map(|e| e.message.id.as_str()) {
                    index.insert(id, (entry, group));
                }
            }
        }
        for item in shortened {
            if let Some(&(entry, group)) = index.get(item.id.as_str()) {
                of_message.entry((entry, group)).or_default().push(item);
            }
        }
        drop(index);
        let mut changed: BTreeSet<usize> = BTreeSet::new();
        for ((entry, group), items) in of_message {
            if !self.may_shrink(draft, group, entry) || !selection.is_left(group) {
                continue;
            }
            // Current indices of the host's parts. Parts that come from other messages do not count.
            let positions = draft.entries[entry].edits.as_ref().map(|edits| {
                let mut positions: HashMap<usize, usize> = HashMap::default();
                for (at, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.from.is_none()) {
                    positions.entry(edit.part).or_insert(at);
                }
                positions
            });
            let place = |item: &Shortened| {
                let part = match &positions {
                    Some(positions) => *positions.get(&item.part)?,
                    None => item.part,
                };
                Some((entry, part, item.item))
            };
            let (mut media, mut arguments) = (HashSet::default(), HashSet::default());
            let mut by_limit: BTreeMap<Reduced, HashSet<Place>> = BTreeMap::new();
            for item in items {
                let Some(place) = place(item) else { continue };
                match Reduced::of(item) {
                    Reduced::Media => {
                        media.insert((place.1, place.2));
                    }
                    Reduced::Arguments => {
                        arguments.insert(place.1);
                    }
                    how => {
                        by_limit.entry(how).or_default().insert(place);
                    }
                }
            }
            if !arguments.is_empty() && Some(group) != self.newest_round && !self.groups[group].pending {
                self.shorten_arguments(draft, entry, |part| arguments.contains(&part));
            }
            if !media.is_empty() {
                let in_request = Some(group) == self.newest_request;
                self.note_media(draft, entry, in_request, |part, item| media.contains(&(part, item)));
            }
            for (how, places) in by_limit {
                let cap = how.limit();
                let known = self.pieces_of(draft, entry, 0);
                let pieces: Vec<Piece> = known.into_iter().filter(|piece| places.contains(&piece.place)).collect();
                self.shorten_to(draft, &pieces, cap, how, "shortened as in the previous request");
            }
            changed.insert(group);
        }
        for group in changed {
            selection.shrunk(group, draft);
        }
    }

    /// Returns whether this message may be shortened: neither in the system prompt nor kept by the host.
    fn may_shrink(&self, draft: &Draft, group: usize, entry: usize) -> bool {
        self.groups[group].kind != Kind::Frame && !self.limits.keep.contains(&draft.entries[entry].message.id)
    }

    /// Returns the messages of a group that may be shortened.
    fn own(&self, draft: &Draft, group: usize) -> impl Iterator<Item = usize> + use<> {
        let mine = |&entry: &usize| self.may_shrink(draft, group, entry);
        self.groups[group].entries.iter().copied().filter(mine).collect::<Vec<_>>().into_iter()
    }

    /// Returns the texts of results with more than `least` tokens, largest first.
    fn pieces(&self, draft: &Draft, selection: &Selection, least: u64) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::new();
        for group in (0..self.groups.len()).filter(|&group| selection.is_left(group)) {
            for entry in self.own(draft, group) {
                // No result is larger than its message, so most messages need no count.
                if draft.entries[entry].after > least {
                    out.extend(self.pieces_of(draft, entry, least));
                }
            }
        }
        crate::rank::sort_by(&mut out, |one, other| (other.tokens, one.place).cmp(&(one.tokens, other.place)));
        out
    }

    fn pieces_of(&self, draft: &Draft, entry: usize, least: u64) -> Vec<Piece> {
        let mut out = Vec::new();
        let mut push = |place: Place, text: &str| {
            let tokens = draft.meter.text(text);
            if tokens > least {
                out.push(Piece { place, tokens, reduced: tokens });
            }
        };
        for (part, result) in draft.entries[entry].message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = result else { continue };
            if is_text(content) {
                push((entry, part, None), &texts(content));
                continue;
            }
            for (item, inner) in content.iter().enumerate() {
                if let Part::Text { text } = inner {
                    push((entry, part, Some(item)), text);
                }
            }
        }
        out
    }

    /// Returns the greatest length to which `pieces` (largest first) can be shortened so that all together have at most
    /// `room` tokens. What a reducer leaves out of one text is room for the others.
    fn level(&mut self, draft: &Draft, pieces: &mut [Piece], room: u64) -> u64 {
        let Some(largest) = pieces.first().map(|piece| piece.tokens) else { return 0 };
        let over = largest.saturating_add(1);
        let sum = |pieces: &[Piece], cap| pieces.iter().map(|piece| piece.at(cap)).sum::<u64>();
        let cut = greatest(0, over, |cap| sum(pieces, cap) <= room);
        // Pieces below that length stay whole with any reducer.
        for piece in pieces.iter_mut().filter(|piece| piece.tokens > cut) {
            piece.reduced = self.reduced(draft, piece);
        }
        greatest(cut, over, |cap| sum(pieces, cap) <= room)
    }

    /// Returns the tokens of a text without what a reducer of such output leaves out.
    fn reduced(&mut self, draft: &Draft, piece: &Piece) -> u64 {
        let (entry, part, _) = piece.place;
        let Some(text) = whole(draft, piece.place) else { return piece.tokens };
        let spared =
            self.output(draft, (entry, part)).spared(&text, &draft.entries[entry].message.id, draft.meter.tokenizer);
        piece.tokens.saturating_sub(spared)
    }

    fn shorten(
        &mut self,
        draft: &mut Draft,
        selection: &mut Selection,
        pieces: &[Piece],
        cap: u64,
        how: Reduced,
        why: &str,
    ) {
        let entries = self.shorten_to(draft, pieces, cap, how, why);
        // Each group is measured once, even if it has thousands of results.
        let groups = ordered(entries.iter().filter_map(|entry| self.group_of.get(entry).copied()));
        for group in groups {
            selection.shrunk(group, draft);
        }
    }

    /// Cuts pieces of more than `cap` tokens to `cap`. Returns their entries.
    fn shorten_to(&mut self, draft: &mut Draft, pieces: &[Piece], cap: u64, how: Reduced, why: &str) -> Vec<usize> {
        let mut of_entry: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
        for piece in pieces.iter().filter(|piece| piece.tokens > cap) {
            of_entry.entry(piece.place.0).or_default().push(piece.place);
        }
        for (&entry, places) in &of_entry {
            let recall = draft.entries[entry].message.id.clone();
            let mut changes: HashMap<usize, Becomes> = HashMap::default();
            let mut is_cut = false;
            for &place in places {
                let (_, part, item) = place;
                let Some(Part::ToolResult { content, .. }) = draft.entries[entry].message.parts.get(part) else {
                    continue;
                };
                let whole = whole(draft, place).unwrap_or_default();
                let output = self.output(draft, (entry, part));
                let Some(short) = cut_result(&whole, cap, &output, &recall, draft.meter.tokenizer) else { continue };
                self.done.insert(place, how);
                is_cut |= short.is_cut;
                match item {
                    None => {
                        changes.insert(part, Becomes::Text { text: short.text });
                    }
                    Some(item) => {
                        let keep = || Becomes::Content { items: vec![None; content.len()] };
                        if let Becomes::Content { items } = changes.entry(part).or_insert_with(keep)
                            && let Some(at) = items.get_mut(item)
                        {
                            *at = Some(short.text);
                        }
                    }
                }
            }
            let (rule, why) = if is_cut { (how.rule(), why) } else { (REDUCED, SPARED) };
            change(draft, entry, changes, rule, why);
        }
        of_entry.into_keys().collect()
    }
}

fn change(draft: &mut Draft, entry: usize, mut changes: HashMap<usize, Becomes>, rule: &'static str, why: &str) {
    if changes.is_empty() {
        return;
    }
    draft.edit_parts(entry, rule, why, |part, _| changes.remove(&part));
}

/// Returns a note that replaces a picture or document, or `None` if the note would not be smaller.
pub fn media_note(draft: &Draft, role: Role, part: &Part, recall: &str) -> Option<String> {
    let (what, kind) = match part {
        Part::Image { media_type, .. } => ("image", media_type.as_deref()),
        Part::Document { media_type, .. } => match media_type.as_deref() {
            Some(kind) if kind.starts_with("audio") => ("audio", Some(kind)),
            Some(kind) if kind.starts_with("video") => ("video", Some(kind)),
            kind => ("document", kind),
        },
        _ => return None,
    };
    let meter = draft.meter;
    let tokens = meter.model.part(role, part, meter.tokenizer).tokens;
    let kind = kind.map_or(String::new(), |kind| format!("{kind}, "));
    let note = format!("[{what} left out: {kind}{tokens} tokens; recall {recall}]");
    (meter.text(&note) < tokens).then_some(note)
}

fn is_text(content: &[Part]) -> bool {
    content.iter().all(|part| matches!(part, Part::Text { .. }))
}

/// Returns the text of a result in the host's message, or the current text of an inserted message.
fn whole<'d>(draft: &'d Draft, (entry, part, item): Place) -> Option<Cow<'d, str>> {
    let entry = &draft.entries[entry];
    let (message, part) = match (entry.source, &entry.edits) {
        (Some(source), Some(edits)) => (source, edits.get(part)?.part),
        (Some(source), None) => (source, part),
        (None, _) => (&*entry.message, part),
    };
    let Part::ToolResult { content, .. } = message.parts.get(part)? else { return None };
    Some(match item {
        None => texts(content),
        Some(item) => texts(std::slice::from_ref(content.get(item)?)),
    })
}
