//! Conversations without their texts, the form in which they come from JavaScript. It has everything that
//! [`check`](super::check()) reads, in a few bytes per message.
//!
//! One line per message: a letter for the role, then the parts, each after a tab. A part is one character for its kind,
//! then the fields that rules check, separated by `\u{1}`:
//!
//! | part | is |
//! |---|---|
//! | text | `x`; `_` if it is blank; `>` if it ends in white space |
//! | reasoning, mark, opaque, document | `?`, `!`, `.`, `D` |
//! | image | `#` and the beginning of its data, `@` if it has a URL instead, or `0` if it has neither |
//! | call | `(` id, name |
//! | result | `[` id, name (`\u{2}` if it has none), its content: images and documents as above, all else as `.` |
//!
//! In fields, `\` and four hexadecimal digits encode a control character or `\`.

use crate::error::{Code, Error, Result};
use crate::message::{Message, Part, Role};

/// Reads the form above. The messages have empty ids.
///
/// # Errors
/// [`Code::BadMessage`] for any other text. Only a caller of the raw module can cause it.
///
/// ```
/// let read = espalier::validity::thin::read("u\tx\na\t(c1\u{1}run\n").unwrap();
/// assert_eq!(read[1].calls().collect::<Vec<_>>(), ["c1"]);
/// ```
pub fn read(text: &str) -> Result<Vec<Message>> {
    text.lines().enumerate().map(|(at, line)| message(line).ok_or_else(|| bad(at))).collect()
}

fn bad(at: usize) -> Error {
    Error::new(Code::BadMessage, "this is no message in the form without texts").at(format!("messages[{at}]"))
}

fn message(line: &str) -> Option<Message> {
    let mut pieces = line.split('\t');
    let role = match pieces.next()? {
        "s" => Role::System,
        "d" => Role::Developer,
        "u" => Role::User,
        "a" => Role::Assistant,
        "t" => Role::Tool,
        _ => return None,
    };
    let parts = pieces.map(part).collect::<Option<Vec<Part>>>()?;
    Some(Message { id: String::new(), role, name: None, parts })
}

fn part(code: &str) -> Option<Part> {
    let text = |text: &str| Some(Part::Text { text: text.to_string() });
    let kind = code.chars().next()?;
    let rest = &code[kind.len_utf8()..];
    match kind {
        'x' => text("x"),
        '_' => text(""),
        '>' => text("x "),
        '?' => Some(Part::Reasoning { text: String::new() }),
        '!' => Some(Part::CacheMark),
        '.' => Some(Part::Opaque { json: String::new(), tokens: None }),
        'D' => Some(Part::Document { media_type: None, data_length: 0, pages: None }),
        '#' => {
            let url = (rest == "@").then(String::new);
            let data = (rest != "@" && rest != "0").then(|| rest.to_string());
            Some(Part::Image { media_type: None, data, url, detail: None })
        }
        '(' => {
            let (id, name) = rest.split_once('\u{1}')?;
            Some(Part::ToolCall { call_id: field(id)?, name: field(name)?, arguments: String::new() })
        }
        '[' => {
            let mut fields = rest.split('\u{1}');
            let call_id = field(fields.next()?)?;
            let name = match fields.next()? {
                "\u{2}" => None,
                name => Some(field(name)?),
            };
            Some(Part::ToolResult { call_id, name, content: fields.map(part).collect::<Option<_>>()?, is_error: false })
        }
        _ => None,
    }
}

fn field(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_string());
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    out.push_str(pieces.next()?);
    for piece in pieces {
        let code = u32::from_str_radix(piece.get(..4)?, 16).ok()?;
        out.push(char::from_u32(code)?);
        out.push_str(piece.get(4..)?);
    }
    Some(out)
}
