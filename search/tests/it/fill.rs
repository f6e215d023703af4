//! Budgets filled with hits, counted as one text.

use crate::support::{Thirds, Words, text};
use espalier_core::tokens::Tokenizer;
use espalier_search::{FillFile, FillHit, FillOptions, Filled, Why, fill, large_hits};

fn options(budget: u64) -> FillOptions {
    FillOptions { budget, ..FillOptions::default() }
}

fn hit(file: usize, start: usize, end: usize) -> FillHit {
    FillHit { file, start, end, score: 1.0 }
}

fn prompt(filled: &Filled) -> String {
    filled.passages.iter().rev().map(|passage| passage.rendered.as_str()).collect()
}

/// Checks the passages of some hits in one file within a budget.
fn check(source: &str, hits: &[(usize, usize)], budget: u64, expected: &str) -> Filled {
    let files = [FillFile::whole("src/a.rs", source)];
    let hits: Vec<FillHit> = hits.iter().map(|(start, end)| hit(0, *start, *end)).collect();
    let filled = fill(&files, &hits, &[], options(budget), &Words).unwrap();
    assert_eq!(prompt(&filled), expected);
    assert!(Words.count(expected) <= budget);
    filled
}

const LINES: &str = "one\ntwo\nthree\nfour\n\nfive\nsix\n";

#[test]
fn passages() {
    check(LINES, &[(0, 3)], 100, "`src/a.rs`, line 1\n```rs\none\n```\n");
    check(LINES, &[(4, 14)], 100, "`src/a.rs`, lines 2-3\n```rs\ntwo\nthree\n```\n");
    // Hits that overlap, touch, or have only blank lines between them form one passage.
    for hits in [[(0, 8), (4, 14)], [(4, 14), (0, 4)], [(8, 14), (0, 8)], [(0, 14), (4, 8)], [(4, 8), (0, 14)]] {
        let filled = check(LINES, &hits, 100, "`src/a.rs`, lines 1-3\n```rs\none\ntwo\nthree\n```\n");
        assert_eq!((filled.passages[0].hits.as_slice(), filled.passages[0].is_cut), (&[0, 1][..], false));
    }
    check(LINES, &[(20, 29), (14, 18)], 100, "`src/a.rs`, lines 4-7\n```rs\nfour\n\nfive\nsix\n```\n");
    // A third hit joins the other two.
    check(LINES, &[(0, 4), (8, 14), (4, 8)], 100, "`src/a.rs`, lines 1-3\n```rs\none\ntwo\nthree\n```\n");
    // The most relevant passage is last.
    let apart = "`src/a.rs`, line 3\n```rs\nthree\n```\n`src/a.rs`, line 1\n```rs\none\n```\n";
    let filled = check(LINES, &[(0, 4), (8, 14)], 100, apart);
    assert_eq!(filled.tokens, Words.count(apart));
    // Blank lines around are left out, indentation stays.
    let filled = check("\n  \n  one\n\n", &[(0, 11)], 100, "`src/a.rs`, line 3\n```rs\n  one\n```\n");
    assert_eq!((filled.passages[0].start, filled.passages[0].end), (4, 9));
    check("a ``` b", &[(0, 7)], 100, "`src/a.rs`, line 1\n````rs\na ``` b\n````\n");
    assert_eq!(check("", &[], 100, "").tokens, 0);
}

#[test]
fn headings() {
    let of = |path: &str, source: &str| {
        let files = [FillFile::whole(path, source)];
        fill(&files, &[hit(0, 0, 9)], &[], options(99), &Words).unwrap().passages[0].rendered.clone()
    };
    assert_eq!(of("Makefile", "x"), "`Makefile`, line 1\n```\nx\n```\n");
    assert_eq!(of("a.b/c", "x"), "`a.b/c`, line 1\n```\nx\n```\n");
    assert_eq!(of("a\nb.c d", "x"), "`a\u{FFFD}b.c d`, line 1\n```\nx\n```\n");
    assert_eq!(of(".gitignore", "x\r\n"), "`.gitignore`, line 1\n```gitignore\nx\n```\n");
}

