//! What a picture costs: its size from the header of the data, and the providers' formulas.
//!
//! The declared media type is ignored: hosts get it wrong, the header does not lie.

use serde::{Deserialize, Serialize};

/// Width and height in pixels, both at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// Tokens of a large picture, for one whose size cannot be known: what the tile formula gives a tall page
/// (2 x 3 tiles of 170, and 85).
pub const UNKNOWN_IMAGE: u64 = 1_105;

/// How a provider counts pictures. Sources: the vision guides of OpenAI, Anthropic and Google, and the public code of
/// Copilot Chat and gemini-cli, as of 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ImageModel {
    /// OpenAI's tile models (gpt-4o, gpt-4.1): fit into 2,048, short side to at most 768, 170 per tile of 512, and 85.
    OpenAiTiles,
    /// The same as Copilot Chat computes it: small pictures are scaled **up** too.
    CopilotChat,
    /// OpenAI's patch models (gpt-4.1-mini, o4-mini): patches of 32 pixels, at most 1,536, times a factor in hundredths
    /// (162 for gpt-4.1-mini and gpt-5-mini, 246 for the nano models, 172 for o4-mini).
    OpenAiPatches { hundredths: u32 },
    /// Anthropic: about width x height / 750, after fitting the long edge to 1,568.
    Anthropic,
    /// Gemini: 258 per tile of 768; 258 in all if both sides are at most 384.
    Gemini,
    /// gemini-cli's flat estimate.
    GeminiCli,
}

impl ImageModel {
    /// Tokens of a picture of this size. `low` asks for low detail, which only the tile models know (85 tokens).
    ///
    /// ```
    /// use espalier::tokens::image::{ImageModel, Size};
    /// let vga = Size { width: 640, height: 480 };
    /// assert_eq!(ImageModel::OpenAiTiles.tokens(vga, false), 425);
    /// assert_eq!(ImageModel::CopilotChat.tokens(vga, false), 765);
    /// ```
    pub fn tokens(self, size: Size, low: bool) -> u64 {
        let (width, height) = (u64::from(size.width), u64::from(size.height));
        match self {
            ImageModel::OpenAiTiles | ImageModel::CopilotChat if low => 85,
            ImageModel::OpenAiTiles => tiles(size, false),
            ImageModel::CopilotChat => tiles(size, true),
            ImageModel::OpenAiPatches { hundredths } => {
                let patches = width.div_ceil(32).saturating_mul(height.div_ceil(32)).min(1_536);
                (patches * u64::from(hundredths)).div_ceil(100)
            }
            ImageModel::Anthropic => {
                let (w, h) = fit(f64::from(size.width), f64::from(size.height), 1_568.0);
                (w * h / 750.0).ceil() as u64
            }
            ImageModel::Gemini if width <= 384 && height <= 384 => 258,
            ImageModel::Gemini => width.div_ceil(768) * height.div_ceil(768) * 258,
            ImageModel::GeminiCli => 3_000,
        }
    }
}

/// Scales both sides so that the longer one is at most `edge`, rounding as JavaScript's `Math.round` does.
fn fit(width: f64, height: f64, edge: f64) -> (f64, f64) {
    let long = width.max(height);
    if long <= edge {
        return (width, height);
    }
    ((width * (edge / long)).round().max(1.0), (height * (edge / long)).round().max(1.0))
}

fn tiles(size: Size, scale_up: bool) -> u64 {
    let (mut width, mut height) = fit(f64::from(size.width), f64::from(size.height), 2_048.0);
    let short = width.min(height);
    if scale_up || short > 768.0 {
        let factor = 768.0 / short;
        width = (width * factor).round();
        height = (height * factor).round();
    }
    ((width / 512.0).ceil() * (height / 512.0).ceil()) as u64 * 170 + 85
}

/// Reads the size of a PNG, GIF, JPEG (baseline, extended, progressive) or WebP (lossy, extended, lossless) picture from the
/// beginning of its bytes. `None` if it is none of these, or its header is not in the bytes.
///
/// ```
/// use espalier::tokens::image::{size_of, Size};
/// assert_eq!(size_of(b"GIF89a\x02\x00\x03\x00"), Some(Size { width: 2, height: 3 }));
/// assert_eq!(size_of(b"hello"), None);
/// ```
pub fn size_of(bytes: &[u8]) -> Option<Size> {
    let (width, height) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        (be32(bytes, 16)?, be32(bytes, 20)?)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        (le16(bytes, 6)?, le16(bytes, 8)?)
    } else if bytes.starts_with(b"\xFF\xD8") {
        jpeg(bytes)?
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP" {
        webp(bytes)?
    } else {
        return None;
    };
    (width > 0 && height > 0).then_some(Size { width, height })
}

/// True for a lossless WebP picture, whose size Copilot Chat does not read.
pub(super) fn is_lossless_webp(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(12..16) == Some(b"VP8L".as_slice())
}

/// Walks the segments of a JPEG file to its frame header (markers C0 to C2).
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Fill bytes before a marker.
            0xFF => at += 1,
            0xC0..=0xC2 => return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?)),
            // Markers without a body.
            0x01 | 0xD0..=0xD8 => at += 2,
            // The picture's data begins (or the file ends) and there was no frame header.
            0xD9 | 0xDA => return None,
            _ => {
                let length = be16(bytes, at + 2)? as usize;
                if length < 2 {
                    return None;
                }
                at += 2 + length;
            }
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => {
            if bytes.get(23..26)? != b"\x9D\x01\x2A" {
                return None;
            }
            // The two top bits ask for upscaling; the size is in the other 14.
            Some((le16(bytes, 26)? & 0x3FFF, le16(bytes, 28)? & 0x3FFF))
        }
        b"VP8L" => {
            if *bytes.get(20)? != 0x2F {
                return None;
            }
            let bits = le16(bytes, 21)? | le16(bytes, 23)? << 16;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => Some((le24(bytes, 24)? + 1, le24(bytes, 27)? + 1)),
        _ => None,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(2)?)?;
    Some(u32::from(b[0]) << 8 | u32::from(b[1]))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(be16(bytes, at)? << 16 | be16(bytes, at + 2)?)
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(2)?)?;
    Some(u32::from(b[1]) << 8 | u32::from(b[0]))
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

/// The bytes of a base64 text, as far as it is well-formed: both alphabets, white space skipped, cut anywhere. Only headers
/// are read from the result, so a broken tail is no error. A `data:` prefix is skipped.
pub fn decode_base64(text: &str) -> Vec<u8> {
    let body = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(',').map_or("", |(_, body)| body),
        None => text,
    };
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0u32, 0);
    for c in body.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
