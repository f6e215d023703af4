//! Shortens the arguments of old calls. The result is a JSON object with the same keys in the same order.
//!
//! The text is cut in place, not parsed and written again, so that numbers, spaces and the order of keys stay
//! unchanged.

use serde::de::IgnoredAny;

/// Maximum length of arguments, in characters. Longer ones are cut to this length.
pub const LONG: usize = 2_000;

/// No value is cut below this many characters.
const LEAST: usize = 100;

/// Share of a cut text that comes from its beginning.
const HEAD_SHARE: f64 = 0.4;

/// Returns the arguments with at most [`LONG`] characters, or `None` if they are not longer. Arguments that are no JSON
/// object (models do write such) become one. The text refers to the original by `recall`.
pub fn shortened(arguments: &str, recall: &str) -> Option<String> {
    if length(arguments) <= LONG {
        return None;
    }
    let is_object = arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok();
    if !is_object {
        return Some(wrapped(arguments, recall));
    }
    let strings = values(arguments).strings;
    let cap =
        cap(&strings.iter().map(|&(from, to)| length(&arguments[from..to])).collect::<Vec<_>>(), length(arguments));
    let long = strings.into_iter().filter(|&(from, to)| length(&arguments[from..to]) > cap);
    let cut = replaced(arguments, long, |literal| match serde_json::from_str::<String>(literal) {
        Ok(text) => quoted_within(&text, cap, recall),
        // Half a surrogate pair, written as an escape, cannot be decoded and cut.
        Err(_) => quoted(&marker(length(literal), recall)),
    });
    if length(&cut) <= LONG {
        return Some(cut);
    }
    // Many short values are left: replace the largest ones entirely.
    let mut members = values(&cut).members;
    crate::rank::sort(&mut members, |&(from, _)| from as u64);
    crate::rank::sort(&mut members, |&(from, to)| !((to - from) as u64));
    let mut over = length(&cut) - LONG;
    let mut goes: Vec<(usize, usize)> = Vec::new();
    for (from, to) in members {
        let saves = length(&cut[from..to]).saturating_sub(length(&quoted(&marker(to - from, recall))));
        if over == 0 || saves == 0 {
            break;
        }
        over = over.saturating_sub(saves);
        goes.push((from, to));
    }
    crate::rank::sort(&mut goes, |(from, _)| *from as u64);
    let cut = replaced(&cut, goes.into_iter(), |value| quoted(&marker(length(value), recall)));
    Some(if length(&cut) <= LONG { cut } else { wrapped(arguments, recall) })
}