#[test]
fn ranges_outside_of_the_file() {
    let files = [FillFile::whole("a", "one\n\u{1F333} two\n   \n")];
    let of = |start, end| fill(&files, &[hit(0, start, end)], &[], options(99), &Words).unwrap();
    for (start, end) in [(0, 0), (5, 3), (15, 16), (99, 100), (usize::MAX, usize::MAX), (11, 15)] {
        let filled = of(start, end);
        assert!(filled.passages.is_empty());
        assert_eq!(filled.left_out[0].why, Why::Range, "{start} {end}");
    }
    // Only content in the file counts; an offset inside a character means its end.
    assert_eq!(of(4, usize::MAX).passages[0].rendered, "`a`, line 2\n```\n\u{1F333} two\n```\n");
    assert_eq!(of(5, 10).passages[0].rendered, "`a`, line 2\n```\n two\n```\n");
    let error = fill(&files, &[hit(1, 0, 1)], &[], options(9), &Words).unwrap_err();
    assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_input", Some("hits[0].file")));
    let bad = FillOptions { hit_share: f64::NAN, ..options(9) };
    assert_eq!(fill(&files, &[], &[], bad, &Words).unwrap_err().code.as_str(), "bad_option");
}

#[test]
fn what_does_not_fit_is_skipped_or_cut() {
    let long: String = (0..60).map(|line| format!("{line} a b c\n")).collect();
    let files = [FillFile::whole("long.c", &long), FillFile::whole("short.c", "x y z")];
    let end = long.len();
    let (long, short) = (hit(0, 0, end), hit(1, 0, 5));
    // The second hit fits beside the beginning of the first.
    let filled = fill(&files, &[short, long], &[], options(150), &Words).unwrap();
    assert_eq!(filled.passages.iter().map(|one| (one.file, one.is_cut)).collect::<Vec<_>>(), [(1, false), (0, true)]);
    assert!(filled.tokens <= 150 && filled.tokens > 140, "{}", filled.tokens);
    assert!(filled.passages[1].rendered.ends_with("a b c\n```\n"), "whole lines");
    assert_eq!(filled.passages[1].first_line, 0);
    // A large hit is limited to its share until all others had their turn.
    let share = FillOptions { min_share: 40, ..options(150) };
    let filled = fill(&files, &[long, short], &[], share, &Words).unwrap();
    assert_eq!(filled.passages.iter().map(|one| (one.file, one.is_cut)).collect::<Vec<_>>(), [(0, true), (1, false)]);
    assert!(filled.tokens <= 150 && filled.tokens > 140, "{}", filled.tokens);
    // Unless everything fits.
    let filled = fill(&files, &[long, short], &[], FillOptions { min_share: 9, ..options(500) }, &Words).unwrap();
    assert!(filled.passages.iter().all(|one| !one.is_cut) && filled.left_out.is_empty());
    // A summary replaces the beginning.
    let large = large_hits(&files, &[long, short], share, &Words).unwrap();
    assert_eq!(large.iter().map(|one| one.hit).collect::<Vec<_>>(), [0]);
    assert!(large[0].budget > 40 && large[0].budget < 75);
    let filled = fill(&files, &[long, short], &[(0, "0 ... 59")], share, &Words).unwrap();
    assert_eq!(filled.passages[0].rendered, "`long.c`, lines 1-60\n```c\n0 ... 59\n```\n");
    assert_eq!((filled.passages[0].summary, filled.passages[0].is_cut), (Some(0), true));
    // A summary that is too long or blank does not.
    for summary in [" ", &"much too long ".repeat(99)] {
        let filled = fill(&files, &[long, short], &[(0, summary)], share, &Words).unwrap();
        assert_eq!(filled.passages[0].summary, None);
        assert!(filled.tokens <= 150 && filled.tokens > 140);
    }
    // A part of a line without an end.
    let line = "word ".repeat(5_000);
    let files = [FillFile::whole("line.txt", &line)];
    let filled = fill(&files, &[hit(0, 0, line.len())], &[], options(200), &Words).unwrap();
    assert!(filled.tokens <= 200 && filled.tokens > 180, "{}", filled.tokens);
    let filled = fill(&files, &[hit(0, 0, line.len())], &[], options(3), &Words).unwrap();
    assert_eq!((filled.tokens, filled.left_out[0].why), (0, Why::Budget));
}

