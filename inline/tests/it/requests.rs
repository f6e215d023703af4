//! Single rules of whole requests.

use crate::support::{Units, neighbour, request, snippet};
use espalier_inline::*;

const TEXT: &str = "function total(stock) {\n\treturn stock.map(\n\n}\n\nexport const rate = 3;\n";

fn options(window: u64) -> Options {
    Options { window, completion: 0, ..Options::espalier() }
}

fn run(request: &Request<'_>) -> Context {
    inline_context(request, &Units, &mut Memory::default()).unwrap()
}

#[test]
fn text_around_the_cursor() {
    let options = options(1_000);
    let context = run(&request(TEXT, 42, &options));
    assert_eq!(context.prefix, "function total(stock) {\n\treturn stock.map(");
    assert_eq!(context.suffix, "}\n\nexport const rate = 3;\n");
    assert_eq!(context.context(), "Path: src/current.ts\n");
    assert_eq!(context.tokens.context + context.tokens.prefix + context.tokens.suffix + context.tokens.free, 1_000);
    let blank = run(&request("function f() {\n\t\t", 17, &options));
    assert_eq!((blank.prefix.as_str(), blank.trailing.as_str()), ("function f() {\n", "\t\t"));
    let inside = run(&request("let crab = \"🦀\";\n", 13, &options));
    assert_eq!(inside.prefix, "let crab = \"");
    assert_eq!(run(&request(TEXT, usize::MAX, &options)).prefix, TEXT);
}

#[test]
fn the_rest_of_the_cursors_line() {
    let text = "const sum = total(, 0.25, { round: true });\r\nconsole.log(sum);\n";
    let of = |options: &Options| run(&request(text, 18, options));
    let exact = options(1_000);
    let context = of(&exact);
    assert_eq!(context.prefix, "const sum = total(");
    assert_eq!(context.rest_of_line, ", 0.25, { round: true });");
    assert_eq!(context.suffix, "console.log(sum);\n");
    assert_eq!(context.tokens.rest_of_line, 25);
    assert_eq!(run(&request(TEXT, 42, &exact)).rest_of_line, "");
    // A long line gets the suffix's share, and more if nothing else needs it.
    let line = format!("let a = [{}", "1, ".repeat(1_000));
    let long = format!("{line}\n{}", "let other = 1;\n".repeat(100));
    let before = "let first = 1;\n".repeat(100);
    let crowded = run(&request(&format!("{before}{long}"), before.len() + 9, &exact));
    assert!((150..250).contains(&crowded.rest_of_line.len()) && line[9..].starts_with(&crowded.rest_of_line));
    assert!(!crowded.suffix.is_empty() && crowded.prefix.len() > 300, "{:?}", crowded.tokens);
    let alone = run(&request(&line, 9, &exact));
    assert!(alone.rest_of_line.len() > 900 && alone.tokens.free == 0, "{:?}", alone.tokens);
    // The profile's prompt is the one without it.
    let profile = Options { window: 30, completion: 0, exact: true, ..Options::copilot_chat() };
    let full = of(&profile);
    assert_eq!((full.prefix.len() + full.suffix.len(), full.rest_of_line.len()), (22, 8), "{full:?}");
}

#[test]
fn an_excluded_document_is_not_sent() {
    let options = options(1_000);
    let context = run(&Request { excluded: &["a.ts", "src/current.ts"], ..request(TEXT, 42, &options) });
    assert_eq!(context, Context { is_excluded: true, ..Context::default() });
}

#[test]
fn short_documents_have_none() {
    let options = options(1_000);
    assert!(run(&request("let a = 1", 9, &options)).is_too_short);
    assert!(!run(&request("let a = 12", 0, &options)).is_too_short);
    // The tenth code unit begins a character of two.
    assert!(!run(&request("let a = 1🦀", 0, &options)).is_too_short);
    assert!(!run(&Request { language: "scminput", ..request("", 0, &options) }).is_too_short);
    let no_suffix = Options { suffix_share: 0.0, ..options };
    assert!(run(&request("let a = 12", 9, &no_suffix)).is_too_short);
}

