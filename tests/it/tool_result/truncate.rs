use espalier::tokens::EncodingName;
use espalier::tool_result::errors::is_error;
use espalier::tool_result::seam::Snap;
use espalier::tool_result::{Keep, Marker, Rules, truncate};
use unicode_segmentation::UnicodeSegmentation;

use super::Chars;
use crate::encodings::shared;

fn build_log(lines: usize) -> String {
    (0..lines)
        .map(|at| match at {
            _ if at % 97 == 5 => format!("src/file{at}.rs:{at}:9: error[E0308]: mismatched types in `call_{at}`\n"),
            _ if at % 11 == 0 => format!("   Compiling package-{at} v1.{at}.0 (/home/ann/package-{at})\n"),
            _ => format!("     Running `rustc --crate-name package_{at} --edition=2024 src/lib.rs`\n"),
        })
        .collect()
}

/// Returns texts in four scripts, and some that have neither words nor lines.
fn random(rng: &mut fastrand::Rng) -> String {
    let alphabets: [&[&str]; 6] = [
        &["the", "render", "error: no", "x = 1;", "\n", " ", "\n\n", "0 errors", "value"],
        &["日本", "語の", "テキスト", "。", "\n", "字"],
        &["при", "вет ", "мир", "\n", " ошибка "],
        &["हिन्", "दी ", "क्ष", "\n", "न्"],
        &["👩‍👩‍👧", "🇳🇱", "e\u{301}", "\u{200d}", "a", "\r\n", "👍🏽"],
        &["abcdefghij", "0123456789", "=="],
    ];
    let words = alphabets[rng.usize(..alphabets.len())];
    (0..rng.usize(1..1_500)).map(|_| words[rng.usize(..words.len())]).collect()
}

fn rules(limit: u64, rng: &mut fastrand::Rng) -> Rules<'static> {
    Rules {
        head_share: rng.f64(),
        keep: if rng.bool() { Keep::Errors } else { Keep::Ends },
        snap: if rng.bool() { Snap::Lines } else { Snap::Characters },
        marker: [Marker::Counts { recall: "r12" }, Marker::Counts { recall: "" }, Marker::Own("...")][rng.usize(..3)],
        ..Rules::new(limit)
    }
}

#[test]
fn never_over_the_limit_and_never_longer_than_the_input() {
    let encoding = shared(EncodingName::O200kBase);
    for seed in 0..3_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = random(&mut rng);
        let whole = encoding.count(&text);
        let limit = [rng.u64(0..12), rng.u64(0..200), rng.u64(0..10_000), rng.u64(0..=whole + 1)][rng.usize(..4)];
        let rules = Rules { json: false, clean: false, ..rules(limit, &mut rng) };
        let short = truncate(&text, rules, &*encoding);
        let Some(out) = &short.text else {
            assert!(whole <= limit, "{seed}: left as it is");
            continue;
        };
        assert_eq!(short.tokens, encoding.count(out), "{seed}");
        assert!(short.tokens <= limit && short.tokens <= whole, "{seed}: {} of {limit}", short.tokens);
        // Enough of the limit is used if the marker leaves room for text.
        if limit >= 100 && whole > limit * 2 {
            let share = if rules.snap == Snap::Lines { 0.80 } else { 0.95 };
            // Some texts contain pieces of many tokens that are kept whole or not at all.
            let least = (limit as f64 * share) as u64;
            assert!(short.tokens >= least.saturating_sub(6), "{seed}: {} of {limit}, {:?}", short.tokens, rules);
        }
    }
}

#[test]
fn characters_stay_whole() {
    let encoding = shared(EncodingName::O200kBase);
    for seed in 0..1_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = random(&mut rng);
        let limit = rng.u64(30..300);
        let rules = Rules {
            json: false,
            clean: false,
            keep: Keep::Ends,
            marker: Marker::Own("\u{1}"),
            ..rules(limit, &mut rng)
        };
        let Some(out) = truncate(&text, rules, &*encoding).text else { continue };
        let Some((head, tail)) = out.split_once('\u{1}') else { continue };
        let (head, tail) = (head.strip_suffix('\n').unwrap_or(head), tail.strip_prefix('\n').unwrap_or(tail));
        let ends: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        let at_head = ends.contains(&head.len()) || ends.contains(&(head.len() + 1));
        let at_tail =
            ends.contains(&(text.len() - tail.len())) || ends.contains(&(text.len() - tail.len()).saturating_sub(1));
        assert!(text.starts_with(head) && at_head, "{seed}: head {head:?}");
        assert!(text.ends_with(tail) && at_tail, "{seed}: tail {tail:?}");
    }
}

