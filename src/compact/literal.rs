//! Searches a view's text for many literals in one walk.

use std::borrow::Borrow;

use crate::map::HashMap;
use crate::message::{Message, Part};

/// Returns all text of a view.
pub fn texts(view: &[impl Borrow<Message>]) -> String {
    let mut bytes = 0;
    each(view, |text| bytes += text.len() + 1);
    let mut out = String::with_capacity(bytes);
    each(view, |text| {
        out.push_str(text);
        out.push('\n');
    });
    out
}

fn each<'m>(view: &'m [impl Borrow<Message>], mut take: impl FnMut(&'m str)) {
    for message in view {
        for part in &message.borrow().parts {
            match part {
                Part::Text { text } => take(text),
                Part::ToolCall { arguments, .. } => take(arguments),
                Part::ToolResult { content, .. } => {
                    for part in content {
                        if let Part::Text { text } = part {
                            take(text);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Maximum comparisons of a search. Only texts made to be slow need more; literals not found by then count as missing.
const MAX_WORK: usize = 50_000_000;

/// Bytes by which a literal is looked up.
const KEY: usize = 8;

/// Returns, for each literal, whether it occurs in `text`. Each literal is filed under the least common run of eight
/// bytes in it.
pub fn find(text: &str, wanted: &[&str]) -> Vec<bool> {
    let mut found = vec![false; wanted.len()];
    let places = |literal: &str| {
        let last = literal.len() - KEY;
        [0, last / 4, last / 2, last / 4 * 3, last]
    };
    let key = |bytes: &[u8], at: usize| -> u64 {
        bytes[at..at + KEY].iter().fold(0, |key, byte| key << 8 | u64::from(*byte))
    };
    let mut common: HashMap<u64, usize> = HashMap::default();
    for literal in wanted.iter().filter(|literal| literal.len() >= KEY) {
        for at in places(literal) {
            *common.entry(key(literal.as_bytes(), at)).or_default() += 1;
        }
    }
    let mut filed: HashMap<u64, Vec<(usize, usize)>> = HashMap::default();
    let mut short: HashMap<&str, bool> = HashMap::default();
    for (number, literal) in wanted.iter().enumerate() {
        if literal.len() < KEY {
            short.entry(literal).or_insert_with(|| text.contains(literal));
            continue;
        }
        let bytes = literal.as_bytes();
        let at = places(literal).into_iter().min_by_key(|at| common.get(&key(bytes, *at)).copied());
        let at = at.unwrap_or(0);
        filed.entry(key(bytes, at)).or_default().push((number, at));
    }
    let bytes = text.as_bytes();
    let mut work = 0;
    let mut window: u64 = 0;
    // A small filter before the map: most windows match no literal.
    let mut filter = vec![0u64; 1 << 10];
    let slot = |key: u64| (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize;
    for key in filed.keys() {
        filter[slot(*key) / 64] |= 1 << (slot(*key) % 64);
    }
    for (end, byte) in bytes.iter().enumerate() {
        window = window << 8 | u64::from(*byte);
        if end + 1 < KEY || filter[slot(window) / 64] >> (slot(window) % 64) & 1 == 0 {
            continue;
        }
        let Some(literals) = filed.get(&window) else { continue };
        let start = end + 1 - KEY;
        work += literals.len();
        if work > MAX_WORK {
            break;
        }
        for &(number, at) in literals {
            let literal = wanted[number].as_bytes();
            if !found[number] && start >= at && bytes[start - at..].starts_with(literal) {
                found[number] = true;
            }
        }
    }
    for (number, literal) in wanted.iter().enumerate() {
        if let Some(&is_there) = short.get(literal) {
            found[number] = is_there;
        }
    }
    found
}
