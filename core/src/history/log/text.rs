//! Texts of parts that can be pinned, searched and compared. Offsets are UTF-16 code units outside and bytes inside.

use std::borrow::Cow;

use crate::history::plan::Becomes;
use crate::message::{Part, texts};

/// Returns the text of a part: its text, the texts of its content, its arguments or its JSON.
pub(super) fn text_of(part: &Part) -> Cow<'_, str> {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => Cow::Borrowed(text),
        Part::ToolCall { arguments, .. } => Cow::Borrowed(arguments),
        Part::Opaque { json, .. } => Cow::Borrowed(json),
        Part::ToolResult { content, .. } => texts(content),
        Part::Image { .. } | Part::Document { .. } | Part::CacheMark | Part::Boundary => Cow::Borrowed(""),
    }
}

/// Returns the text of the part after the change.
pub(super) fn text_after(part: &Part, to: &Becomes) -> String {
    to.applied(part).map_or_else(String::new, |part| text_of(&part).into_owned())
}

/// Returns the text between two offsets, extended to whole characters, or `None` if they are out of order or behind the
/// end.
pub(super) fn pinned_text(part: &Part, (start, end): (usize, usize)) -> Option<String> {
    let text = text_of(part);
    let (mut units, mut from, mut to) = (0, None, None);
    if start >= end {
        return None;
    }
    for (at, character) in text.char_indices() {
        if units + character.len_utf16() > start && from.is_none() {
            from = Some(at);
        }
        units += character.len_utf16();
        if units >= end && to.is_none() {
            to = Some(at + character.len_utf8());
        }
    }
    text.get(from?..to?).map(str::to_string)
}

/// Returns the number of UTF-16 code units before a byte offset.
pub(super) fn units_before(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |head| head.encode_utf16().count())
}