#[test]
fn every_limit_of_a_short_text() {
    let encoding = shared(EncodingName::O200kBase);
    let text = build_log(12);
    for limit in 0..=encoding.count(&text) {
        for keep in [Keep::Ends, Keep::Errors] {
            let short = truncate(&text, Rules { keep, ..Rules::new(limit) }, &*encoding);
            assert!(short.tokens <= limit, "{limit}");
            assert_eq!(short.text.is_none(), limit == encoding.count(&text));
        }
    }
}

#[test]
fn what_is_cut_is_said() {
    let text: String = (0..1_000).map(|at| format!("line {at}\n")).collect();
    let short = truncate(&text, Rules { marker: Marker::Counts { recall: "r7" }, ..Rules::new(200) }, &Chars(4));
    let out = short.text.unwrap();
    assert!(out.starts_with("line 0\n") && out.ends_with("line 999\n"));
    let marker = out.lines().find(|line| line.starts_with("[cut")).unwrap();
    assert_eq!(marker, format!("[cut: {} lines, 2,{:03} tokens; recall r7]", short.lines, short.cut - 2_000));
    assert_eq!(out.matches('\n').count() - 1 + short.lines, 1_000);
    // The tail is larger.
    let (head, tail) = out.split_once("[cut").unwrap();
    assert!(tail.len() > head.len());
}

#[test]
fn errors_of_a_build_survive_a_tenfold_cut() {
    let encoding = shared(EncodingName::O200kBase);
    let log = build_log(4_000);
    let limit = encoding.count(&log) / 10;
    let rules = Rules { keep: Keep::Errors, ..Rules::new(limit) };
    let out = truncate(&log, rules, &*encoding).text.unwrap();
    let all: Vec<&str> = log.lines().filter(|line| is_error(line)).collect();
    let kept = all.iter().filter(|line| out.contains(**line)).count();
    assert!(kept * 10 >= all.len() * 8, "{kept} of {}", all.len());
    // In order.
    let places: Vec<usize> = all.iter().filter_map(|line| out.find(*line)).collect();
    assert!(places.is_sorted());
    let without = truncate(&log, Rules::new(limit), &*encoding).text.unwrap();
    assert!(all.iter().filter(|line| without.contains(**line)).count() < kept);
}

#[test]
fn errors_that_do_not_fill_their_share_are_all_kept() {
    let encoding = shared(EncodingName::O200kBase);
    let steps = |from: usize| (from..from + 900).map(|at| format!("step {at} done\n")).collect::<String>();
    for errors in [&["error[E0308]: mismatched types"][..], &["error: no rule", "FATAL: gone", "panic at x.rs:3"]] {
        let log = format!("{}{}\n{}", steps(0), errors.join(&format!("\n{}", steps(900))), steps(1_800));
        for limit in (200..3_000).step_by(37) {
            let short = truncate(&log, Rules { keep: Keep::Errors, ..Rules::new(limit) }, &*encoding);
            let out = short.text.unwrap();
            assert!(short.tokens <= limit);
            assert!(errors.iter().all(|line| out.contains(line)), "{limit}: {errors:?}");
        }
    }
}

#[test]
fn no_line_is_given_to_another_file() {
    let encoding = shared(EncodingName::O200kBase);
    type Form = (&'static str, fn(usize) -> String, fn(usize, usize) -> String);
    let forms: [Form; 4] = [
        (
            "eslint",
            |file| format!("\n/srv/src/f{file}.js"),
            |file, n| format!("  {n}:1  error  no f{file} here  rule-{n}"),
        ),
        ("rg", |file| format!("/srv/src/f{file}.js"), |file, n| format!("{n}: the error of f{file}, word {n}")),
        ("ls -R", |file| format!("\n/srv/src/f{file}.js:"), |file, n| format!("{n} of-f{file}-error-{n}")),
        (
            "git diff",
            |file| format!("diff --git a/f{file}.js b/f{file}.js"),
            |file, n| format!("+error({n}, \"f{file}\")"),
        ),
    ];
    for seed in 0..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (command, heading, entry) = forms[rng.usize(..forms.len())];
        let files = rng.usize(2..30);
        let lines: Vec<String> = (0..files)
            .flat_map(|file| {
                let count = rng.usize(1..12);
                std::iter::once(heading(file)).chain((0..count).map(move |n| entry(file, n + 1)))
            })
            .collect();
        let text = lines.join("\n").trim_start().to_string() + "\n";
        let keep = if rng.bool() { Keep::Errors } else { Keep::Ends };
        let limit = rng.u64(40..=40 + encoding.count(&text));
        let Some(short) = truncate(&text, Rules { keep, ..Rules::new(limit) }, &*encoding).text else { continue };
        // No room for two ends: the marker says that a line may have any beginning.
        if short.starts_with("[cut]") {
            continue;
        }
        let mut file = "";
        for line in short.lines().filter(|line| text.lines().any(|other| other == *line)) {
            let Some(found) = line.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| {
                word.strip_prefix('f').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
            }) else {
                continue;
            };
            if line.starts_with("diff") || line.starts_with('/') {
                file = found;
            } else {
                assert_eq!(found, file, "{command}, {seed}: {line:?} in\n{short}");
            }
        }
    }
}

