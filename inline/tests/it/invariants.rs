//! Properties that hold for every input.

use crate::support::{Thirds, Units, neighbour, request, snippet, source};
use espalier_inline::*;

const NUMBERS: [f64; 9] = [0.9, 0.5, 1.0, 0.0, -1.0, 7.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn check<T: Tokens>(request: &Request<'_>, tokenizer: &T, memory: &mut Memory, is_exact: bool) {
    let Ok(context) = inline_context(request, tokenizer, memory) else {
        assert!(request.options.prompt_limit().is_err());
        return;
    };
    if context.is_too_short || context.is_excluded {
        return;
    }
    let units: Vec<u16> = request.text.encode_utf16().collect();
    let mut cursor = request.cursor.min(units.len());
    if cursor < units.len() && (0xDC00..0xE000).contains(&units[cursor]) {
        cursor -= 1;
    }
    let before = String::from_utf16(&units[..cursor]).unwrap();
    let after = String::from_utf16(&units[cursor..]).unwrap();
    assert!(before.ends_with(&format!("{}{}", context.prefix, context.trailing)));
    if !context.is_suffix_reused {
        let line = after.find('\n').map_or("", |feed| &after[feed..]);
        assert!(line.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace()).starts_with(&context.suffix));
    }
    let line = after.split('\n').next().unwrap_or("");
    assert!(line.starts_with(&context.rest_of_line) && !context.rest_of_line.ends_with('\r'));
    let spent = context.tokens;
    let limit = request.options.window - request.options.completion;
    assert_eq!(spent.limit, limit);
    if is_exact {
        let text = context.context() + &context.prefix;
        let (counted, suffix) = (tokenizer.count(&text), tokenizer.count(&context.suffix));
        let rest = tokenizer.count(&context.rest_of_line);
        assert!(counted + rest + suffix <= limit, "{counted} + {rest} + {suffix} > {limit}");
        assert_eq!(spent.context + spent.prefix + spent.rest_of_line + spent.suffix + spent.free, limit);
        assert_eq!((spent.context + spent.prefix, spent.rest_of_line, spent.suffix), (counted, rest, suffix));
    }
    let is_sent = |item: &&Item| item.dropped.is_none();
    assert!(context.items.iter().filter(is_sent).all(|item| !item.text.is_empty()));
    assert!(context.items.iter().filter(|item| item.dropped.is_some()).all(|item| item.text.is_empty()));
    for file in request.neighbours {
        assert!(context.items.iter().any(|item| item.id == file.path));
    }
    for item in request.items {
        assert!(context.items.iter().any(|one| one.id == item.id));
    }
}

#[test]
fn random_requests() {
    let mut random = fastrand::Rng::with_seed(20);
    for round in 0..1_500 {
        let lines = random.usize(..60);
        let text = source(&mut random, lines);
        let texts: Vec<String> = (0..6)
            .map(|_| {
                let lines = random.usize(..90);
                source(&mut random, lines)
            })
            .collect();
        let paths = ["src/a.ts", "src/b.ts", "src/current.ts", "src/a.ts", "c\n🦀.ts", ""];
        let neighbours: Vec<Neighbour<'_>> =
            paths.iter().zip(&texts).map(|(path, text)| neighbour(path, text, random.u64(..5))).collect();
        let ids = ["a", "b", "c", "a", ""];
        let items: Vec<ProviderItem<'_>> = (ids.iter().zip(&texts))
            .map(|(id, text)| ProviderItem {
                kind: [ItemKind::Snippet, ItemKind::Trait, ItemKind::Diagnostic][random.usize(..3)],
                weight: NUMBERS[random.usize(..9)],
                arrived_ms: [None, Some(0), Some(100), Some(u64::MAX)][random.usize(..4)],
                ..snippet(id, first(text, random.usize(..400)), NUMBERS[random.usize(..9)])
            })
            .collect();
        let mut edits = EditHistory::new(EditOptions { near_lines: 1, ..EditOptions::espalier() });
        (0..4).for_each(|step| edits.change(["x", "y"][step % 2], &texts[step % 3], step as u64 * 600));
        edits.settle(u64::MAX);
        let is_exact = round % 3 > 0;
        let mut options = if is_exact { Options::espalier() } else { Options::copilot_chat() };
        options.window = [9, 12, 40, 300, 2_000, 8_192][random.usize(..6)];
        options.completion = options.window / 16;
        options.mode = [Mode::Minimal, Mode::FillHalf, Mode::Double, Mode::Fill][random.usize(..4)];
        options.cascade = [None, None, Some(Shares::default())][random.usize(..3)];
        let (mut one, mut two) = (Memory::new(4_096), Memory::new(usize::MAX));
        for _ in 0..3 {
            let cursor = random.usize(..text.len() + 20);
            let all = Request {
                neighbours: &neighbours,
                items: &items,
                edits: Some(&edits),
                now_ms: random.u64(..1_200),
                fresh_chars: usize::MAX,
                options: &options,
                ..request(&text, cursor, &options)
            };
            // The content of a cache changes nothing.
            let (a, b) = (inline_context(&all, &Units, &mut one), inline_context(&all, &Units, &mut two));
            assert_eq!(a, b);
            check(&all, &Units, &mut one, is_exact);
            check(&all, &Units, &mut two, is_exact);
            check(&all, &Thirds, &mut Memory::default(), is_exact);
        }
    }
}