#[test]
fn the_split_of_the_limit() {
    let options = Options::copilot_chat();
    let limit = options.prompt_limit().unwrap();
    assert_eq!((limit, options.split(limit, false)), (7_692, (7_692, 0)));
    assert_eq!(options.split(limit, true), (6_533, 1_154));
}

#[test]
fn options_are_checked() {
    let good = Options::espalier();
    for (bad, path) in [
        (Options { suffix_share: f64::NAN, ..good.clone() }, "options.suffixShare"),
        (Options { suffix_share: 1.0, ..good.clone() }, "options.suffixShare"),
        (Options { context_share: -0.1, ..good.clone() }, "options.contextShare"),
        (Options { chars_per_token: f64::INFINITY, ..good.clone() }, "options.charsPerToken"),
        (Options { window: 500, ..good.clone() }, "options.window"),
        (Options { window: u64::MAX, ..good.clone() }, "options.window"),
    ] {
        let error = inline_context(&request(TEXT, 0, &bad), &Units, &mut Memory::default()).unwrap_err();
        assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_option", Some(path)));
    }
}

#[test]
fn suffixes_are_sent_again_up_to_a_distance() {
    let ids: Vec<u32> = (0..100).collect();
    let changed = |changes: usize| {
        let mut next = ids.clone();
        next[1..=changes].iter_mut().for_each(|id| *id += 1_000);
        is_reusable(&ids, &next)
    };
    // Of the 50 compared tokens: 8, 10 and 12 %.
    assert!(changed(4) && !changed(5) && !changed(6));
    let of_100 = |tokens: usize, changes: usize| {
        let mut next = ids[..tokens].to_vec();
        next[1..=changes].iter_mut().for_each(|id| *id += 1_000);
        is_reusable(&ids[..tokens], &next)
    };
    // 9.1 %, 10 % and 11.1 %.
    assert!(of_100(11, 1) && !of_100(10, 1) && !of_100(9, 1));
    assert!(!is_reusable(&ids, &ids[1..]) && !is_reusable(&[], &[]));
    let options = options(1_000);
    let text = format!("let first = 1;\nlet a = 1;\n{}", "call(argument);\n".repeat(30));
    let mut memory = Memory::default();
    let first = inline_context(&request(&text, 8, &options), &Units, &mut memory).unwrap();
    let next_text = text.replacen("let a = 1;\n", "let b = 1;\n", 1);
    let next = inline_context(&request(&next_text, 8, &options), &Units, &mut memory).unwrap();
    assert!(next.is_suffix_reused && next.suffix == first.suffix);
    let other_text = text.replacen("let a = 1;\n", "const a = 1;\n", 1);
    let other = inline_context(&request(&other_text, 8, &options), &Units, &mut memory).unwrap();
    assert!(!other.is_suffix_reused && other.suffix.starts_with("const"));
}

