//! The character classes of regex-syntax, in the format of `core/src/tokens/class.rs`.

use regex_syntax::hir::{Class, HirKind};

/// Returns the contents of `core/src/tokens/classes.bin`.
pub fn encoded() -> Vec<u8> {
    let patterns = [r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}", r"\s"].into_iter().zip(1u8..);
    let mut ranges: Vec<(u32, u32, u8)> =
        patterns.flat_map(|(pattern, class)| ranges(pattern).into_iter().map(move |(a, b)| (a, b, class))).collect();
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32, u8)> = Vec::new();
    for (start, end, class) in ranges {
        if end < 0x80 {
            continue;
        }
        let start = start.max(0x80);
        match merged.last_mut() {
            Some(last) if last.1 >= start => panic!("classes overlap at U+{start:04X}"),
            Some(last) if last.1 + 1 == start && last.2 == class => last.1 = end,
            _ => merged.push((start, end, class)),
        }
    }
    let (mut bytes, mut next) = (Vec::new(), 0x80);
    for (start, end, class) in merged {
        number(start - next, &mut bytes);
        number((end - start) << 3 | u32::from(class), &mut bytes);
        next = end + 1;
    }
    bytes
}

fn ranges(pattern: &str) -> Vec<(u32, u32)> {
    match regex_syntax::parse(pattern).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        other => panic!("{pattern} is no class: {other:?}"),
    }
}

fn number(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
