//! The cost of a picture: its size from the header of the data, and the providers' formulas.
//!
//! The declared media type is ignored: hosts often declare a wrong one, the header is reliable.

use super::{Cost, Tokenizer};
use crate::error::{Code, Error, Result};

/// Width and height in pixels, both at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// Tokens of a picture of unknown size: those of a tall page with gpt-4o, 6 tiles of 170 and 85. A model whose tiles
/// cost more charges more.
pub const UNKNOWN_IMAGE: u64 = 1_105;
const UNKNOWN_TILES: u64 = 6;

/// Maximum tiles of one picture. For Gemini this is the result for 7,680 pixels in both directions, for Copilot Chat's
/// formula that of a strip of 13,000 x 100 pixels. A header of 33 bytes can claim 2^31 pixels; providers refuse or
/// scale such a picture, and its price must not push everything else out of a request.
const MAX_GEMINI_TILES: u64 = 100;
const MAX_SCALED_TILES: u64 = 400;

/// A provider's formula for pictures. Sources: the vision guides of OpenAI, Anthropic and Google, and the public code
/// of Copilot Chat and gemini-cli, as of 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageModel {
    /// OpenAI's tile models: fit into 2,048, short side to at most 768, `tile` for each tile of 512, plus `base`. Low
    /// detail costs `base`.
    OpenAiTiles { base: u32, tile: u32 },
    /// The usual tiles as Copilot Chat computes them: small pictures are also scaled **up**.
    CopilotChat,
    /// OpenAI's patch models: patches of 32 pixels, at most 1,536, times a factor in hundredths.
    OpenAiPatches { hundredths: u32 },
    /// Anthropic: about width x height / 750, after fitting the long edge to 1,568.
    Anthropic,
    /// Gemini: 258 per tile of 768; 258 in total if both sides are at most 384.
    Gemini,
    /// gemini-cli's flat estimate.
    GeminiCli,
}

/// The tiles of gpt-4o and gpt-4.1, also used for unknown models.
impl Default for ImageModel {
    fn default() -> ImageModel {
        USUAL_TILES
    }
}

const USUAL_TILES: ImageModel = ImageModel::OpenAiTiles { base: 85, tile: 170 };

/// Formulas by a part of the model's name; the first row that matches applies.
const MODELS: &[(&str, ImageModel)] = &[
    ("claude", ImageModel::Anthropic),
    ("gemini", ImageModel::Gemini),
    ("gpt-4.1-mini", ImageModel::OpenAiPatches { hundredths: 162 }),
    ("gpt-4.1-nano", ImageModel::OpenAiPatches { hundredths: 246 }),
    ("gpt-5-mini", ImageModel::OpenAiPatches { hundredths: 162 }),
    ("gpt-5-nano", ImageModel::OpenAiPatches { hundredths: 246 }),
    ("o4-mini", ImageModel::OpenAiPatches { hundredths: 172 }),
    ("gpt-4o-mini", ImageModel::OpenAiTiles { base: 2_833, tile: 5_667 }),
    ("gpt-4o", USUAL_TILES),
    ("gpt-5", ImageModel::OpenAiTiles { base: 70, tile: 140 }),
    ("computer-use", ImageModel::OpenAiTiles { base: 65, tile: 129 }),
];

/// Formulas for names that are too short to be searched inside others: the model's name must begin with them.
const BEGINNINGS: &[(&str, ImageModel)] =
    &[("o1", ImageModel::OpenAiTiles { base: 75, tile: 150 }), ("o3", ImageModel::OpenAiTiles { base: 75, tile: 150 })];

impl ImageModel {
    /// Returns the formula of a model. Unknown models count as gpt-4o does.
    ///
    /// ```
    /// use espalier::tokens::image::ImageModel;
    /// assert_eq!(ImageModel::of_model("anthropic/claude-opus-4.5"), ImageModel::Anthropic);
    /// assert_eq!(ImageModel::of_model("o4-mini"), ImageModel::OpenAiPatches { hundredths: 172 });
    /// ```
    pub fn of_model(model: &str) -> ImageModel {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let inside = MODELS.iter().find(|(part, _)| name.contains(part));
        let found = inside.or_else(|| BEGINNINGS.iter().find(|(start, _)| name.starts_with(start)));
        found.map_or_else(ImageModel::default, |(_, images)| *images)
    }

    /// Returns the formula with this name. `openai-tiles` takes the numbers `base` and `tile`, `openai-patches` the
    /// factor in hundredths as `first`; the others take none.
    ///
    /// # Errors
    /// [`Code::BadOption`], which lists the formulas.
    pub fn from_name(name: &str, first: u32, second: u32) -> Result<ImageModel> {
        match name {
            "openai-tiles" => Ok(ImageModel::OpenAiTiles { base: first, tile: second }),
            "openai-patches" => Ok(ImageModel::OpenAiPatches { hundredths: first }),
            "anthropic" => Ok(ImageModel::Anthropic),
            "gemini" => Ok(ImageModel::Gemini),
            "gemini-cli" => Ok(ImageModel::GeminiCli),
            _ => Err(Error::new(
                Code::BadOption,
                format!(
                    "there is no formula {name:?} for pictures; use openai-tiles, openai-patches, anthropic, gemini or gemini-cli"
                ),
            )),
        }
    }