#[test]
fn items_have_reasons() {
    let options = options(2_000);
    let same = "function total(stock) {\n\treturn stock.length;\n}\n";
    let neighbours = [
        neighbour("src/same.ts", same, 5),
        neighbour("src/none.ts", "nothing alike", 4),
        neighbour("src/current.ts", same, 3),
        Neighbour { language: "python", ..neighbour("a.py", same, 2) },
        neighbour("secret.ts", same, 9),
        neighbour("src/same.ts", same, 1),
    ];
    let large = "x".repeat(3_000);
    let late = ProviderItem { arrived_ms: Some(151), ..snippet("late", "late", 0.9) };
    let pending = ProviderItem { arrived_ms: None, ..snippet("pending", "pending", 0.9) };
    let items = [
        snippet("one", "interface Stock {}", 0.9),
        snippet("one", "again", 0.9),
        snippet("two", "interface Stock {}", 0.9),
        snippet("empty", " \n", 0.9),
        snippet("large", &large, 0.9),
        ProviderItem { path: Some("secret.ts"), ..snippet("secret", "key", 0.9) },
        late,
        pending,
    ];
    let excluded = ["secret.ts"];
    let all = Request {
        neighbours: &neighbours,
        items: &items,
        excluded: &excluded,
        now_ms: 149,
        ..request(TEXT, 42, &options)
    };
    let context = run(&all);
    let reason = |id: &str| {
        context.items.iter().find(|item| item.id == id && item.dropped.is_some()).and_then(|item| item.dropped)
    };
    let sent: Vec<&str> =
        context.items.iter().filter(|item| item.dropped.is_none()).map(|item| item.id.as_str()).collect();
    assert_eq!(sent, ["src/current.ts", "one", "src/same.ts"]);
    for (id, expected) in [
        ("two", Reason::Duplicate),
        ("empty", Reason::Empty),
        ("large", Reason::PoolUsedUp),
        ("secret", Reason::Excluded),
        ("late", Reason::Late),
        ("pending", Reason::Pending),
        ("src/none.ts", Reason::NotSimilar),
        ("src/current.ts", Reason::Unfit(Unfit::CurrentFile)),
        ("a.py", Reason::Unfit(Unfit::OtherLanguage)),
        ("src/same.ts", Reason::Unfit(Unfit::Duplicate)),
        ("secret.ts", Reason::Excluded),
    ] {
        assert_eq!(reason(id), Some(expected), "{id}");
    }
    assert!(
        !context.context().contains("key") && context.context().contains("Compare this snippet from src/same.ts:\n")
    );
    assert_eq!((context.is_partial, context.next_ms), (true, Some(150)));
    let later = run(&Request { now_ms: 150, ..all });
    assert_eq!((later.is_partial, later.next_ms), (false, None));
}

#[test]
fn neighbours_are_read_within_a_limit() {
    let options = options(2_000);
    let texts: Vec<String> = (0..4).map(|file| format!("function total(stock) {{ return {file}; }}\n")).collect();
    let paths = ["a.ts", "b.ts", "c.ts", "d.ts"];
    let neighbours: Vec<Neighbour<'_>> =
        paths.iter().zip(&texts).map(|(path, text)| neighbour(path, text, 1)).collect();
    let mut memory = Memory::default();
    let length = utf16_len(&texts[0]);
    let part = Request { neighbours: &neighbours, fresh_chars: 2 * length, ..request(TEXT, 42, &options) };
    let sent = |context: &Context| context.items.iter().filter(|item| item.kind == Kind::SimilarSnippet).count();
    let first = inline_context(&part, &Units, &mut memory).unwrap();
    assert_eq!((sent(&first), first.is_partial), (2, true));
    let second = inline_context(&part, &Units, &mut memory).unwrap();
    assert_eq!((sent(&second), second.is_partial), (4, false));
    let whole = Request { fresh_chars: usize::MAX, ..part };
    assert_eq!(run(&whole).context(), second.context());
}

#[test]
fn long_documents_leave_room_for_context() {
    let text = "let filler = value;\n".repeat(600);
    let items = [snippet("one", "interface Stock {}", 0.9)];
    let options = options(2_000);
    let all = Request { items: &items, ..request(&text, usize::MAX, &options) };
    let context = run(&all);
    assert!(context.context().contains("interface Stock") && text.ends_with(&context.prefix));
    let copilot = Options { window: 2_000, completion: 0, ..Options::copilot_chat() };
    assert_eq!(run(&Request { options: &copilot, ..all }).context(), "");
}

