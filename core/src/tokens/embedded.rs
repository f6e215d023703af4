//! Data inside of JSON that no model reads as text: pictures, documents and encrypted contents in base64.

use super::image::{self, Picture, is_data_url, size_of};
use super::{Cost, Tokenizer, document_cost, document_of};
use crate::message::Part;

/// Shortest text that is taken for data. Ids, hashes and addresses are shorter.
const DATA: usize = 512;

/// Characters of base64 for a token of an encrypted text: three bytes in four characters, four bytes in a token.
const SEALED: u64 = 3;
const SEALED_OF: u64 = 16;

/// Returns the cost of JSON. Pictures and documents in it cost what they cost elsewhere, other base64 what a text of
/// its bytes does. The count is exact if it contains no data.
///
/// The server reads data as data: a picture of 1 MB that OpenAI generated costs 910,000 tokens as text and 765 as a
/// picture, a page of a search by Anthropic, which is encrypted, four times its text.
pub(super) fn json_cost(json: &str, tokenizer: &dyn Tokenizer) -> Cost {
    if json.len() < DATA {
        return Cost::exact(tokenizer.count(json));
    }
    let mut cost = Cost::ZERO;
    let mut rest = String::new();
    // Bytes of `json` that are in `rest`, and the position behind the newest quote.
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json[at..].find('"') {
        let start = at + found + 1;
        let Some(end) = end_of_text(json, start) else { break };
        let text = &json[start..end];
        if let Some(data) = data_cost(text, tokenizer) {
            cost += data;
            rest.push_str(&json[copied..start]);
            copied = end;
        }
        at = end + 1;
    }
    rest.push_str(&json[copied..]);
    cost + tokenizer.count(&rest)
}

/// Returns the position of the quote that ends a text.
fn end_of_text(json: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += json[at..].find(['"', '\\'])?;
        if json.as_bytes()[at] == b'"' {
            return Some(at);
        }
        at = json.ceil_char_boundary(at + 2);
    }
}

/// Returns the cost of a text that is data; `None` for any other.
fn data_cost(text: &str, tokenizer: &dyn Tokenizer) -> Option<Cost> {
    if text.len() < DATA {
        return None;
    }
    let (kind, body) = if is_data_url(text) {
        let (header, body) = text.split_once(',')?;
        (header[5..].strip_suffix(";base64")?, body)
    } else {
        ("", text)
    };
    let is_data = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    if !body.bytes().all(is_data) {
        return None;
    }
    // The frame header of a JPEG file may be behind previews and colour profiles.
    let head = body.get(..131_072).unwrap_or(body);
    let picture = Picture { data: Some(head), url: None, media_type: None };
    let has_size = image::read(picture.data, None).is_some_and(|bytes| size_of(&bytes).is_some());
    if kind.starts_with("image/") || has_size {
        return Some(image::cost(picture, false, tokenizer));
    }
    if let Part::Document { media_type, data_length, pages } = document_of(body, kind)
        && (pages.is_some() || !kind.is_empty() || body.starts_with("JVBER"))
    {
        return Some(document_cost(data_length, pages, media_type.as_deref()));
    }
    Some(Cost::estimate((body.len() as u64 * SEALED).div_ceil(SEALED_OF)))
}