/// Some tools print a blank line between matches.
#[test]
fn a_tail_that_begins_with_a_blank_line_has_its_heading() {
    let encoding = shared(EncodingName::O200kBase);
    let file = |file: usize| {
        let lines: String = (1..20).map(|n| format!("\n  Line {n}: the value of f{file} is {n}\n")).collect();
        format!("/srv/src/f{file}.js:{lines}\n")
    };
    let text: String = (0..8).map(file).collect();
    for limit in 60..400 {
        let short = truncate(&text, Rules::new(limit), &*encoding).text.unwrap();
        let (_, tail) = short.split_once("[cut: ").unwrap();
        let behind: Vec<&str> = tail.lines().skip(1).collect();
        assert!(behind[0].starts_with("/srv/src/f") || !behind[0].starts_with("  Line"), "{limit}: {short}");
    }
}

#[test]
fn an_output_in_json_is_cut_at_line_ends_and_keeps_its_errors() {
    let encoding = shared(EncodingName::O200kBase);
    let log = build_log(400);
    let text = serde_json::json!({ "output": log, "exit_code": 101, "error": null }).to_string();
    for limit in [60, 150, 400, 1_500] {
        let short = truncate(&text, Rules { keep: Keep::Errors, ..Rules::new(limit) }, &*encoding);
        let value: serde_json::Value = serde_json::from_str(short.text.as_deref().unwrap()).unwrap();
        assert!(short.tokens <= limit && short.json && value["exit_code"] == 101, "{short:?}");
        let output = value["output"].as_str().unwrap();
        if limit >= 400 {
            assert!(short.errors > 0 && output.contains("error[E0308]") && output.contains("\n[cut: "), "{output}");
            assert!(output.lines().all(|line| log.contains(line) || line.starts_with('[')), "{output}");
        }
    }
}

#[test]
fn json_stays_json() {
    let encoding = shared(EncodingName::O200kBase);
    let items: Vec<_> = (0..500)
        .map(|id| serde_json::json!({"id": id, "name": format!("item {id}"), "body": "words ".repeat(id % 40)}))
        .collect();
    let text = serde_json::to_string_pretty(&serde_json::json!({"total": 500, "items": items, "next": null})).unwrap();
    for limit in [200, 1_000, 5_000, 20_000] {
        let short = truncate(&text, Rules::new(limit), &*encoding);
        assert!(short.json && short.tokens <= limit, "{limit}: {short:?}");
        let value: serde_json::Value = serde_json::from_str(&short.text.unwrap()).unwrap();
        assert_eq!((&value["total"], &value["next"]), (&500.into(), &serde_json::Value::Null));
        let list = value["items"].as_array().unwrap();
        assert_eq!((&list[0]["id"], list.last().map(|item| &item["id"])), (&0.into(), Some(&499.into())), "{limit}");
        assert!(
            list.iter().any(|item| item.as_str().is_some_and(|note| note.starts_with("[cut: "))) || list.len() == 500
        );
    }
}