#[test]
fn what_context_does_not_use_goes_to_the_prefix() {
    let text = "let filler = value;\n".repeat(600);
    let large = "x".repeat(3_000);
    // It fits the pool, but not the prompt.
    let items = [snippet("large", &large[..600], 0.9)];
    for window in [400, 1_000, 4_000] {
        let options = Options { mode: Mode::Fill, ..options(window) };
        let context = run(&Request { items: &items, ..request(&text, usize::MAX, &options) });
        assert!(context.tokens.free <= window / 8 + 20, "{:?}", context.tokens);
        // Nor does a short suffix.
        let context = run(&Request { items: &items, ..request(&text, text.len() - 60, &options) });
        assert!(context.tokens.free <= window / 8 + 20 && !context.suffix.is_empty(), "{:?}", context.tokens);
    }
    let small = [snippet("small", "interface Stock {}", 0.9)];
    let context = run(&Request { items: &small, ..request(&text, usize::MAX, &options(4_000)) });
    assert!(context.context().contains("Path: ") && context.context().contains("Stock"));
}

#[test]
fn prefixes_begin_at_a_stable_line() {
    let mut text: String = (0..600).map(|line| format!("let filler{line} = value;\n")).collect();
    let options = options(4_000);
    let mut memory = Memory::default();
    let mut starts = std::collections::HashSet::new();
    for key in "let next = 1;".chars() {
        text.push(key);
        let context = inline_context(&request(&text, usize::MAX, &options), &Units, &mut memory).unwrap();
        assert!(text.ends_with(&context.prefix));
        starts.insert(text.len() - context.prefix.len());
        assert!(starts.len() == 1 && (key == 'l' || context.tokens.shared + 1 >= context.tokens.prefix));
    }
}

#[test]
fn typing_what_a_completion_says() {
    let mut completions = Completions::new(2);
    completions.put("a.ts", "let a = ", ";\n", "value.map(x)");
    assert_eq!(completions.get("a.ts", "let a = ", ";\n"), Some("value.map(x)"));
    assert_eq!(completions.get("a.ts", "let a = val", ";\n"), Some("ue.map(x)"));
    assert_eq!(completions.get("a.ts", "let a = vx", ";\n"), None);
    assert_eq!(completions.get("a.ts", "let a = value.map(x)", ";\n"), None);
    assert_eq!(completions.get("b.ts", "let a = ", ";\n"), None);
    assert_eq!(completions.get("a.ts", "let a = ", ";"), None);
    completions.put("a.ts", "x", "", "1");
    completions.put("a.ts", "y", "", "2");
    assert_eq!((completions.len(), completions.get("a.ts", "let a = ", ";\n")), (2, None));
}

#[test]
fn lists_of_files_and_places() {
    let mut recent = RecentFiles::new(2);
    ["a", "b", "c"].iter().for_each(|path| recent.activate(path));
    assert_eq!(recent.paths("c"), ["b"]);
    recent.close_tab("b");
    recent.activate("d");
    assert_eq!(recent.paths(""), ["d", "c"]);
    recent.close_document("d");
    assert_eq!(recent.paths(""), ["c", "b"]);
    let mut places = CursorHistory::new(2, 10);
    [("a", 1, 1), ("a", 5, 2), ("b", 1, 3), ("a", 100, 4)]
        .iter()
        .for_each(|(path, line, at)| places.visit(path, *line, *at));
    assert_eq!(places.places().iter().map(|place| place.at_ms).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(places.last_visits()["a"], 4);
}

#[test]
fn copilot_chat_leaves_similar_files_out_beside_snippets() {
    let options = Options::copilot_chat();
    let neighbours = [neighbour("src/same.ts", "function total(stock) {}\n", 5)];
    let items = [snippet("one", "interface Stock {}", 0.9)];
    let all = Request { neighbours: &neighbours, items: &items, ..request(TEXT, 42, &options) };
    let has_similar = |request: &Request<'_>| run(request).items.iter().any(|item| item.kind == Kind::SimilarSnippet);
    assert!(!has_similar(&all) && has_similar(&Request { items: &[], ..all }));
    let dropped = run(&all).items.into_iter().find(|item| item.id == "src/same.ts");
    assert_eq!(dropped.and_then(|item| item.dropped), Some(Reason::SnippetsInstead));
    let c = [Neighbour { language: "c", ..neighbours[0] }];
    assert!(has_similar(&Request { neighbours: &c, language: "cpp", ..all }));
    let espalier = Options::espalier();
    assert!(has_similar(&Request { options: &espalier, ..all }));
}

#[test]
fn files_visited_last_are_looked_at_first() {
    let mut options = options(2_000);
    options.neighbours.max_files = 1;
    let same = "function total(stock) {}\n";
    let neighbours = [neighbour("one.ts", same, 5), neighbour("two.ts", same, 4)];
    let all = Request { neighbours: &neighbours, ..request(TEXT, 42, &options) };
    let sent = |request: &Request<'_>| {
        run(request).items.into_iter().find(|item| item.kind == Kind::SimilarSnippet).map(|item| item.id)
    };
    assert_eq!(sent(&all).as_deref(), Some("one.ts"));
    let mut visits = CursorHistory::default();
    visits.visit("two.ts", 3, 9);
    assert_eq!(sent(&Request { visits: Some(&visits), ..all }).as_deref(), Some("two.ts"));
}

