//! Removes pictures from tool results, since providers limit the bytes of a request as well as its tokens.

use serde::{Deserialize, Serialize};

use super::shrink::media_note;
use crate::history::draft::Draft;
use crate::history::group::groups;
use crate::history::plan::Becomes;
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// Maximum bytes of pictures in the results of one turn: 2.5 MiB, the figure of Copilot Chat.
pub const PICTURE_BYTES: u64 = 2_621_440;

/// The size of a picture in a result. The picture itself stays with the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Id of the message.
    pub id: String,
    /// Index among the parts of the message, and index in the content of that result.
    pub part: usize,
    pub item: usize,
    pub bytes: u64,
}

impl Picture {
    /// Returns the pictures in results whose data the messages hold, by the length of their base64.
    ///
    /// ```
    /// use espalier::history::prune::Picture;
    /// use espalier::message::{Message, Part, Role};
    /// let data = Some("data:image/png;base64,AAAA".into());
    /// let picture = Part::Image { url: None, data, media_type: None, detail: None };
    /// let result = Part::ToolResult { call_id: "c".into(), name: None, content: vec![picture], is_error: false };
    /// let message = Message { id: "a".into(), role: Role::Tool, name: None, parts: vec![result] };
    /// let found = Picture::in_results(&[message]);
    /// assert_eq!(found, [Picture { id: "a".into(), part: 0, item: 0, bytes: 3 }]);
    /// ```
    pub fn in_results(messages: &[Message]) -> Vec<Picture> {
        let mut found = Vec::new();
        for message in messages {
            for (part, result) in message.parts.iter().enumerate() {
                let Part::ToolResult { content, .. } = result else { continue };
                for (item, inner) in content.iter().enumerate() {
                    let Part::Image { data: Some(data), url: None, .. } = inner else { continue };
                    let base64 =
                        if data.starts_with("data:") { data.find(',').map_or(0, |comma| comma + 1) } else { 0 };
                    let bytes = (data.len() - base64) as u64 / 4 * 3;
                    if bytes > 0 {
                        found.push(Picture { id: message.id.clone(), part, item, bytes });
                    }
                }
            }
        }
        found
    }
}

/// Entry, part of the host's message, and item of that part.
type Place = (usize, usize, usize);

/// Pictures in results, and how many bytes of them may stay.
#[derive(Debug, Clone, Copy)]
pub struct Allowance<'a> {
    /// The pictures whose size is known.
    pub pictures: &'a [Picture],
    /// Maximum bytes of the pictures in one turn; [`PICTURE_BYTES`] if absent.
    pub most: Option<u64>,
    /// Ids of messages that stay unchanged.
    pub keep: &'a HashSet<String>,
}

/// Replaces pictures over the limit of a turn by notes, whatever the token budget is. The newest pictures stay. A
/// picture that exceeds the limit by itself does not displace others.
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

/// Empties `turn`, and adds the pictures over the limit to `gone`.
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
    let changes: Vec<Option<Becomes>> = parts
        .map(|(at, part)| {
            let Part::ToolResult { content, .. } = part else { return None };
            let number = numbers.as_ref().map_or(Some(at), |numbers| numbers.get(at).copied());
            let items: Vec<Option<String>> = content
                .iter()
                .enumerate()
                .map(|(item, inner)| {
                    let goes = number.is_some_and(|number| places.contains(&(number, item)));
                    let text = if goes { media_note(draft, Role::Tool, inner, &id) } else { None };
                    // Formats without room for several texts in a result append this one to the text before it.
                    text.map(|text| if item > 0 { format!("\n{text}") } else { text })
                })
                .collect();
            items.iter().any(Option::is_some).then_some(Becomes::Content { items })
        })
        .collect();
    let why = "a picture beyond what the results of one turn may hold in bytes, replaced by a note";
    draft.edit_parts(entry, "heavy-picture", why, |part, _| changes[part].clone());
}
