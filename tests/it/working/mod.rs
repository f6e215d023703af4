//! The working set: its knowledge of files, things and names, and the part that a text shows.

mod files;
mod render;
mod simulated;
mod truth;

use espalier::compact::ledger::Rules;
use espalier::compact::working::WorkingSet;
use espalier::message::Message;

use crate::support::numbered;

fn working(messages: Vec<Message>) -> WorkingSet {
    WorkingSet::fold(&numbered(messages), &Rules::default())
}

/// Formats the known lines of a file: number, `?` if there is none, `~` before doubtful text.
fn known(set: &WorkingSet, path: &str) -> String {
    let Some(file) = set.file(path) else { return "unknown".into() };
    let mut out: Vec<String> = Vec::new();
    for run in &file.runs {
        for (line, number) in run.lines.iter().zip(run.start..) {
            let mark = if set.is_stale(file, line) { "~" } else { "" };
            out.push(format!("{number}{mark} {}", line.text));
        }
    }
    out.extend(file.loose.iter().flat_map(|run| &run.lines).map(|line| format!("? {}", line.text)));
    out.join("\n")
}
