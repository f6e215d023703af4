//! The cost of a document, usually a PDF.

use super::{Cost, Origin};

/// Tokens of one page: its text and its picture. Our convention; providers state 1,500 to 3,000.
const PAGE: u64 = 1_500;

/// gemini-cli's flat estimate of a PDF.
pub(super) const FLAT_PDF: u64 = 25_800;

/// Estimates a document: 1,500 tokens a page if the number of pages is known, else one token for 8 bytes; a document
/// that is only referenced counts as one page. `base64_length` is in characters. Always [`Origin::Estimate`].
///
/// ```
/// use espalier::tokens::document_cost;
/// assert_eq!(document_cost(1000, None).tokens, 94);
/// assert_eq!(document_cost(1000, Some(3)).tokens, 4_500);
/// ```
pub fn document_cost(base64_length: u64, pages: Option<u32>) -> Cost {
    let tokens = match pages {
        Some(pages) if pages > 0 => u64::from(pages) * PAGE,
        _ if base64_length == 0 => PAGE,
        _ => reference_document(base64_length),
    };
    Cost { tokens, origin: Origin::Estimate }
}

/// One token for 8 bytes, rounded up; bytes are 3/4 of the base64 characters, rounded down. This is the rule of Copilot
/// Chat.
pub(super) fn reference_document(base64_length: u64) -> u64 {
    let bytes = base64_length / 4 * 3 + base64_length % 4 * 3 / 4;
    bytes.div_ceil(8)
}
