//! Recognises images by their first bytes, whatever media type the host states.

use crate::tokens::image::decode_base64;

/// How many base64 characters cover every signature that is checked.
const BEGINNING: usize = 128;

/// Returns whether base64 text begins like an image that providers accept: PNG, JPEG, GIF or WebP, and HEIC or HEIF if
/// `heif`.
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
