//! Pictures in results of tools: providers limit the bytes of a request, not only its tokens.

use serde::{Deserialize, Serialize};

use super::shrink::media_note;
use crate::history::draft::Draft;
use crate::history::group::groups;
use crate::history::plan::Becomes;
use crate::map::{HashMap, HashSet};
use crate::message::{Part, Role};

/// Bytes of pictures that the results of one turn may hold: 2.5 MiB, Copilot Chat's figure.
pub const PICTURE_BYTES: u64 = 2_621_440;

/// How large a picture in a result is; the picture itself stays with the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Id of the message.
    pub id: String,
    /// Index among the parts of the message, and in the content of that result.
    pub part: usize,
    pub item: usize,
    pub bytes: u64,
}

/// Message, part of it as the host has it, and item of that.
type Place = (usize, usize, usize);

/// Pictures in results, and what may stay of them.
#[derive(Debug, Clone, Copy)]
pub struct Allowance<'a> {
    /// Those whose size is known.
    pub pictures: &'a [Picture],
    /// Bytes that those of one turn may have; [`PICTURE_BYTES`] if absent.
    pub most: Option<u64>,
    /// Ids of messages that stay as they are.
    pub keep: &'a HashSet<String>,
}

/// Replaces what is over the allowance in a turn by notes: the newest pictures stay, and one that is too large by itself goes alone.
/// Whatever the request costs.
pub fn lighten(draft: &mut Draft, allowance: Allowance) {
    let Allowance { pictures, most, keep } = allowance;
    let most = most.unwrap_or(PICTURE_BYTES);
    if pictures.iter().fold(0u64, |sum, picture| sum.saturating_add(picture.bytes)) <= most {
        return;
    }
    let mut of_message: HashMap<&str, Vec<&Picture>> = HashMap::default();
    for picture in pictures {
        of_message.entry(&picture.id).or_default().push(picture);
    }
    let mut gone: Vec<Place> = Vec::new();
    let mut turn: Vec<(Place, u64, bool)> = Vec::new();
    for group in groups(draft) {
        for &entry in &group.entries {
            let id = &draft.entries[entry].message.id;
            let is_free = !keep.contains(id);
            let own = of_message.get(id.as_str()).into_iter().flatten();
            turn.extend(own.map(|picture| ((entry, picture.part, picture.item), picture.bytes, is_free)));
        }
        if group.has_request() {
            over(&mut turn, most, &mut gone);
        }
    }
    over(&mut turn, most, &mut gone);
    let mut by_entry: HashMap<usize, HashSet<(usize, usize)>> = HashMap::default();
    for (entry, part, item) in gone {
        by_entry.entry(entry).or_default().insert((part, item));
    }
    for entry in 0..draft.entries.len() {
        if let Some(places) = by_entry.get(&entry) {
            note(draft, entry, places);
        }
    }
}

/// Takes a turn's pictures, and adds those that are too much to `gone`.
fn over(turn: &mut Vec<(Place, u64, bool)>, most: u64, gone: &mut Vec<Place>) {
    let (mut used, mut is_full) = (0u64, false);
    for (place, bytes, is_free) in turn.drain(..).rev() {
        let is_large = bytes > most;
        let fits = !is_full && used.saturating_add(bytes) <= most;
        if fits || !is_free {
            used = used.saturating_add(bytes);
        } else {
            is_full |= !is_large;
            gone.push(place);
        }
    }
}

fn note(draft: &mut Draft, entry: usize, places: &HashSet<(usize, usize)>) {
    let id = draft.entries[entry].message.id.clone();
    let numbers: Option<Vec<usize>> =
        draft.entries[entry].edits.as_ref().map(|edits| edits.iter().map(|edit| edit.part).collect());
    let parts = draft.entries[entry].message.parts.iter().enumerate();
    let mut changes: Vec<Option<Becomes>> = parts
        .map(|(at, part)| {
            let Part::ToolResult { content, .. } = part else { return None };
            let number = numbers.as_ref().map_or(Some(at), |numbers| numbers.get(at).copied());
            let items: Vec<Option<String>> = content
                .iter()
                .enumerate()
                .map(|(item, inner)| {
                    let goes = number.is_some_and(|number| places.contains(&(number, item)));
                    let text = if goes { media_note(draft, Role::Tool, inner, &id) } else { None };
                    // Formats without a place for several texts in a result append it to the one there is.
                    text.map(|text| if item > 0 { format!("\n{text}") } else { text })
                })
                .collect();
            items.iter().any(Option::is_some).then_some(Becomes::Content { items })
        })
        .collect();
    changes.reverse();
    let why = "a picture beyond what the results of one turn may hold in bytes, replaced by a note";
    draft.edit_parts(entry, "heavy-picture", why, |_| changes.pop().flatten());
}
