//! Beginnings and ends that fit a number of tokens, and counts that join.

use crate::encodings::encoding;
use espalier::tokens::{EncodingName, is_cut};
use espalier_testing::random::Random;

fn both(test: impl Fn(&espalier::tokens::Encoding)) {
    EncodingName::ALL.into_iter().for_each(|name| test(encoding(name)));
}

#[test]
fn keeps_what_fits() {
    let o200k = encoding(EncodingName::O200kBase);
    let check = |text: &str, max: u64, prefix: &str, suffix: &str| {
        assert_eq!(&text[..o200k.prefix_within(text, max).offset], prefix, "first {max} of {text:?}");
        assert_eq!(&text[o200k.suffix_within(text, max).offset..], suffix, "last {max} of {text:?}");
    };
    check("one two three four", 2, "one two", " three four");
    check("one two three four", 4, "one two three four", "one two three four");
    check("one two", 0, "", "");
    check("", 5, "", "");
    // One piece, cut between characters: its first token is "ant", but "anti" is one as well.
    check("antidisestablishmentarianism", 1, "anti", "ism");
    // One character of several tokens is kept whole or not at all.
    check("🧿", 2, "", "");
}

/// Returns texts whose cut edges split differently, and some long pieces.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = (0..1500).map(|seed| Random::new(seed + 7_000_000).text(30)).collect();
    texts.extend(["a \n  b", "x   \n\n   y  ", "あAAAA AAAb", "it's' don'ſ"].map(String::from));
    texts.extend(["a", " ", "\n", "=", "日", "🧿", "ab1", "-\n"].map(|unit| unit.repeat(700)));
    texts.push((0..3000).map(|at| Random::new(at).pick(&['A', 'b', 'C', 'd', '+', '7', '/'])).collect());
    texts
}

#[test]
fn what_is_kept_fits_when_counted_again() {
    both(|encoding| {
        for text in texts() {
            let all = encoding.count(&text);
            for max in [0, 1, 2, 3, 5, 8, 13, all / 2, all.saturating_sub(1), all, all + 1] {
                let prefix = encoding.prefix_within(&text, max);
                assert!(prefix.tokens <= max, "{text:?} {max}");
                assert_eq!(encoding.count(&text[..prefix.offset]), prefix.tokens, "{text:?} {max}");
                let suffix = encoding.suffix_within(&text, max);
                assert!(suffix.tokens <= max, "{text:?} {max}");
                assert_eq!(encoding.count(&text[suffix.offset..]), suffix.tokens, "{text:?} {max}");
                if max >= all {
                    assert_eq!((prefix.offset, suffix.offset), (text.len(), 0));
                }
            }
        }
    });
}

#[test]
fn no_longer_beginning_fits() {
    both(|encoding| {
        let prose =
            "The `README` says: don't  split, 42 words…\n\n## 日本語の文章です。 It's   1 234\tand AAAbあAAAb\n";
        let texts = (0..400).map(|seed| Random::new(seed + 9_000_000).text(12)).chain([prose.repeat(3)]);
        for text in texts {
            let ends = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let counts: Vec<(usize, u64)> = ends().map(|end| (end, encoding.count(&text[..end]))).collect();
            for max in 0..=encoding.count(&text) {
                let longest = counts.iter().rev().find(|(_, tokens)| *tokens <= max).map(|(end, _)| *end);
                assert_eq!(Some(encoding.prefix_within(&text, max).offset), longest, "{max} of {text:?}");
            }
        }
    });
}

#[test]
fn little_is_lost() {
    both(|encoding| {
        let text = "The quick brown fox jumps over the lazy dog; ".repeat(200);
        for max in (0..1000).step_by(37) {
            assert_eq!(encoding.prefix_within(&text, max).tokens, max);
            assert_eq!(encoding.suffix_within(&text, max).tokens, max);
        }
    });
}

#[test]
fn counts_add_up_at_cuts() {
    both(|encoding| {
        for text in texts() {
            let all = encoding.count(&text);
            for at in (1..text.len()).filter(|at| is_cut(&text, *at)).take(50) {
                assert_eq!(encoding.count(&text[..at]) + encoding.count(&text[at..]), all, "{text:?} at {at}");
            }
        }
    });
}

#[test]
fn joined_counts_are_counts_of_the_joined() {
    both(|encoding| {
        for (seed, text) in texts().into_iter().enumerate() {
            let mut random = Random::new(seed as u64);
            let (mut start, mut joined) = (0, encoding.measure(""));
            while start < text.len() {
                let mut end = (start + 1 + random.below(20 + text.len() / 8)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let part = &text[start..end];
                joined = encoding.join(&text[..start], &joined, part, &encoding.measure(part));
                assert_eq!(joined.total, encoding.count(&text[..end]), "{:?} + {part:?}", &text[..start]);
                start = end;
            }
            assert_eq!(joined, encoding.measure(&text), "{text:?}");
        }
    });
}