/// A tokenizer whose counts add up at the positions of [`espalier_core::tokens::is_cut`].
struct Additive;

impl Tokenizer for Additive {
    fn count(&self, text: &str) -> u64 {
        // White space joins the text after it, except line ends, which join the text before unless it is a letter.
        let mut count = 0;
        let mut before = None;
        for character in text.chars() {
            let Some(before) = before.replace(character) else {
                count += 1;
                continue;
            };
            let is_start = match character {
                ' ' | '\t' => !before.is_whitespace(),
                '\r' | '\n' => before.is_alphanumeric(),
                '/' if matches!(before, '\r' | '\n') => false,
                _ => !(matches!(before, ' ' | '\t') || character.is_alphanumeric() && before.is_alphanumeric()),
            };
            count += u64::from(is_start);
        }
        count
    }

    fn has_cuts(&self) -> bool {
        true
    }
}

fn properties<T: Tokenizer>(tokenizer: &T, seed: u64) {
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut cut = 0;
    for round in 0..400 {
        let texts: Vec<String> = (0..random.usize(1..4))
            .map(|_| {
                let lines = random.usize(1..60);
                text(random, lines)
            })
            .collect();
        let paths: Vec<String> = (0..texts.len()).map(|file| format!("src/{file}.ts")).collect();
        let files: Vec<FillFile> = paths.iter().zip(&texts).map(|(path, text)| FillFile::whole(path, text)).collect();
        let hits: Vec<FillHit> = (0..random.usize(..20))
            .map(|_| {
                let file = random.usize(..files.len());
                let units = texts[file].encode_utf16().count();
                let start = random.usize(..units + 2);
                let longest = if random.bool() { 40 } else { units + 9 };
                FillHit { file, start, end: start + random.usize(..longest), score: random.f64() }
            })
            .collect();
        let budget = random.u64(..600);
        let given = FillOptions { budget, min_share: random.u64(..200), hit_share: random.f64() };
        let filled = fill(&files, &hits, &[], given, tokenizer).unwrap();
        assert_eq!(filled, fill(&files, &hits, &[], given, tokenizer).unwrap());
        // Never over the budget, in either order, and exact.
        let forward: String = filled.passages.iter().map(|one| one.rendered.as_str()).collect();
        assert_eq!(tokenizer.count(&forward), filled.tokens, "{forward}");
        assert!(filled.tokens <= budget, "{} {budget}", filled.tokens);
        if tokenizer.has_cuts() {
            assert_eq!(tokenizer.count(&prompt(&filled)), filled.tokens);
            assert_eq!(filled.passages.iter().map(|one| one.tokens).sum::<u64>(), filled.tokens);
        }
        for passage in &filled.passages {
            assert_eq!(tokenizer.count(&passage.rendered), passage.tokens);
            let units: Vec<u16> = texts[passage.file].encode_utf16().collect();
            let source = String::from_utf16(&units[passage.start..passage.end]).unwrap();
            assert!(passage.rendered.contains(&source) && !source.trim().is_empty());
            let first = String::from_utf16(&units[..passage.start]).unwrap();
            assert_eq!(first.matches('\n').count(), passage.first_line);
            assert_eq!(passage.first_line + source.matches('\n').count(), passage.last_line);
            assert!(passage.hits.is_sorted());
            cut += u32::from(passage.is_cut);
        }
        assert!(filled.passages.is_sorted_by_key(|one| one.hits[0]));
        // Passages of a file neither overlap nor touch.
        for (at, one) in filled.passages.iter().enumerate() {
            for other in filled.passages[at + 1..].iter().filter(|other| other.file == one.file) {
                assert!(one.end < other.start || other.end < one.start, "round {round}");
            }
        }
        // Each hit is in one passage or is left out; with its text, unless that is cut.
        for (at, hit) in hits.iter().enumerate() {
            let there: Vec<_> = filled.passages.iter().filter(|one| one.hits.contains(&at)).collect();
            let left_out = filled.left_out.iter().filter(|one| one.hit == at).count();
            assert_eq!(there.len() + left_out, 1);
            if let Some(passage) = there.first().filter(|one| !one.is_cut) {
                let units: Vec<u16> = texts[hit.file].encode_utf16().collect();
                let own = String::from_utf16_lossy(&units[hit.start..hit.end.min(units.len())]);
                assert!(passage.rendered.contains(own.trim_matches(['\u{FFFD}', ' ', '\t', '\n', '\r'])));
            }
        }
        // Nothing that fits is left out.
        for left in filled.left_out.iter().filter(|left| left.why == Why::Budget) {
            let alone = fill(&files, &[hits[left.hit]], &[], options(u64::MAX), tokenizer).unwrap();
            // Passages can have fewer tokens together than apart, if counts do not add up.
            let apart: u64 = filled.passages.iter().map(|one| one.tokens).sum();
            assert!(alone.tokens + apart > budget, "{left:?}");
        }
    }
    assert!(cut > 40, "{cut}");
}