#[test]
fn json_keeps_what_is_about_errors() {
    let encoding = shared(EncodingName::O200kBase);
    let short = |value: &serde_json::Value, limit: u64, keep: Keep| {
        let text = value.to_string();
        let short = truncate(&text, Rules { keep, ..Rules::new(limit) }, &*encoding);
        assert!(short.json && short.tokens <= limit, "{short:?}");
        serde_json::from_str::<serde_json::Value>(&short.text.unwrap()).unwrap()
    };
    // The output of a command in a field, as most agents return it.
    let output = serde_json::json!({"exit_code": 1, "output": build_log(300), "error": null});
    for (keep, wanted) in [(Keep::Errors, 3), (Keep::Ends, 1)] {
        let made = short(&output, 800, keep);
        let errors = made["output"].as_str().unwrap().lines().filter(|line| is_error(line)).count();
        assert!(errors >= wanted && (errors < 3 || keep == Keep::Errors), "{errors} lines, {keep:?}");
        assert_eq!((&made["exit_code"], &made["error"]), (&1.into(), &serde_json::Value::Null));
    }
    // Items of a list; `"error": null` is no error.
    let item = |at: usize| {
        let message = if at == 500 { "test 500 failed: 3 is not 4" } else { "fine" };
        serde_json::json!({"id": at, "error": null, "message": message})
    };
    let list: Vec<_> = (0..1_000).map(item).collect();
    let made = short(&list.clone().into(), 600, Keep::Errors);
    let items = made.as_array().unwrap();
    assert_eq!((&items[0], items.last()), (&list[0], list.last()));
    assert_eq!(items.iter().filter(|item| **item == list[500]).count(), 1);
    let gaps = items.iter().filter_map(serde_json::Value::as_str);
    let missing: usize = gaps.filter_map(|gap| gap.split(' ').nth(1)?.parse::<usize>().ok()).sum();
    assert_eq!(missing + items.iter().filter(|item| item.is_object()).count(), 1_000);
    let made = short(&list.clone().into(), 600, Keep::Ends);
    assert!(!made.as_array().unwrap().contains(&list[500]));
}

#[test]
fn json_stays_json_down_to_its_names() {
    let encoding = shared(EncodingName::O200kBase);
    let inner = serde_json::json!({"c": "y ".repeat(300), "d": [1, 2, 3]});
    let text = serde_json::json!([{"a": "x ".repeat(300), "b": inner}]).to_string();
    for limit in [40, 50, 60, 80, 120] {
        let short = truncate(&text, Rules::new(limit), &*encoding);
        assert!(short.json && short.tokens <= limit, "{limit}: {short:?}");
        let value: serde_json::Value = serde_json::from_str(&short.text.unwrap()).unwrap();
        assert!(value[0]["b"]["c"].as_str().unwrap().contains("[cut: "), "{limit}: {value}");
    }
}

#[test]
fn json_that_cannot_be_short_is_text() {
    let text = format!("{{{}\"z\":1}}", (0..5_000).map(|at| format!("\"key{at}\":{at},")).collect::<String>());
    let short = truncate(&text, Rules::new(100), &Chars(4));
    assert!(!short.json && short.tokens <= 100 && short.text.unwrap().starts_with("{\"key0\""));
    // Deeper than any parser allows.
    let deep = "[".repeat(100_000);
    assert!(truncate(&deep, Rules::new(100), &Chars(4)).tokens <= 100);
}

#[test]
fn noise_goes_first() {
    let check = |text: &str, limit, wanted: &str| {
        let short = truncate(text, Rules::new(limit), &Chars(1));
        assert_eq!(short.text.as_deref(), Some(wanted));
    };
    check(&format!("start\n{}end\n", "tick\n".repeat(50)), 40, "start\ntick [50 times]\nend\n");
    check(&format!("{}done\n", (0..100).map(|at| format!("{at}%\r")).collect::<String>()), 20, "done\n");
    check("\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}\n", 20, "red link\n");
    // Text that fits is unchanged.
    assert_eq!(truncate("tick\ntick\ntick\n", Rules::new(100), &Chars(1)).text, None);
}

#[test]
fn hostile_texts() {
    let encoding = shared(EncodingName::O200kBase);
    for text in [
        "\0".repeat(5_000),
        "\u{1b}".repeat(5_000),
        "\u{1b}[".repeat(3_000),
        "\r".repeat(5_000),
        "🇳🇱".repeat(3_000),
        "\u{301}".repeat(5_000),
        r#"{"a":"#.repeat(2_000),
    ] {
        for limit in [0, 1, 3, 20, 500] {
            let short = truncate(&text, Rules { keep: Keep::Errors, ..Rules::new(limit) }, &*encoding);
            assert!(short.tokens <= limit.max(if short.text.is_none() { short.before } else { 0 }));
            assert_eq!(short.text.map_or(short.tokens, |text| encoding.count(&text)), short.tokens);
        }
    }
}
