//! Lines: how they are written, and how damaged ones are read.

use espalier::error::Code;
use espalier::history::log::Log;

use super::{Kind, clear, counting, drop, log, on, range, shown};
use crate::support::{Chars, calls, result, user};

fn sample() -> Log {
    let mut log = log(vec![user("a\u{2028}\"\\💡"), calls(&["1"]), result("1", "x"), user("b"), user("c")]);
    log.edit(clear("m2"), 2).unwrap();
    log.pin(on("m0"), 3).unwrap();
    log.edit(range("m1", "m3"), 4).unwrap();
    log.undo(None, 5).unwrap();
    log
}

/// Reads `text`; `expected` is the kinds of problems, entries kept and lines left.
fn check(text: &str, kinds: &str, kept: usize, left: usize) -> Log {
    let read = Log::import(text, counting(Chars), false).unwrap();
    let found: Vec<String> = read.problems.iter().map(|p| format!("{}:{}", p.line, p.kind)).collect();
    assert_eq!((found.join(" "), read.log.len(), read.left), (kinds.to_string(), kept, left), "{:?}", read.problems);
    assert!(read.salvaged.is_empty());
    let trimmed: Vec<&str> = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.is_empty()).collect();
    let same = trimmed.join("\n").starts_with(read.log.export(0).trim_end());
    assert!(!read.verbatim || same || kinds.contains("duplicate"));
    let whole = sample().export(0);
    assert!(whole.starts_with(&read.log.export(0)), "what is kept is what was written");
    read.log
}

fn lines() -> Vec<String> {
    sample().export(0).lines().map(str::to_string).collect()
}

#[test]
fn a_line_is_what_it_is() {
    let mut log = log(vec![user("hi")]);
    assert_eq!(
        log.export(0),
        "{\"seq\":0,\"v\":1,\"time\":1,\"type\":\"message\",\"message\":{\"id\":\"m0\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\
         \"text\":\"hi\"}]},\"hash\":\"HASH\"}\n".replace("HASH", &log.hash())
    );
    let added = log.append(espalier::message::Message { id: "x".into(), ..user("so") }, -5).unwrap();
    assert_eq!(log.export(1), format!("{}\n", added.line));
    assert_eq!(log.export(2), "");
    assert_eq!(log.export(99), "");
}

#[test]
fn lines_come_back() {
    let text = sample().export(0);
    let same = check(&text, "", 9, 0);
    assert_eq!(shown(&same), shown(&sample()));
    check("", "", 0, 0);
    check(&text.replace('\n', "\r\n\r\n"), "", 9, 0);
    check(&format!("\u{feff}{text}"), "", 9, 0);
    check(text.trim_end(), "", 9, 0);
    // A storage that formats JSON differently does no harm.
    let set = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap().to_string();
    check(&lines().iter().map(|line| set(line)).collect::<Vec<_>>().join("\n"), "", 9, 0);
}

#[test]
fn a_cut_last_line_is_left_out() {
    let text = sample().export(0);
    let all = lines();
    let last = all[8].len();
    for cut in 2..=last {
        let mut end = text.len() - cut;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let kinds = if end == text.len() - last - 1 { "" } else { "9:cut" };
        check(&text[..end], kinds, 8, usize::from(!kinds.is_empty()));
    }
    // In the middle it is not a cut.
    let mut broken = all.clone();
    broken[3].truncate(20);
    check(&broken.join("\n"), "4:unreadable", 3, 6);
}

#[test]
fn any_changed_byte_is_found() {
    let all = lines();
    for (at, line) in all.iter().enumerate() {
        for byte in 0..line.len() {
            let Some(found) = line.get(byte..=byte).filter(|c| c.chars().all(|c| c.is_ascii_alphanumeric())) else {
                continue;
            };
            let other = if found == "7" { "8" } else { "7" };
            let mut broken = all.clone();
            broken[at].replace_range(byte..=byte, other);
            let text = broken.join("\n");
            match Log::import(&text, counting(Chars), false) {
                // The error says that a newer version wrote it.
                Err(error) => assert_eq!(error.code, Code::LogVersion),
                Ok(read) => {
                    assert!(read.log.len() <= at && !read.problems.is_empty(), "line {at}, byte {byte}: {text}");
                    assert_eq!(read.left, all.len() - at);
                }
            }
        }
    }
}