#[test]
fn random_hits_fill_the_budget() {
    properties(&Additive, 1);
    properties(&Thirds, 2);
}

#[test]
fn counting_is_not_quadratic() {
    use std::cell::Cell;
    struct Counting(Cell<usize>);
    impl Tokenizer for Counting {
        fn count(&self, text: &str) -> u64 {
            self.0.set(self.0.get() + text.len());
            Additive.count(text)
        }
        fn has_cuts(&self) -> bool {
            true
        }
    }
    // Hits of 5 lines each, in an order that joins passages all the time.
    let source: String = (0..20_000).map(|line| format!("let name{line} = call({line}, other);\n")).collect();
    let mut hits: Vec<FillHit> = Vec::new();
    let starts: Vec<usize> = source.match_indices('\n').step_by(5).map(|(at, _)| at + 1).collect();
    for (start, end) in starts.iter().zip(&starts[1..]) {
        hits.push(hit(0, *start, *end));
    }
    fastrand::Rng::with_seed(1).shuffle(&mut hits);
    let files = [FillFile::whole("a.ts", &source)];
    let counter = Counting(Cell::new(0));
    let filled = fill(&files, &hits, &[], options(u64::MAX / 4), &counter).unwrap();
    assert_eq!((filled.passages.len(), filled.left_out.len()), (1, 0));
    assert!(counter.0.get() < 3 * source.len(), "{} of {}", counter.0.get(), source.len());
}

#[test]
fn lines_of_a_file_are_filled_as_the_whole_file_is() {
    let before = "// \u{1F333} one\n\nlet two = 2;\n";
    let shown = "fn three() {\n    four();\n}\n\nfn five() {}\n";
    let text = [before, shown, "// six\n"].concat();
    let units = |text: &str| text.encode_utf16().count();
    let (from, to) = (units(before), units(before) + units(shown));
    let hits = [(from, from + 13), (from + 13, from + 26), (to - 13, to)];
    let hits = hits.map(|(start, end)| hit(0, start, end));
    let part = FillFile { path: "a.rs", text: shown, offset: from, line: 3 };
    for budget in [20, 60, 1000] {
        let made = |file| fill(&[file], &hits, &[], options(budget), &Words);
        assert_eq!(made(part).unwrap(), made(FillFile::whole("a.rs", &text)).unwrap(), "{budget}");
    }
}
