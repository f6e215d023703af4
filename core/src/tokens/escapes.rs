//! JSON as JavaScript writes it: a text with half of a surrogate pair contains an escape that no Rust string can hold.

use serde_json::Value;

/// Reads a JSON text; each half of a surrogate pair becomes U+FFFD, as in a sent text. `None` if it is not JSON.
pub(super) fn value(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok().or_else(|| serde_json::from_str(&whole(json)?).ok())
}

/// Replaces lone halves by U+FFFD; `None` if there are none.
fn whole(json: &str) -> Option<String> {
    let mut out = String::new();
    // Bytes of `json` that are copied to `out`, and the current position.
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        let Some(code) = unit(json, start) else {
            at = json.ceil_char_boundary(start + 2);
            continue;
        };
        at = start + 6;
        let is_pair = code < 0xDC00 && unit(json, at).is_some_and(|next| next >= 0xDC00);
        if is_pair {
            at += 6;
            continue;
        }
        out.push_str(&json[copied..start]);
        out.push('\u{FFFD}');
        copied = at;
    }
    (copied > 0).then(|| out + &json[copied..])
}

/// Returns the half of a surrogate pair that is escaped at `at`.
fn unit(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok().filter(|code| (0xD800..0xE000).contains(code))
}
