//! What a record keeps of a ledger, and what is read back from it.

use espalier::compact::ledger::escape::{escape, unescape};
use espalier::compact::ledger::render::{Block, Blocks, Shares, Wanted, blocks, wanted};
use espalier::compact::ledger::{Ledger, Rules};
use espalier::compact::summary::{Covering, Extras, Shown, message};
use espalier::message::Message;
use espalier::tokens::Tokenizer;
use espalier_testing::runs;
use fastrand::Rng;

use super::ledger;
use crate::support::{self, Quarter, TRANSCRIPTS, assistant, call, numbered, random, result, transcript, user};

pub const PLENTY: Shares = Shares {
    user: 1_000_000,
    ledger: 1_000_000,
    entries: 1_000_000,
    least: 1_000_000,
    room: u64::MAX,
    is_last_told: false,
};

/// Returns how the entries are shown within these shares.
fn shown(ledger: &Ledger, shares: Shares) -> Vec<Shown> {
    blocks(ledger, shares, true, &Quarter).shown
}

pub fn record(ledger: &Ledger, shares: Shares) -> Message {
    let covering = Covering { messages: 9, tokens: 99, first: "m0", last: "m8", followed: 3, is_brief: false };
    message("s".into(), "## Progress Tracking\nAll is well.", ledger, covering, shares, &Extras::default(), &Quarter).0
}

pub fn read_back(message: &Message) -> Ledger {
    Ledger::fold(std::slice::from_ref(message), &Rules::default())
}

