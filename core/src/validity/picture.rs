//! Is it a picture? Told from the first bytes, whatever the host calls it.

use crate::tokens::image::decode_base64;

/// Base64 characters that hold every beginning looked for.
const BEGINNING: usize = 128;

/// True if base64 text begins as a picture does that providers take (PNG, JPEG, GIF, WebP; HEIC and HEIF where `heif`).
pub(super) fn is_picture(data: &str, heif: bool) -> bool {
    let head = decode_base64(&data[..data.floor_char_boundary(BEGINNING)]);
    let begins = |magic: &[u8]| head.starts_with(magic);
    begins(b"\x89PNG\r\n\x1a\n")
        || begins(b"\xFF\xD8\xFF")
        || begins(b"GIF87a")
        || begins(b"GIF89a")
        || begins(b"RIFF") && head.get(8..12) == Some(b"WEBP".as_slice())
        || heif && head.get(4..8) == Some(b"ftyp".as_slice())
}