fn first(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[test]
fn nothing_that_fits_is_left_out() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..500 {
        let text = source(&mut random, 40);
        let window = random.u64(100..1_500);
        let options = Options { window, completion: 0, context_share: 0.0, ..Options::espalier() };
        let texts: Vec<String> = (0..5).map(|_| source(&mut random, 4)).collect();
        let items: Vec<ProviderItem<'_>> =
            ["a", "b", "c", "d", "e"].iter().zip(&texts).map(|(id, text)| snippet(id, text, random.f64())).collect();
        let all = Request { items: &items, ..request(&text, text.len() / 3, &options) };
        let context = inline_context(&all, &Units, &mut Memory::default()).unwrap();
        for item in context.items.iter().filter(|item| item.dropped == Some(Reason::NoRoom)) {
            assert!(item.tokens + 5 > context.tokens.free, "{item:?} {:?}", context.tokens);
        }
    }
}

#[test]
fn rolling_windows_equal_the_rules() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut cache = SimilarCache::new(10_000);
    for _ in 0..400 {
        let lines = random.usize(..30);
        let (reference, file) = (source(&mut random, lines), source(&mut random, 50));
        let window = random.usize(1..20);
        let options = SimilarOptions { window, max_per_file: 3, ..SimilarOptions::espalier("") };
        let found = similar(&mut cache, &reference, &[&file], &options, usize::MAX).snippets;
        let set = |lines: &[&str]| {
            let mut set = std::collections::BTreeSet::new();
            lines.iter().for_each(|line| {
                words(line, Alphabet::Unicode, |word| {
                    set.insert(word.to_string());
                })
            });
            set
        };
        let of_reference: Vec<&str> = reference.split('\n').collect();
        let of_reference = set(&of_reference[of_reference.len().saturating_sub(window)..]);
        let of_file: Vec<&str> = file.split('\n').collect();
        let mut kept: Vec<(usize, usize, f64)> = Vec::new();
        for (start, end) in windows(of_file.len(), window) {
            let words = set(&of_file[start..end]);
            let union = words.union(&of_reference).count();
            let score = if union == 0 { 0.0 } else { words.intersection(&of_reference).count() as f64 / union as f64 };
            match kept.last_mut() {
                Some(last) if start < last.1 => {
                    if score > last.2 {
                        *last = (start, end, score);
                    }
                }
                _ => kept.push((start, end, score)),
            }
        }
        kept.retain(|one| one.2 > 0.0 && !of_reference.is_empty());
        kept.sort_by(|a, b| b.2.total_cmp(&a.2));
        kept.truncate(3);
        kept.sort_by(|a, b| a.2.total_cmp(&b.2));
        let found: Vec<_> = found.iter().map(|one| (one.start_line, one.end_line, one.score)).collect();
        assert_eq!(found, kept);
    }
}

#[test]
fn caches_stay_within_their_limit() {
    let mut random = fastrand::Rng::with_seed(5);
    let options = Options { window: 400, completion: 0, ..Options::espalier() };
    let mut memory = Memory::new(100_000);
    let texts: Vec<String> = (0..200).map(|_| source(&mut random, 30)).collect();
    for step in 0..10_000 {
        let text = format!("{}{step}", texts[step % 7]);
        let neighbours = [neighbour("n.ts", &texts[step % 200], 1), neighbour("m.ts", &texts[(step * 7 + 3) % 200], 2)];
        let all = Request { neighbours: &neighbours, ..request(&text, usize::MAX, &options) };
        inline_context(&all, &Units, &mut memory).unwrap();
        assert!(memory.memory() <= 100_000 + 20_000 * 16 + 8_192);
    }
}

#[test]
fn hostile_documents() {
    let long = "x".repeat(3_000_000);
    let feeds = "\n".repeat(1_000_000);
    let crabs = "🦀".repeat(500_000);
    let options = Options::espalier();
    for text in [&long, &feeds, &crabs, "", "\n", "\u{FEFF}\r\n\0"] {
        let neighbours = [neighbour("a.ts", text, 1)];
        let items = [snippet("a", text, 0.9)];
        for cursor in [0, 1, 2, 777_777, usize::MAX] {
            let all = Request { neighbours: &neighbours, items: &items, ..request(text, cursor, &options) };
            check(&all, &Units, &mut Memory::default(), true);
        }
    }
    // Blocks that share chunks in all ways.
    let names: Vec<String> = (0..20_000).map(|name| name.to_string()).collect();
    let blocks: Vec<Block<'_>> =
        names.iter().map(|name| Block { value: "some text\n", weight: 0.5, chunks: vec!["all", name] }).collect();
    let elided = elide(&blocks, 5, "", 0, &Units).unwrap();
    assert!(elided.kept.iter().all(|kept| kept.is_empty()));
}