    /// Returns the tokens of a picture of any size in low detail; `None` if the formula has no low detail.
    pub fn low_detail(self) -> Option<u64> {
        match self {
            ImageModel::OpenAiTiles { base, .. } => Some(u64::from(base)),
            ImageModel::CopilotChat => Some(85),
            _ => None,
        }
    }

    /// Returns the tokens of a picture of this size. `low` asks for low detail, which only the tile models have.
    ///
    /// ```
    /// use espalier::tokens::image::{ImageModel, Size};
    /// let vga = Size { width: 640, height: 480 };
    /// assert_eq!(ImageModel::default().tokens(vga, false), 425);
    /// assert_eq!(ImageModel::CopilotChat.tokens(vga, false), 765);
    /// ```
    pub fn tokens(self, size: Size, low: bool) -> u64 {
        let (width, height) = (u64::from(size.width), u64::from(size.height));
        if let Some(tokens) = self.low_detail().filter(|_| low) {
            return tokens;
        }
        match self {
            ImageModel::OpenAiTiles { base, tile } => tiles(size, false) * u64::from(tile) + u64::from(base),
            ImageModel::CopilotChat => tiles(size, true) * 170 + 85,
            ImageModel::OpenAiPatches { hundredths } => {
                let patches = width.div_ceil(32).saturating_mul(height.div_ceil(32)).min(1_536);
                (patches * u64::from(hundredths)).div_ceil(100)
            }
            ImageModel::Anthropic => {
                let (w, h) = fit(f64::from(size.width), f64::from(size.height), 1_568.0);
                (w * h / 750.0).ceil() as u64
            }
            ImageModel::Gemini if width <= 384 && height <= 384 => 258,
            ImageModel::Gemini => (width.div_ceil(768) * height.div_ceil(768)).min(MAX_GEMINI_TILES) * 258,
            ImageModel::GeminiCli => 3_000,
        }
    }
}

/// A picture of a message: its data or its address, and its declared media type.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    pub data: Option<&'a str>,
    pub url: Option<&'a str>,
    pub media_type: Option<&'a str>,
}

/// Returns the size of a picture that the host knows; `None` for any other.
pub type SizeOf = dyn Fn(Picture) -> Option<Size>;

/// Returns the cost of a picture: exact if its data contain its size or the tokenizer knows it, else an estimate. `low`
/// asks for low detail.
pub(super) fn cost(picture: Picture, low: bool, tokenizer: &dyn Tokenizer) -> Cost {
    let model = tokenizer.images();
    if model == ImageModel::GeminiCli {
        return Cost::estimate(3_000);
    }
    if let Some(tokens) = model.low_detail().filter(|_| low) {
        return Cost::exact(tokens);
    }
    let inside = read(picture.data, picture.url).and_then(|bytes| size_of(&bytes));
    let size = inside.or_else(|| tokenizer.image_size(picture));
    match (size, model) {
        (Some(size), _) => Cost::exact(model.tokens(size, low)),
        (None, ImageModel::OpenAiTiles { base, tile }) => {
            Cost::estimate(UNKNOWN_IMAGE.max(UNKNOWN_TILES * u64::from(tile) + u64::from(base)))
        }
        (None, _) => Cost::estimate(UNKNOWN_IMAGE),
    }
}

/// Returns the bytes of a picture that the message contains.
pub(super) fn read(data: Option<&str>, url: Option<&str>) -> Option<Vec<u8>> {
    let inline = data.or_else(|| url.filter(|url| is_data_url(url)))?;
    Some(decode_base64(inline))
}

/// Returns whether an address contains its data. Schemes of addresses have no case.
pub fn is_data_url(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Scales both sides so that the longer one is at most `edge`; rounds like JavaScript's `Math.round`.
fn fit(width: f64, height: f64, edge: f64) -> (f64, f64) {
    let long = width.max(height);
    if long <= edge {
        return (width, height);
    }
    ((width * (edge / long)).round().max(1.0), (height * (edge / long)).round().max(1.0))
}

/// Returns the tiles of 512 after fitting into 2,048 and scaling the short side to 768.
fn tiles(size: Size, scale_up: bool) -> u64 {
    let (mut width, mut height) = fit(f64::from(size.width), f64::from(size.height), 2_048.0);
    let short = width.min(height);
    if scale_up || short > 768.0 {
        let factor = 768.0 / short;
        width = (width * factor).round();
        height = (height * factor).round();
    }
    (((width / 512.0).ceil() * (height / 512.0).ceil()) as u64).min(MAX_SCALED_TILES)
}

/// Reads the size of a PNG, GIF, JPEG (baseline, extended, progressive) or WebP (lossy, extended, lossless) picture
/// from the beginning of its bytes. `None` for any other format, or if the bytes do not contain its header.
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

/// Finds the frame header (markers C0 to C2) among the segments of a JPEG file.
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
            // The picture's data begins (or the file ends) without a frame header.
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

/// Returns the bytes of a base64 text up to its first error: both alphabets, white space skipped, cut anywhere. Only
/// headers are read from the result, so a broken tail is not an error. A `data:` prefix is skipped.
pub fn decode_base64(text: &str) -> Vec<u8> {
    let body = if is_data_url(text) { text.split_once(',').map_or("", |(_, body)| body) } else { text };
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