#[test]
fn recent_edits_come_last_before_the_prefix() {
    let options = options(2_000);
    let mut edits = EditHistory::new(EditOptions::espalier());
    edits.open("src/other.ts", "let a = 1;\n");
    edits.change("src/other.ts", "let b = 1;\n", 0);
    edits.settle(1_000);
    let items = [snippet("one", "interface Stock {}", 0.9)];
    let context = run(&Request { edits: Some(&edits), items: &items, ..request(TEXT, 42, &options) });
    let sent: Vec<Kind> = context.items.iter().filter(|item| item.dropped.is_none()).map(|item| item.kind).collect();
    assert_eq!(sent, [Kind::Marker, Kind::Snippet, Kind::RecentEdits]);
    assert!(
        context.context().contains("File: src/other.ts\n@@ -1,2 +1,2 @@\n+let b = 1;\n-let a = 1; --- IGNORE ---\n")
    );
    let hidden = run(&Request { edits: Some(&edits), excluded: &["src/other.ts"], ..request(TEXT, 42, &options) });
    assert!(!hidden.context().contains("let b"));
}

#[test]
fn similar_code_is_shortened_to_its_room() {
    let text = format!("{}const rate = stockTotal(", "// nothing to compare here, nothing at all\n".repeat(80));
    let filler = "log.write(one, two, three);\n";
    let long = format!("{}export function stockTotal(rate) {{\n{}", filler.repeat(40), filler.repeat(40));
    let short = format!("{filler}let rate = 1;\n");
    let neighbours = [neighbour("src/long.ts", &long, 1), neighbour("src/short.ts", &short, 2)];
    let of = |options: &Options| run(&Request { neighbours: &neighbours, ..request(&text, usize::MAX, options) });
    let sent = |context: &Context| -> Vec<(String, Option<(usize, usize)>)> {
        let kept = context.items.iter().filter(|item| item.dropped.is_none() && item.kind == Kind::SimilarSnippet);
        kept.map(|item| (item.id.clone(), item.lines)).collect()
    };
    // Nothing is shortened that has room.
    let whole = of(&options(9_000));
    assert_eq!(sent(&whole), [("src/short.ts".into(), Some((0, 3))), ("src/long.ts".into(), Some((0, 60)))]);
    // 35 % of 1,000 tokens are left to context; the heading and the path take 61 of them.
    let small = of(&options(1_000));
    let (path, lines) = sent(&small).pop().unwrap();
    let (start, end) = lines.unwrap();
    assert!(path == "src/long.ts" && start <= 40 && 40 < end && end - start >= 9, "{lines:?}");
    assert!(small.context().contains("export function stockTotal(rate) {"));
    let kept = small.items.iter().find(|item| item.id == "src/long.ts").unwrap();
    assert!((250..=350).contains(&kept.tokens), "{kept:?}");
    // A few tokens more room beside a short document change nothing.
    let short_text = &text[text.len() - 500..];
    let beside = |window| {
        let options = options(window);
        run(&Request { neighbours: &neighbours, ..request(short_text, usize::MAX, &options) }).context()
    };
    assert_eq!(beside(1_000), beside(1_005));
    // By shares, context has its own.
    let cascade = of(&Options { cascade: Some(Shares::default()), ..options(1_000) });
    assert!(sent(&cascade).iter().any(|(path, _)| path == "src/long.ts"));
    // The reference sends whole windows.
    let reference = Options { completion: 0, window: 1_000, ..Options::copilot_chat() };
    assert!(sent(&of(&reference)).iter().all(|(path, _)| path == "src/short.ts"));
}

