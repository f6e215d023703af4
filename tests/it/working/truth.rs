//! On every public transcript: the content of a file, combined by rules, equals the result of its next read.
//!
//! The oracle reads the raw results and shares no code with the module.

use espalier::compact::ledger::Rules;
use espalier::compact::working::WorkingSet;
use espalier::message::{Message, Part};
use serde_json::Value;

use crate::support::{TRANSCRIPTS, transcript, transcript_in};

const BENCHED: [&str; 6] = [
    "aider-chat-a",
    "openhands-ponyc-4595",
    "swesmith-pandas-53652",
    "tau-airline-3",
    "tau-airline-7",
    "tau-airline-composite-60",
];

/// Returns path and numbered lines of a read, from its raw text.
fn read_back(name: &str, arguments: &str, result: &str) -> Option<(String, Vec<(u64, String)>)> {
    let given: Value = serde_json::from_str(arguments).ok()?;
    let path = given["path"].as_str()?.to_string();
    let is_view = name == "str_replace_editor" && given["command"] == "view" || name == "open";
    if is_view {
        let numbered = |line: &str| {
            let (number, text) = line.trim_start().split_once(if name == "open" { ':' } else { '\t' })?;
            Some((number.parse().ok()?, text.trim_end_matches('\r').to_string()))
        };
        return Some((path, result.lines().filter_map(numbered).collect()));
    }
    if name != "read" || result.starts_with("Error") || result.starts_with("ENOENT") {
        return None;
    }
    let first = given["offset"].as_u64().unwrap_or(1);
    let note = result.rfind("\n\n[").filter(|at| result[*at..].contains("offset="));
    let text = &result[..note.unwrap_or(result.len())];
    let text = text.strip_suffix('\n').unwrap_or(text);
    Some((path, (first..).zip(text.split('\n').map(str::to_string)).collect()))
}

#[derive(Default)]
struct Tally {
    read: usize,
    fresh: usize,
    right: usize,
    stale: usize,
    stale_right: usize,
}

fn tally(messages: &[Message], mut wrong: impl FnMut(&str, u64, &str, &str)) -> Tally {
    let mut set = WorkingSet::new(&Rules::default());
    let mut open: Vec<(String, String, String)> = Vec::new();
    let mut tally = Tally::default();
    for message in messages {
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, name, arguments } => {
                    open.push((call_id.clone(), name.clone(), arguments.clone()));
                }
                Part::ToolResult { call_id, content, .. } => {
                    let Some((_, name, arguments)) = open.iter().rev().find(|(id, ..)| id == call_id) else { continue };
                    let [Part::Text { text }] = content.as_slice() else { continue };
                    let Some((path, lines)) = read_back(name, arguments, text) else { continue };
                    tally.read += lines.len();
                    let Some(file) = set.file(&path) else { continue };
                    for (number, text) in lines {
                        let Some(line) = file.line(number) else { continue };
                        let is_right = *line.text == *text;
                        if set.is_stale(file, line) {
                            tally.stale += 1;
                            tally.stale_right += usize::from(is_right);
                            continue;
                        }
                        tally.fresh += 1;
                        tally.right += usize::from(is_right);
                        if !is_right {
                            wrong(&message.id, number, &line.text, &text);
                        }
                    }
                }
                _ => {}
            }
        }
        set.add(message);
    }
    tally
}

#[test]
fn known_lines_are_what_the_next_read_returns() {
    let tests = TRANSCRIPTS.iter().map(|name| (*name, transcript(name)));
    let benched = BENCHED.iter().map(|name| (*name, transcript_in("benches/retention/transcripts", name)));
    let mut all = Tally::default();
    for (name, messages) in tests.chain(benched) {
        let mut shown = 0;
        let tally = tally(&messages, |id, number, known, there| {
            shown += 1;
            if shown <= 12 {
                println!("  {name} {id} line {number}: known {known:?}, there {there:?}");
            }
        });
        let Tally { read, fresh, right, stale, stale_right } = tally;
        println!(
            "{name}: {read} lines read, {fresh} known and {right} of them right; {stale} doubtful, {stale_right} right"
        );
        assert!(right * 100 >= fresh * 98, "{name}: {right} of {fresh} lines are right");
        (all.fresh, all.right, all.read) = (all.fresh + fresh, all.right + right, all.read + read);
        all.stale += stale;
    }
    // The figure must come from known lines, not from doubtful ones.
    assert!(all.fresh >= 3_000 && all.fresh > all.stale, "{} known, {} doubtful", all.fresh, all.stale);
}
