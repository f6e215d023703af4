//! How much of its budget a result fills, over many budgets and kinds of conversations.

use espalier::compact::Options;
use espalier::message::Message;
use espalier::tokens::EncodingName;
use espalier_testing::runs;

use super::compacted;
use crate::encodings::shared;
use crate::support::{assistant, call, numbered, result, user};

/// Returns a request, rounds, and another request.
fn rounds(count: usize, round: impl Fn(usize) -> [Message; 2]) -> Vec<Message> {
    let mut list = vec![user("Go on until all of them are ready.")];
    list.extend((0..count).flat_map(round));
    list.push(user("Which are left?"));
    numbered(list)
}

/// Returns a name that differs from its neighbours.
fn name(at: usize) -> String {
    let names = ["ann", "bob", "cy", "dee", "eve", "fay", "gus"];
    let number = if at.is_multiple_of(9) { String::new() } else { (at * 7919 % 100_000).to_string() };
    format!("{} {}{number}", names[at * 5 % 7], names[at * 3 % 7])
}

fn action(at: usize) -> [Message; 2] {
    let arguments = format!(r#"{{"room":{at},"who":"{}"}}"#, name(at));
    let id = format!("c{at}");
    [call(&id, "book_room", &arguments), result(&id, &format!(r#"{{"ok":true,"id":{at}}}"#))]
}

fn command(at: usize) -> [Message; 2] {
    let id = format!("c{at}");
    let end =
        if at.is_multiple_of(4) { format!("error: part{at} has no rule\nexit code: 2") } else { "exit code: 0".into() };
    let text = format!("{}{end}", format!("line of part {at}\n").repeat(at * 7 % 19));
    [call(&id, "bash", &format!(r#"{{"command":"make part{at}"}}"#)), result(&id, &text)]
}

fn file(at: usize) -> [Message; 2] {
    let id = format!("c{at}");
    let text = (0..at * 5 % 17).map(|line| format!("let part_{line} = read({at});\n")).collect::<String>();
    [call(&id, "read", &format!(r#"{{"path":"src/part{at}.rs"}}"#)), result(&id, &text)]
}

fn talk(at: usize) -> [Message; 2] {
    let answer = format!("For {} there are {at} of them. {}", name(at), "We looked at each. ".repeat(at * 3 % 11));
    [user(&format!("How many does {} have?", name(at + 1))), assistant(&answer)]
}

type Round = fn(usize) -> [Message; 2];

fn mixed(at: usize) -> [Message; 2] {
    [action, command, file, talk][at % 4](at)
}

/// A cut that exceeds the target by a few tokens once left two thirds of the budget unused, at one budget in forty.
#[test]
fn every_budget_is_filled() {
    let kinds: [(&str, Round); 5] =
        [("actions", action), ("commands", command), ("files", file), ("talk", talk), ("mixed", mixed)];
    let mut low = Vec::new();
    for (kind, round) in kinds {
        let list = rounds(150, round);
        let options = |budget| Options { budget, ..Options::default() };
        let whole = compacted(&list, options(1 << 30), shared(EncodingName::O200kBase)).before.total;
        for budget in (1_000..whole).step_by(whole as usize / runs(150)) {
            let done = compacted(&list, options(budget), shared(EncodingName::O200kBase));
            if done.after.total * 10 < budget * 9 {
                low.push((kind, budget, done.after.total));
            }
        }
    }
    assert!(low.is_empty(), "{low:?}");
}
