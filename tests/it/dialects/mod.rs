//! The tables of tool dialects: calls of every agent, results, calls in texts. `cases.txt` has one line for each call.

mod results;

use std::collections::BTreeSet;

use espalier::message::dialects::{self, Dialect, inline};
use espalier::message::tool_map::{ToolCall, ToolKind, ToolMap};
use fastrand::Rng;

const CASES: &str = include_str!("cases.txt");

/// Returns dialect, tool, arguments, and the expected meaning of the call.
fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str, &'static str)> {
    CASES.lines().map(|line| {
        let (call, expected) = line.rsplit_once(" -> ").unwrap_or_else(|| panic!("{line}"));
        let mut words = call.splitn(3, ' ');
        (words.next().unwrap(), words.next().unwrap(), words.next().unwrap(), expected)
    })
}

fn kind(kind: ToolKind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// Formats a call in the form of the cases.
fn words(call: &ToolCall, expected: &str) -> String {
    let mut out = vec![kind(call.kind)];
    out.extend(call.paths.iter().cloned());
    match call.range {
        Some((from, u64::MAX)) => out.push(format!("{from}-end")),
        Some((from, to)) => out.push(format!("{from}-{to}")),
        None => {}
    }
    out.extend(call.patched.iter().map(|(of, path)| format!("~{}:{path}", kind(*of))));
    match call.commands.join(";") {
        none if none.is_empty() => {}
        _ if expected.ends_with("$ *") => out.push("$ *".into()),
        commands => out.push(format!("$ {commands}")),
    }
    out.extend(call.items.iter().map(|(mark, what)| format!("{}{what}", mark.as_str())));
    out.extend(call.question.iter().map(|question| format!("? {question}")));
    // Patches are their own content, which the cases omit.
    if !call.content.is_empty() && call.patched.is_empty() && !call.content.contains("SEARCH\n") {
        out.push(format!("+ {}", call.content.replace('\n', ";")));
    }
    out.join(" ")
}

/// Reading the tables asserts it of each line.
#[test]
fn every_line_of_the_tables_says_something() {
    assert!(!dialects::usual().words.is_empty());
}

/// Returns the cases that `map` reads differently, with its reading.
fn otherwise(map: impl Fn(Dialect) -> ToolMap) -> Vec<String> {
    let wrong = |(dialect, tool, arguments, expected): (&str, &str, &str, &str)| {
        let found = words(&map(Dialect::named(dialect)?).read(tool, arguments), expected);
        (found != expected).then(|| format!("{dialect} {tool} {arguments} -> {found}"))
    };
    cases().filter_map(wrong).collect()
}

#[test]
fn every_call_is_understood_in_its_dialect() {
    let wrong = otherwise(|dialect| ToolMap::default().with_dialect(Some(dialect)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_call_but_the_ambiguous_is_understood_without_a_dialect() {
    // gemini-cli counts an `offset` from 0, codex from 1, and the other arguments are the same.
    let ambiguous = [r#"gemini-cli read_file {"file_path":"a.rs","offset":9,"limit":10} -> read a.rs 9-18"#];
    assert_eq!(otherwise(|_| ToolMap::default()), ambiguous);
}

#[test]
fn every_tool_of_the_tables_has_a_case() {
    let cased: BTreeSet<(&str, &str)> = cases().map(|(dialect, tool, ..)| (dialect, tool)).collect();
    for name in Dialect::names() {
        let dialect = Dialect::named(name).unwrap();
        let tools = dialects::tools(dialect);
        assert!(tools.len() >= 5, "{name}");
        for (tool, kind) in &tools {
            let needs_one = matches!(kind, ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::Shell);
            if needs_one {
                assert!(cased.contains(&(name, tool)), "{name} {tool}");
            }
            // The name of a tool with a single purpose is sufficient.
            if tools.iter().filter(|(other, _)| other == tool).count() == 1 && !tool.contains("edit_file") {
                let call = ToolMap::default().with_dialect(Some(dialect)).read(tool, "{}");
                let sub =
                    cases().any(|(_, of, arguments, _)| of == *tool && arguments.contains("\"command\":\"view\""));
                assert!(sub || call.kind == *kind, "{name} {tool} {:?}", call.kind);
            }
        }
    }
}

#[test]
fn tools_behind_a_server_are_known_by_their_own_name() {
    let call = ToolMap::default().read("mcp__files__replace_string_in_file", r#"{"filePath":"a","newString":"b"}"#);
    assert_eq!((call.kind, call.content.as_str()), (ToolKind::Edit, "b"));
    // A name alone may belong to any host.
    assert_eq!(ToolMap::default().read("task", r#"{"title":"x"}"#).kind, ToolKind::Other);
    assert_eq!(ToolMap::default().read("goto", r#"{"url":"https://a.b"}"#).kind, ToolKind::Other);
    assert_eq!(ToolMap::default().read("mcp__crm__task", r#"{"title":"x"}"#).kind, ToolKind::Other);
}

#[test]
fn an_unknown_dialect_is_refused_with_the_known_ones() {
    use espalier::compact::ledger::Rules;
    let error = serde_json::from_str::<Rules>(r#"{"dialect":"morse"}"#).unwrap_err().to_string();
    assert!(error.contains("claude-code, codex, gemini-cli"), "{error}");
    let rules: Rules = serde_json::from_str(r#"{"dialect":"gemini-chat"}"#).unwrap();
    assert_eq!(rules.dialect, Dialect::named("gemini-cli"));
}

#[test]
fn a_dialect_leaves_other_tools_to_their_arguments() {
    let map = ToolMap::default().with_dialect(Dialect::named("pi"));
    assert_eq!(map.read("Read", r#"{"file_path":"a"}"#).kind, ToolKind::Read);
    assert_eq!(map.read("frobnicate", r#"{"command":"make"}"#).kind, ToolKind::Shell);
}

#[test]
fn calls_in_texts_are_found() {
    let is_tool = |name: &str| ["read_file", "replace_in_file", "execute_command"].contains(&name);
    let text = "I see.\n<thinking>a < b</thinking>\n<replace_in_file>\n<path>a.html</path>\n<diff>\n------- SEARCH\n<b>x</b>\n=======\n<i>x</i>\n+++++++ REPLACE\n</diff>\n</replace_in_file>";
    let found = inline::calls(text, is_tool);
    assert_eq!(found.len(), 1);
    let call = ToolMap::default().read(found[0].name, &found[0].arguments);
    assert_eq!((call.kind, call.paths.as_slice()), (ToolKind::Edit, ["a.html".to_string()].as_slice()));
    assert!(call.content.contains("<i>x</i>"));

    let text = "<read_file>\n<args>\n<file>\n<path>a.ts</path>\n</file>\n<file>\n<path>b.ts</path>\n</file>\n</args>\n</read_file>";
    let found = inline::calls(text, is_tool);
    let call = ToolMap::default().with_dialect(Dialect::named("cline")).read(found[0].name, &found[0].arguments);
    assert_eq!((call.kind, call.paths), (ToolKind::Read, vec!["a.ts".to_string(), "b.ts".to_string()]));

    let text = "<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/w/a.py</parameter>\n<parameter=view_range>[1, 9]</parameter>\n</function>";
    let found = inline::calls(text, is_tool);
    let call = ToolMap::default().read(found[0].name, &found[0].arguments);
    assert_eq!((call.kind, call.paths), (ToolKind::Read, vec!["/w/a.py".to_string()]));

    let text = "Change it:\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nold = 1\n=======\nnew = 2\n>>>>>>> REPLACE\n```\n";
    let found = inline::calls(text, is_tool);
    let call = ToolMap::default().read(found[0].name, &found[0].arguments);
    assert_eq!(
        (call.kind, call.paths, call.content.as_str()),
        (ToolKind::Edit, vec!["src/a.py".to_string()], "new = 2")
    );
    assert_eq!(inline::calls("a <b> c </d> <", is_tool), []);
}

/// Returns random JSON, deep and wrong.
fn junk(rng: &mut Rng, depth: usize) -> String {
    const KEYS: [&str; 16] = [
        "path",
        "command",
        "files",
        "args",
        "edits",
        "offset",
        "limit",
        "view_range",
        "todos",
        "plan",
        "questions",
        "input",
        "diff",
        "replacements",
        "file_path",
        "content",
    ];
    const TEXTS: [&str; 8] =
        ["", "a", "*** Begin Patch\n*** Update File: ", "é{", "view", "-", "3-", "apply_patch *** Begin Patch"];
    match rng.u32(0..if depth > 4 { 5 } else { 8 }) {
        0 => "null".into(),
        1 => rng.i64(..).to_string(),
        2 => format!("{}", rng.f64() * 1e300),
        3 => "18446744073709551615".into(),
        4 | 5 => serde_json::to_string(TEXTS[rng.usize(..TEXTS.len())]).unwrap(),
        6 => format!("[{}]", (0..rng.usize(0..4)).map(|_| junk(rng, depth + 1)).collect::<Vec<_>>().join(",")),
        _ => {
            let field = |rng: &mut Rng| format!("\"{}\":{}", KEYS[rng.usize(..KEYS.len())], junk(rng, depth + 1));
            format!("{{{}}}", (0..rng.usize(0..5)).map(|_| field(rng)).collect::<Vec<_>>().join(","))
        }
    }
}

#[test]
fn whatever_the_arguments() {
    let mut rng = Rng::with_seed(19);
    let names: Vec<(Dialect, &str)> = Dialect::names()
        .filter_map(Dialect::named)
        .flat_map(|dialect| dialects::tools(dialect).into_iter().map(move |(tool, _)| (dialect, tool)))
        .collect();
    for _ in 0..20_000 {
        let (dialect, tool) = names[rng.usize(..names.len())];
        let mut arguments = junk(&mut rng, 0);
        if rng.u32(0..8) == 0 {
            arguments.truncate(arguments.floor_char_boundary(rng.usize(0..=arguments.len())));
        }
        let dialect = rng.bool().then_some(dialect);
        let call = ToolMap::default().with_dialect(dialect).read(tool, &arguments);
        assert!(call.kind == ToolKind::Shell || call.commands.is_empty());
        inline::calls(&arguments, |_| true);
    }
}