#[test]
fn gaps_doubles_and_shuffled_lines() {
    let all = lines();
    let without = |gone: usize| {
        all.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, l)| l.as_str()).collect::<Vec<_>>().join("\n")
    };
    check(&without(0), "1:missing", 0, 8);
    check(&without(4), "5:missing", 4, 4);
    check(&without(8), "", 8, 0);
    let mut twice = all.clone();
    twice.insert(5, all[4].clone());
    twice.insert(7, all[2].clone());
    check(&twice.join("\n"), "6:duplicate 8:duplicate", 9, 0);
    let mut shuffled = all.clone();
    shuffled.swap(2, 3);
    check(&shuffled.join("\n"), "3:missing", 2, 7);
    // The tail of another log with the same length.
    let mut other = log(vec![user("other"), user("talk"), user("x"), user("y"), user("z")]);
    other.record(espalier::history::log::entry::RecordKind::Note, "1".into(), 1).unwrap();
    let tail = other.export(3);
    check(&format!("{}\n{tail}", all[..3].join("\n")), "4:changed", 3, 3);
}

#[test]
fn a_newer_version_is_refused_whole() {
    let all = lines();
    for at in [0, 4, 8] {
        let mut newer = all.clone();
        newer[at] = newer[at].replace("\"v\":1", "\"v\":2").replace("\"type\":\"", "\"type\":\"new-");
        let error = Log::import(&newer.join("\n"), counting(Chars), false).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::LogVersion, Some(&*format!("line {}", at + 1))));
    }
}

#[test]
fn what_follows_a_broken_line_can_be_salvaged() {
    let mut all = lines();
    all[1] = all[1].replace("bash", "dash");
    let read = Log::import(&all.join("\n"), counting(Chars), true).unwrap();
    assert_eq!((read.problems[0].kind, read.left), ("changed", 8));
    let log = read.log;
    assert_eq!(log.original("m4").map(|m| m.text()).as_deref(), Some("c"));
    assert!(log.edits().is_empty(), "edits of what cannot be trusted are not");
    assert_eq!(shown(&log), "m0 m1 m2 m3 m4");
    assert_eq!(read.salvaged.len(), 5, "four messages and a note");
    // A salvaged log is a log like any other.
    let again = Log::import(&log.export(0), counting(Chars), false).unwrap();
    assert_eq!((again.problems.len(), again.log.hash()), (0, log.hash()));
    let lines: Vec<String> = read.salvaged.into_iter().map(|added| added.line).collect();
    assert_eq!(log.export(1).trim_end(), lines.join("\n"));
}

#[test]
fn a_line_that_says_what_cannot_be_is_refused_though_its_hash_is_right() {
    // Two logs with the same beginning; the second has a message that the first does not have.
    let mut with = log(vec![user("a"), user("b"), user("c")]);
    with.edit(drop(&["m0"]), 2).unwrap();
    let forged = with.export(0).replace("\"targets\":[{\"message\":\"m0\"}]", "\"targets\":[{\"message\":\"m2\"}]");
    assert_ne!(forged, with.export(0));
    let mut lines: Vec<String> = forged.lines().map(str::to_string).collect();
    let body = lines[3].rsplit_once(",\"hash\"").unwrap().0.to_string();
    // The chain is not secret: anybody can compute it. FNV-1a over all lines without their hashes.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for line in lines[..3].iter().map(|l| l.rsplit_once(",\"hash\"").unwrap().0).chain([body.as_str()]) {
        hash = line.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }
    lines[3] = format!("{body},\"hash\":\"{hash:016x}\"}}");
    let read = Log::import(&lines.join("\n"), counting(Chars), false).unwrap();
    assert_eq!((read.problems[0].kind, read.log.len()), ("refused", 3));
    assert_eq!(Kind::Drop.as_str(), "drop");
}
