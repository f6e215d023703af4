//! The cost of a document, usually a PDF, and of recordings.

use super::{Cost, Origin};

/// Tokens of one page: its text and its picture. Our convention; providers state 1,500 to 3,000.
const PAGE: u64 = 1_500;

/// Bytes of one token by the beginning of the media type; the first row that matches applies. Sound costs 32 tokens a
/// second with Gemini and 10 with OpenAI, film about 300 with Gemini (their guides, as of 2026): the rows assume speech
/// of 16,000 samples a second, compressed speech of 32 kbit/s, and film of 300 kbit/s, so that few recordings cost
/// more. Text files are sent as text.
const BYTES: &[(&str, u64)] = &[
    ("audio/wav", 1_000),
    ("audio/x-wav", 1_000),
    ("audio/wave", 1_000),
    ("audio/pcm", 1_000),
    ("audio/l16", 1_000),
    ("audio", 125),
    ("video", 125),
    ("text", 3),
    ("application/json", 3),
    ("application/xml", 3),
];

/// Bytes of one token of any other document: the rule of Copilot Chat.
const OTHER_BYTES: u64 = 8;

/// gemini-cli's flat estimate of a PDF.
pub(super) const FLAT_PDF: u64 = 25_800;

/// Estimates a document: 1,500 tokens a page if the number of pages is known, else by its bytes and media type; a
/// document that is only referenced counts as one page. `base64_length` is in characters. Always [`Origin::Estimate`].
///
/// ```
/// use espalier::tokens::document_cost;
/// assert_eq!(document_cost(1000, Some(3), Some("application/pdf")).tokens, 4_500);
/// assert_eq!(document_cost(1000, None, Some("application/pdf")).tokens, 94);
/// assert_eq!(document_cost(1000, None, Some("audio/mpeg")).tokens, 6);
/// assert_eq!(document_cost(1000, None, Some("text/plain")).tokens, 250);
/// ```
pub fn document_cost(base64_length: u64, pages: Option<u32>, media_type: Option<&str>) -> Cost {
    let tokens = match pages {
        Some(pages) if pages > 0 => u64::from(pages) * PAGE,
        _ if base64_length == 0 => PAGE,
        _ => bytes(base64_length).div_ceil(bytes_of_token(media_type).unwrap_or(OTHER_BYTES)),
    };
    Cost { tokens, origin: Origin::Estimate }
}

/// Returns the bytes of one token of a recording or text file; `None` for any other document.
pub(super) fn bytes_of_token(media_type: Option<&str>) -> Option<u64> {
    let kind = media_type?.to_ascii_lowercase();
    BYTES.iter().find(|(start, _)| kind.starts_with(start)).map(|(_, bytes)| *bytes)
}

/// Returns the bytes of base64: 3/4 of its characters, rounded down.
fn bytes(base64_length: u64) -> u64 {
    base64_length / 4 * 3 + base64_length % 4 * 3 / 4
}

/// One token for 8 bytes, rounded up. This is the rule of Copilot Chat.
pub(super) fn reference_document(base64_length: u64) -> u64 {
    bytes(base64_length).div_ceil(OTHER_BYTES)
}
