//! Random work on a real text: every known line that is not doubtful is in it.

use espalier::compact::ledger::Rules;
use espalier::compact::working::WorkingSet;
use espalier::message::Message;
use fastrand::Rng;
use serde_json::json;

use super::known;
use crate::support::{call, result};

/// The file on disk, changed by plain operations on its text.
struct Disk {
    lines: Vec<String>,
    next: usize,
}

impl Disk {
    fn fresh(&mut self, rng: &mut Rng) -> String {
        self.next += 1;
        // Lines that occur twice make edits ambiguous for a reader of a part.
        if rng.u8(0..6) == 0 { "}".into() } else { format!("    let value_{} = compute({});", self.next, rng.u16(..)) }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Returns one call with its result; changes the disk as the tool would.
    fn step(&mut self, rng: &mut Rng) -> (&'static str, String, String) {
        let count = self.lines.len();
        let from = rng.usize(0..count);
        let to = (from + rng.usize(1..12)).min(count);
        match rng.u8(0..10) {
            0 => ("read", json!({ "path": "a.rs" }).to_string(), self.text()),
            1..=3 => {
                let more = count - to;
                let note = if more > 0 {
                    format!("\n\n[{more} more lines in file. Use offset={} to continue.]", to + 1)
                } else {
                    "\n".into()
                };
                let arguments = json!({ "path": "a.rs", "offset": from + 1, "limit": to - from }).to_string();
                ("read", arguments, self.lines[from..to].join("\n") + &note)
            }
            4 => {
                let command = format!("sed -n '{},{}p' a.rs", from + 1, to);
                ("bash", json!({ "command": command }).to_string(), self.lines[from..to].join("\n"))
            }
            5..=7 => {
                let old = self.lines[from..to].join("\n");
                let new: Vec<String> = (0..rng.usize(0..8)).map(|_| self.fresh(rng)).collect();
                let text = new.join("\n");
                let arguments = json!({ "path": "a.rs", "oldText": old, "newText": text }).to_string();
                if self.text().matches(&old).count() != 1 {
                    return ("edit", arguments, "Could not find the exact text in a.rs.".into());
                }
                let whole = self.text().replacen(&old, &text, 1);
                self.lines = whole.lines().map(str::to_string).collect();
                if self.lines.is_empty() {
                    self.lines.push("}".into());
                    return ("write", json!({ "path": "a.rs", "content": "}\n" }).to_string(), "wrote".into());
                }
                ("edit", arguments, "Successfully replaced text in a.rs.".into())
            }
            8 => {
                let text = self.fresh(rng);
                self.lines.insert(from, text.clone());
                let arguments = json!({ "command": "insert", "path": "a.rs", "insert_line": from, "new_str": text });
                ("str_replace_editor", arguments.to_string(), "The file a.rs has been edited.".into())
            }
            _ => {
                let mut hunk: Vec<String> = Vec::new();
                let line = self.fresh(rng);
                hunk.extend(self.lines[from..to].iter().map(|line| format!("-{line}")));
                hunk.push(format!("+{line}"));
                let patch = format!(
                    "--- a/a.rs\n+++ b/a.rs\n@@ -{},{} +{},1 @@\n{}\n",
                    from + 1,
                    to - from,
                    from + 1,
                    hunk.join("\n")
                );
                self.lines.splice(from..to, [line]);
                ("apply_patch", json!({ "patch": patch }).to_string(), "Done".into())
            }
        }
    }
}

#[test]
fn what_is_known_is_true_and_folds_alike() {
    let (mut claimed, mut held) = (0, 0);
    for seed in 0..1_000 {
        let mut rng = Rng::with_seed(seed);
        let mut disk = Disk { lines: vec![], next: 0 };
        for _ in 0..rng.usize(5..80) {
            let line = disk.fresh(&mut rng);
            disk.lines.push(line);
        }
        let mut set = WorkingSet::new(&Rules::default());
        let mut messages: Vec<Message> = Vec::new();
        for step in 0..40 {
            let (tool, arguments, text) = disk.step(&mut rng);
            let id = format!("c{step}");
            for message in [call(&id, tool, &arguments), result(&id, &text)] {
                set.add(&message);
                messages.push(message);
            }
            if step == 20 {
                // A copy continues like the original.
                set = set.clone();
            }
            let Some(file) = set.file("a.rs") else { continue };
            held += disk.lines.len();
            for (line, number) in disk.lines.iter().zip(1..) {
                let Some(known_line) = file.line(number) else { continue };
                if set.is_stale(file, known_line) {
                    continue;
                }
                claimed += 1;
                assert_eq!(
                    *known_line.text,
                    **line,
                    "seed {seed}, step {step}, line {number} after {tool} {arguments}\n{}",
                    known(&set, "a.rs")
                );
            }
        }
        assert_eq!(set, WorkingSet::fold(&messages, &Rules::default()), "seed {seed}");
    }
    assert!(claimed * 3 > held, "{claimed} of {held} lines are known");
}