#[test]
fn files_beyond_the_most_similar_are_too_many() {
    let texts: Vec<String> = (1..8).map(|words| format!("rate({})\n", "stock ".repeat(words))).collect();
    let paths: Vec<String> = (1..8).map(|file| format!("src/{file}.ts")).collect();
    let mut neighbours: Vec<Neighbour<'_>> =
        paths.iter().zip(&texts).map(|(path, text)| neighbour(path, text, 1)).collect();
    neighbours.push(neighbour("src/other.ts", "nothing\n", 1));
    let options = options(9_000);
    let context = run(&Request { neighbours: &neighbours, ..request("let rate = stock.", usize::MAX, &options) });
    let with = |reason: Option<Reason>, kind| {
        context.items.iter().filter(|item| item.dropped == reason && item.kind == kind).count()
    };
    assert_eq!(with(None, Kind::SimilarSnippet), 4);
    assert_eq!(with(Some(Reason::Unfit(Unfit::TooMany)), Kind::Neighbour), 3);
    assert_eq!(with(Some(Reason::NotSimilar), Kind::Neighbour), 1);
}

#[test]
fn licences_are_not_compared() {
    let block = "/*\n * Copyright (c) A and affiliates.\n *\n * All rights reserved by whom it concerns.\n */\n";
    for (licence, rest) in [
        (block, "\n#include <map>\n"),
        ("#!/bin/sh\n# SPDX-License-Identifier: MIT\n", "\n# Prints.\necho\n"),
        ("// Copyright A.\r\n// All.\r\n", "\r\n// Package main runs.\r\n"),
        ("<!-- Licensed under MIT -->\n", "<p>\n"),
        ("// Use strict.\n\n/* License: MIT */\n", "// The main part.\n"),
        ("<?php\n/**\n * Copyright A.\n */\n", "\nfinal class B {}\n"),
        ("\"use strict\";\n// Copyright A.\n", "\nrun();\n"),
        ("", "<?php\n\nrun();\n"),
        ("", "#include \"license.h\"\n"),
        ("", "//! Finds words.\n\nlet licence = 1;\n"),
        ("/* Copyright", ""),
    ] {
        let text = format!("{licence}{rest}");
        let expected = if rest.is_empty() && !licence.is_empty() { text.as_str() } else { rest };
        assert_eq!(&text[licence_len(&text)..], expected, "{text}");
    }
    let other = format!("{block}\n{}", "unrelated.work(one);\n".repeat(70));
    let header = format!("{block}\n{}", "void request();\n".repeat(3));
    let neighbours = [neighbour("a/other.h", &other, 2), neighbour("a/header.h", &header, 1)];
    let text = format!("{block}\nvoid request() {{\n  ");
    let best = |options: &Options| {
        let context = run(&Request { neighbours: &neighbours, ..request(&text, usize::MAX, options) });
        context.items.into_iter().rfind(|item| item.kind == Kind::SimilarSnippet && item.dropped.is_none()).unwrap()
    };
    let item = best(&options(9_000));
    assert_eq!((item.id.as_str(), item.lines), ("a/header.h", Some((5, 10))));
    assert!(!item.text.contains("Copyright"));
    assert_eq!(best(&Options { window: 9_000, completion: 0, ..Options::copilot_chat() }).lines.unwrap().0, 0);
}