/// Returns the arguments with every string of more than [`LONG`] characters cut to `most`; all other bytes stay the
/// same. Returns `None` if no string is that long, or if the text is no JSON.
pub fn long_strings(arguments: &str, most: usize, recall: &str) -> Option<String> {
    if arguments.len() <= LONG || serde_json::from_str::<IgnoredAny>(arguments).is_err() {
        return None;
    }
    let mut strings = values(arguments).strings;
    strings.retain(|&(from, to)| to - from > LONG && length(&arguments[from..to]) > LONG + 2);
    if strings.is_empty() {
        return None;
    }
    Some(replaced(arguments, strings.into_iter(), |literal| match serde_json::from_str::<String>(literal) {
        Ok(text) => quoted_within(&text, most, recall),
        Err(_) => quoted(&marker(length(literal), recall)),
    }))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Cuts the text so that it has at most `most` characters with quotes and escapes. Returns the marker alone if nothing
/// else fits.
fn quoted_within(text: &str, most: usize, recall: &str) -> String {
    let mut room = most;
    loop {
        let out = quoted(&middle_cut(text, room, recall));
        let over = length(&out).saturating_sub(most);
        if over == 0 || room == 0 {
            return out;
        }
        // One character takes up to six with its escape, so a few steps are enough.
        room = room.saturating_sub(over.div_ceil(6).max(room / 16));
    }
}

fn marker(characters: usize, recall: &str) -> String {
    format!("[cut: {characters} characters; recall {recall}]")
}

fn wrapped(text: &str, recall: &str) -> String {
    format!("{{\"arguments\":{}}}", quoted_within(text, LONG - "{\"arguments\":}".len(), recall))
}

fn middle_cut(text: &str, most: usize, recall: &str) -> String {
    let all = length(text);
    let room = most.saturating_sub(length(&marker(all, recall)));
    if all <= most || room == 0 {
        return marker(all, recall);
    }
    let head = (room as f64 * HEAD_SHARE) as usize;
    let at = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let (start, end) = (at(head), at(all - (room - head)));
    format!("{}{}{}", &text[..start], marker(all - room, recall), &text[end..])
}

/// Returns the length to which the longest of `sizes` must be cut so that the whole has at most [`LONG`] characters.
fn cap(sizes: &[usize], whole: usize) -> usize {
    let mut sizes = sizes.to_vec();
    crate::rank::sort(&mut sizes, |size| !(*size as u64));
    let (mut sum, over) = (0, whole.saturating_sub(LONG));
    for (at, size) in sizes.iter().enumerate() {
        sum += size;
        let level = sum.saturating_sub(over) / (at + 1);
        if level >= sizes.get(at + 1).copied().unwrap_or(0) {
            return level.max(LEAST);
        }
    }
    LEAST
}

/// Replaces these stretches of the text. They are in order and do not overlap.
fn replaced(text: &str, stretches: impl Iterator<Item = (usize, usize)>, by: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in stretches {
        out.push_str(&text[done..from]);
        out.push_str(&by(&text[from..to]));
        done = to;
    }
    out.push_str(&text[done..]);
    out
}

/// Byte ranges of the values of a JSON object.
#[derive(Default)]
struct Values {
    /// Strings at any depth, quotes included, keys excluded.
    strings: Vec<(usize, usize)>,
    /// Values of the outermost object.
    members: Vec<(usize, usize)>,
}

/// Finds the values of `text`, which must be valid JSON.
fn values(text: &str) -> Values {
    let bytes = text.as_bytes();
    let mut out = Values::default();
    let (mut at, mut depth, mut member) = (0, 0_usize, None);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let from = at;
                at += 1;
                while bytes.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let next = bytes.iter().skip(at + 1).find(|byte| !byte.is_ascii_whitespace());
                if next != Some(&b':') {
                    out.strings.push((from, at + 1));
                }
            }
            b':' if depth == 1 => {
                let spaces = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                member = Some(at + 1 + spaces);
            }
            b',' | b'}' if depth == 1 => {
                if let Some(from) = member.take() {
                    out.members.push((from, from + text[from..at].trim_end().len()));
                }
                depth -= usize::from(byte == b'}');
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{LONG, length, shortened};
    use serde_json::Value;

    fn check(arguments: &str, expected: impl Fn(&Value)) {
        let short = shortened(arguments, "m1").expect("it is long");
        assert!(length(&short) <= LONG, "{} characters", length(&short));
        let value: Value = serde_json::from_str(&short).unwrap();
        assert!(value.is_object(), "{short}");
        expected(&value);
    }

    #[test]
    fn long_strings_are_cut_and_everything_else_stays() {
        let body = format!("first line\\n{}\\nlast line", "x".repeat(9_000));
        check(&format!("{{\"z\": 1.50, \"content\": \"{body}\", \"a\" : [true, \"short\"]}}"), |value| {
            let content = value["content"].as_str().unwrap();
            assert!(content.starts_with("first line\n") && content.ends_with("\nlast line"), "{content}");
            assert!(content.contains("recall m1"));
        });
        let short = shortened(&format!("{{\"z\": 1e400, \"c\":\"{body}\",\"a\" : [true, \"short\"]}}"), "m1").unwrap();
        assert!(short.starts_with("{\"z\": 1e400, \"c\":\"first") && short.ends_with("\",\"a\" : [true, \"short\"]}"));
        assert_eq!(shortened("{\"a\":\"b\"}", "m1"), None);
    }

    #[test]
    fn several_long_strings_share_what_there_is() {
        let long = |n: usize| "é\\\"".repeat(n);
        check(&format!("{{\"old\":\"{}\",\"new\":\"{}\",\"path\":\"a.ts\"}}", long(2_000), long(1_000)), |value| {
            assert_eq!(value["path"], "a.ts");
            let lengths = ["old", "new"].map(|key| length(value[key].as_str().unwrap()));
            assert!(lengths.iter().all(|&n| n > 200), "{lengths:?}");
        });
    }

    #[test]
    fn many_values_and_odd_ones() {
        let numbers = (0..2_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        check(&format!("{{\"path\":\"a\",\"cells\":[{numbers}],\"deep\":{{\"x\":[\"]\"]}}}}"), |value| {
            assert!(value["cells"].as_str().unwrap().contains("recall m1"));
            assert_eq!(value["deep"]["x"][0], "]");
        });
        let keys = (0..2_000).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",");
        check(&format!("{{{keys}}}"), |value| assert!(value["arguments"].is_string()));
        check(&"not json \"".repeat(500), |value| assert!(value["arguments"].is_string()));
        check(&format!("[{numbers}]"), |value| assert!(value["arguments"].is_string()));
        check(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), |_| {});
        check(&format!("{{\"a\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000)), |_| {});
        check(&format!("{{\"a\":\"\\ud800{}\"}}", "x".repeat(3_000)), |value| assert!(value["a"].is_string()));
    }

    /// Returns random JSON, wide rather than deep.
    fn random(rng: &mut fastrand::Rng, depth: usize) -> Value {
        let text = |rng: &mut fastrand::Rng, most: usize| -> String {
            (0..rng.usize(0..most))
                .map(|_| ["a", "\"", "\\", "\n", "é", "💡", ":", "{", "\u{1}"][rng.usize(0..9)])
                .collect()
        };
        match rng.u32(0..if depth > 0 { 6 } else { 4 }) {
            0 => Value::from(rng.i64(..)),
            1 => Value::from(rng.bool()),
            2 => Value::from(text(rng, 20)),
            3 => Value::from(text(rng, 3_000)),
            4 => (0..rng.usize(0..8)).map(|_| random(rng, depth - 1)).collect(),
            _ => (0..rng.usize(0..8))
                .map(|_| (text(rng, 9), random(rng, depth - 1)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    #[test]
    fn whatever_comes_in_an_object_comes_out() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..3_000 {
            let value = random(&mut rng, 4);
            let text = if rng.bool() { value.to_string() } else { serde_json::to_string_pretty(&value).unwrap() };
            let Some(short) = shortened(&text, "m1") else {
                assert!(length(&text) <= LONG);
                continue;
            };
            assert!(length(&short) <= LONG, "{}", length(&short));
            let after: Value = serde_json::from_str(&short).unwrap();
            let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
            let is_wrapped = short.starts_with("{\"arguments\":");
            assert!(is_wrapped || keys(&after) == keys(&value), "{short}");
        }
    }
}
