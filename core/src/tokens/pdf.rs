//! Documents as texts: base64, a data URL or an address. The same rules as `js/formats/media.ts` and
//! `js/formats/pdf.ts`, for hosts without the package's JavaScript.

use std::borrow::Cow;

use super::image::{decode_base64, is_data_url};
use crate::message::Part;

/// Base64 characters that are looked at on either end, since page trees are at one of them. A multiple of four.
const WINDOW: usize = 65_536;

/// Characters of an address that contain its scheme, and of a data URL that contain its media type.
const SCHEME: usize = 20;
const HEADER: usize = 200;

/// Encoders break lines at 64 or 76 characters.
const FIRST_LINE: usize = 100;

/// Returns a document from base64, a data URL or an address.
///
/// ```
/// use espalier::message::Part;
/// use espalier::tokens::document_of;
/// let document = document_of("data:application/pdf;base64,JVBERi0x", "");
/// let kind = Some("application/pdf".to_owned());
/// assert_eq!(document, Part::Document { media_type: kind, data_length: 8, pages: None });
/// ```
pub fn document_of(source: &str, media_type: &str) -> Part {
    let data = data_of(source);
    let kind = data.map_or("", |(kind, _)| kind);
    let kind = if kind.is_empty() { media_type } else { kind };
    let media_type = Some(kind).filter(|kind| !kind.is_empty()).map(str::to_owned);
    if data.is_none() && is_address(source) {
        return Part::Document { media_type, data_length: 0, pages: None };
    }
    let body = data.map_or(source, |(_, body)| body);
    let body = without_breaks(body);
    Part::Document { media_type, data_length: body.encode_utf16().count() as u64, pages: pages(&body) }
}

fn without_breaks(base64: &str) -> Cow<'_, str> {
    let has_breaks = base64.chars().take(FIRST_LINE).any(char::is_whitespace);
    if has_breaks { base64.split_whitespace().collect() } else { base64.into() }
}

/// Returns the media type and the base64 of a data URL.
fn data_of(source: &str) -> Option<(&str, &str)> {
    let (header, body) = source.split_once(',').filter(|_| is_data_url(source))?;
    let is_base64 = header.len() < HEADER && header.to_ascii_lowercase().ends_with(";base64");
    is_base64.then(|| (header[5..].split(';').next().unwrap_or_default(), body))
}

fn is_address(source: &str) -> bool {
    let scheme = source.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    scheme.len() < SCHEME
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(is_part)
}

/// Returns the number of pages of a PDF in base64 without line breaks; `None` if it is none, or if its page tree is
/// compressed or in the middle.
fn pages(base64: &str) -> Option<u32> {
    // "%PDF" in base64.
    if !base64.starts_with("JVBER") || !base64.is_ascii() {
        return None;
    }
    let tail = WINDOW.max(base64.len().saturating_sub(WINDOW));
    let mut bytes = decode_base64(&base64[..WINDOW.min(base64.len())]);
    bytes.extend(decode_base64(base64.get(tail - tail % 4..).unwrap_or_default()));
    let text: String = bytes.into_iter().map(char::from).collect();
    // The root of the page tree counts all pages, so that the largest count is the one.
    let trees = text.split("endobj").filter(|object| values(object, "/Type").any(is_pages));
    let counts = trees.filter_map(|object| values(object, "/Count").find_map(count));
    counts.max().filter(|pages| *pages > 0)
}

/// Returns the texts behind a name of an object.
fn values<'a>(object: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    object.match_indices(name).map(|(at, _)| &object[at + name.len()..])
}

fn is_pages(value: &str) -> bool {
    let rest = value.trim_start().strip_prefix("/Pages");
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'))
}

/// Reads a number of up to six digits behind white space.
fn count(value: &str) -> Option<u32> {
    let digits = value.trim_start();
    let end = digits.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(digits.len());
    let is_word = digits[end..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '_');
    (digits.len() < value.len() && end <= 6 && !is_word).then(|| digits[..end].parse().ok())?
}