fn busy() -> Vec<Message> {
    vec![
        user(
            "Fix the lexer.\n[m7] looks like a message\n(9 more left out, no)\n\\[x] and </user-messages> too. Never touch a.rs.",
        ),
        call("1", "edit", r#"{"path":"src/b (old).rs","oldText":"a","newText":"b"}"#),
        result("1", "ok"),
        call("2", "bash", r#"{"command":"cd /w && make `x` -> y"}"#),
        result("2", "b.c:1: error: bad [3 times]\nexit code: 2"),
        call("3", "read", r#"{"path":"c.rs"}"#),
        call("4", "TodoWrite", r#"{"todos":[{"content":"one","status":"completed"},{"content":"two"}]}"#),
        assistant("I decided to keep </commands> as it is."),
        user("Go on."),
    ]
}

#[test]
fn with_room_everything_is_there_word_for_word() {
    let text = record(&ledger(busy()), PLENTY).text();
    for fact in [
        "[m0] Fix the lexer.",
        "- m0: Never touch a.rs.",
        "- [ ] two",
        "- src/b (old).rs (edited, m1)",
        "- m4: b.c:1: error: bad [3 times]",
        "- m3: `cd /w && make `x` -> y` -> exit 2: b.c:1: error: bad",
        "- c.rs (read, m5)",
        "[m8] Go on.",
    ] {
        assert!(text.contains(fact), "{fact} is missing in:\n{text}");
    }
    assert_eq!(text.matches("</user-messages>").count(), 1);
    assert_eq!(text.matches("</commands>").count(), 1);
}

#[test]
fn a_record_is_read_back_into_the_same_facts() {
    let before = ledger(busy());
    let after = read_back(&record(&before, PLENTY));
    let texts = |l: &Ledger| l.requests.iter().map(|r| r.text.trim().to_string()).collect::<Vec<_>>();
    assert_eq!(texts(&before), texts(&after));
    assert!(after.requests.iter().all(|r| r.is_earlier && r.id.starts_with('~')));
    assert_eq!(before.constraints[0].sentence, after.constraints[0].sentence);
    assert_eq!(before.plan.as_ref().unwrap().items.len(), after.plan.as_ref().unwrap().items.len());
    assert_eq!(after.earlier, ["## Progress Tracking\nAll is well."]);
    let facts = |l: &Ledger| {
        let mut files: Vec<_> = l.files.iter().map(|f| (f.path.clone(), f.edits, f.reads > 0)).collect();
        files.sort();
        let commands: Vec<_> = l.commands.iter().map(|c| (c.line.clone(), c.status, c.count)).collect();
        let decisions: Vec<_> = l.decisions.iter().map(|d| (d.by, d.sentence.clone())).collect();
        (files, commands, decisions)
    };
    assert_eq!(facts(&before), facts(&after));
}

#[test]
fn records_of_records_do_not_change() {
    // Written, read back and written again is the same text except for ids: repeated compactions neither add nor lose
    // anything.
    for name in TRANSCRIPTS {
        let first = record(&Ledger::fold(&transcript(name), &Rules::default()), PLENTY);
        let second = record(&read_back(&first), PLENTY);
        let third = record(&read_back(&second), PLENTY);
        assert_eq!(second.text(), third.text(), "{name}");
        // A sentence that is repeated by a user's message is no longer a fact.
        let lines = |ledger: &Ledger| {
            let all = shown(ledger, PLENTY);
            all.iter().filter(|s| s.block != Block::Facts).map(|s| (s.block, s.lines)).collect::<Vec<_>>()
        };
        let before = lines(&Ledger::fold(&transcript(name), &Rules::default()));
        assert_eq!(before, lines(&read_back(&first)), "{name}");
    }
}

#[test]
fn what_finds_no_place_is_counted() {
    let messages = transcript("pi-refactor-long");
    let ledger = Ledger::fold(&messages, &Rules::default());
    let all = shown(&ledger, PLENTY);
    for room in [0, 50, 500, 2_000, 8_000] {
        let shares = Shares { user: room / 3, ledger: room / 5, entries: room, least: room, room, is_last_told: false };
        let Blocks { text, shown, .. } = blocks(&ledger, shares, true, &Quarter);
        // Sentences without a line are no facts, and are not counted.
        let counted = |s: &&Shown| s.block != Block::Facts;
        for (whole, part) in all.iter().filter(counted).zip(shown.iter().filter(counted)) {
            assert_eq!((whole.block, whole.lines), (part.block, part.lines + part.left_out));
            let note = format!("({} more left out, ", part.left_out);
            assert!(part.left_out == 0 || text.contains(&note), "{note} is missing");
        }
        let unregistered = blocks(&ledger, shares, false, &Quarter).text;
        for line in without_counts_alone(&text).into_iter().zip(unregistered.lines()) {
            // A reader who cannot recall is not asked to, and sees no block that would only count; all else is equal.
            let is_note = line.0.starts_with('(') && line.0.contains(" more left out");
            assert!(line.0 == line.1 || is_note && line.1.ends_with(" more left out)"), "{line:?}");
        }
        // The counts are the same after reading back.
        let covering = Covering { messages: 1, tokens: 1, first: "m0", last: "m0", followed: 0, is_brief: false };
        let (message, _) = message("s".into(), "x", &ledger, covering, shares, &Extras::default(), &Quarter);
        let again = read_back(&message);
        let left_out = |block: Block| shown.iter().find(|s| s.block == block).map_or(0, |s| s.left_out);
        let is_there = message.text().contains("<commands>");
        let expected = if is_there { left_out(Block::Commands) } else { 0 };
        assert_eq!(again.left_out.get("commands").copied().unwrap_or(0), expected);
    }
}

/// Returns the lines of blocks without those that only count.
fn without_counts_alone(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        lines.push(line);
        let start = line.strip_prefix("</").and_then(|name| lines.iter().rposition(|tag| *tag == format!("<{name}")));
        let is_count =
            |line: &&str| line.starts_with("(in ") || line.starts_with('(') && line.contains(" more left out");
        if let Some(start) = start
            && lines[start + 1..lines.len() - 1].iter().all(is_count)
        {
            lines.truncate(start);
        }
    }
    lines
}

/// Unconditional lines do not depend on the room, and the rest stays within it.
#[test]
fn the_floor_is_there_without_room_and_the_rest_stays_within_it() {
    for name in TRANSCRIPTS {
        let ledger = Ledger::fold(&transcript(name), &Rules::default());
        for (entries, least) in [(400, 100), (3_000, 400), (12_000, 12_000)] {
            let shares = |room| Shares { user: 1_500, ledger: 800, entries, least, room, is_last_told: false };
            let Wanted { floor, lines, words } = wanted(&ledger, shares(0), &Quarter);
            let bare = blocks(&ledger, shares(0), true, &Quarter);
            assert_eq!(bare.spare, 0, "{name}");
            for room in [0, floor / 2, floor, floor + lines, floor + lines + words, 1_000_000] {
                let made = blocks(&ledger, shares(room), true, &Quarter);
                let tokens = Quarter.count(&made.text);
                assert!(tokens <= room.max(floor), "{name} {room}: {tokens}, floor {floor}");
                assert!(made.spare <= room.saturating_sub(floor), "{name} {room}: {}", made.spare);
                for line in bare.text.lines().filter(|line| line.starts_with("- ") && !line.contains('…')) {
                    let start = line.split(" -> ").next().and_then(|line| line.split(" [").next()).unwrap();
                    // Rows about one message name its id once.
                    let start = start.split_once(": ").map_or(start, |(_, text)| text);
                    // Longer forms begin with the folder.
                    let start = start.trim_start_matches('`').trim_end_matches('`');
                    assert!(made.text.contains(start), "{name} {room}: {line}");
                }
            }
        }
    }
}

/// Commands with equal beginnings and ends are two, and whole.
#[test]
fn commands_that_differ_in_the_middle_stay_two() {
    let (one, two) = ("x".repeat(60), "y".repeat(90));
    let command = |n: usize| call(&n.to_string(), "bash", &format!(r#"{{"command":"run {one} {n} {two} end"}}"#));
    let before = ledger(vec![user("Go."), command(1), command(2)]);
    let shares = Shares { ledger: 0, entries: 400, least: 400, room: 0, user: 100, is_last_told: false };
    let after = read_back(&record(&before, shares));
    assert_eq!((before.commands.len(), after.commands.len()), (2, 2), "{:?}", after.commands);
    for (n, command) in [1, 2].iter().zip(&after.commands) {
        assert_eq!(command.line, format!("run {one} {n} {two} end"));
    }
}

#[test]
fn an_append_changes_only_the_end_of_a_block() {
    let mut messages = busy();
    let block = |messages: &[Message], name: &str| {
        let text = record(&ledger(messages.to_vec()), PLENTY).text();
        let (from, to) = (text.find(&format!("\n<{name}>\n")).unwrap(), text.find(&format!("</{name}>")).unwrap());
        text[from..to].to_string()
    };
    let before: Vec<String> = ["user-messages", "commands", "changed-files"].map(|b| block(&messages, b)).to_vec();
    messages.push(call("9", "bash", r#"{"command":"make clean"}"#));
    messages.push(call("10", "edit", r#"{"path":"z.rs","oldText":"a","newText":"b"}"#));
    messages.push(user("And then?"));
    for (name, before) in ["user-messages", "commands", "changed-files"].iter().zip(before) {
        let after = block(&messages, name);
        // The outcome of the newest request may change.
        let before = before.rsplit_once("\n=> ").map_or(before.as_str(), |(before, _)| before);
        assert!(after.starts_with(before) && after.len() > before.len(), "{name}:\n{before}\n{after}");
    }
}

#[test]
fn escaping_is_undone_exactly() {
    let mut rng = Rng::with_seed(5);
    let pieces = ["<", "\\", "/", "summary", "</summary>", "<\\/todo", " ", "é", "</p>", "ERRORS", "</ERRORS>"];
    for _ in 0..5_000 {
        let text: String = (0..rng.usize(0..12)).map(|_| pieces[rng.usize(0..pieces.len())]).collect();
        let escaped = escape(&text);
        assert_eq!(unescape(&escaped), text);
        assert!(!escaped.to_lowercase().contains("</summary") && !escaped.to_lowercase().contains("</errors"));
    }
}

#[test]
fn hostile_records_are_read_without_harm() {
    let mut rng = Rng::with_seed(6);
    let pieces = [
        "<conversation-summary",
        ">\n",
        "<summary>\n",
        "\n</summary>\n",
        "<commands>\n",
        "</commands>\n",
        "- m1: `x",
        "` -> ok",
        "(",
        " more left out",
        "9999999999999999999999",
        "- ",
        "[",
        "] ",
        "<todo>\n",
        "- [x] \n",
        "<errors>\n",
        " times]\n",
        "é\n",
        "<changed-files>\n",
        " (edited 7)\n",
        "\\",
        "<user-messages>\n",
    ];
    for _ in 0..runs(5_000) {
        let text: String = (0..rng.usize(0..40)).map(|_| pieces[rng.usize(0..pieces.len())]).collect();
        let text = format!("<conversation-summary>{text}</conversation-summary>");
        let messages = numbered(vec![support::record(&text), user(&text)]);
        record(
            &Ledger::fold(&messages, &Rules::default()),
            Shares { user: 50, ledger: 10, entries: 100, least: 10, room: 90, is_last_told: false },
        );
    }
    for _ in 0..runs(500) {
        let messages = random::conversation(&mut rng, 40);
        let room = rng.u64(0..500);
        let shares = Shares {
            user: room,
            ledger: room,
            entries: room,
            least: rng.u64(0..500),
            room: rng.u64(0..900),
            is_last_told: false,
        };
        record(&Ledger::fold(&messages, &Rules::default()), shares);
    }
}

#[test]
fn long_lines_cost_what_they_are_long() {
    // With quadratic reading the test would not end on these.
    let many = |text: &str| text.repeat(100_000);
    for line in [
        "`",
        "- m1: ``",
        "(",
        "<\\",
        "] ",
        ". ",
        "passed 1 failed ",
        "cd a && ",
        "<<E ",
        "</file>",
        "<file>",
        "```\n",
        "> must\n",
    ] {
        let text = many(line);
        let messages = numbered(vec![
            support::record(&format!(
                "<conversation-summary>\n<summary>\nx\n</summary>\n<commands>\n- m1: `{text}\n</commands>\n</conversation-summary>"
            )),
            user(&text),
            call("1", "bash", &serde_json::json!({ "command": text }).to_string()),
            result("1", &text),
        ]);
        record(&Ledger::fold(&messages, &Rules::default()), PLENTY);
    }
}
