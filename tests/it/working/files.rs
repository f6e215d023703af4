//! What calls and results say about files, case by case.

use espalier::message::Message;
use serde_json::{Value, json};

use super::{known, working};
use crate::support::{call, result};

/// Returns calls and their results, in order.
fn work(steps: &[(&str, Value, &str)]) -> Vec<Message> {
    let step = |(at, (tool, arguments, text)): (usize, &(&str, Value, &str))| {
        let id = format!("c{at}");
        [call(&id, tool, &arguments.to_string()), result(&id, text)]
    };
    steps.iter().enumerate().flat_map(step).collect()
}

fn check(steps: &[(&str, Value, &str)], path: &str, expected: &str) {
    assert_eq!(known(&working(work(steps)), path), expected, "{steps:?}");
}

fn wrote(text: &str) -> (&'static str, Value, &'static str) {
    ("Write", json!({ "file_path": "a.rs", "content": text }), "File created successfully at: a.rs")
}

#[test]
fn edits_change_what_is_known() {
    let edit =
        |old: &str, new: &str| ("Edit", json!({ "file_path": "a.rs", "old_string": old, "new_string": new }), "ok");
    check(&[wrote("one\ntwo\nthree\n")], "a.rs", "1 one\n2 two\n3 three");
    check(&[wrote("one\ntwo\n"), edit("two", "2\n3")], "a.rs", "1 one\n2 2\n3 3");
    check(&[wrote("a(one)\ntwo(b)\n"), edit("one)\ntwo(", "both(")], "a.rs", "1 a(both(b)");
    check(&[wrote("one\ntwo\nthree\n"), edit("two\n", "")], "a.rs", "1 one\n2 three");
    check(&[wrote("one\ntwo\n"), edit("\ntwo\n", "\n")], "a.rs", "1 one");
    let all = json!({ "file_path": "a.rs", "old_string": "x", "new_string": "y", "replace_all": true });
    check(&[wrote("x x\nx\n"), ("Edit", all, "ok")], "a.rs", "1 y y\n2 y");
    let edits = json!([{ "old_string": "a", "new_string": "b" }, { "old_string": "b", "new_string": "c" }]);
    let both = json!({ "file_path": "a.rs", "edits": edits });
    check(&[wrote("a\n"), ("MultiEdit", both, "ok")], "a.rs", "1 c");
    let insert = json!({ "command": "insert", "path": "a.rs", "insert_line": 1, "new_str": "new" });
    check(
        &[wrote("one\ntwo\n"), ("str_replace_editor", insert, "The file has been edited.")],
        "a.rs",
        "1 one\n2 new\n3 two",
    );
}

#[test]
fn a_failed_edit_changes_nothing() {
    let edit = json!({ "file_path": "a.rs", "old_string": "one", "new_string": "two" });
    for text in ["<tool_use_error>String not found", "Error: no", "No replacement was performed, old_str"] {
        check(&[wrote("one\n"), ("Edit", edit.clone(), text)], "a.rs", "1 one");
    }
}

#[test]
fn an_edit_that_should_have_failed_makes_the_file_doubtful() {
    let edit = json!({ "file_path": "a.rs", "old_string": "nowhere to be found", "new_string": "new" });
    check(&[wrote("one\n"), ("Edit", edit, "ok")], "a.rs", "1~ one\n? new");
}

#[test]
fn gaps_stay_gaps() {
    let read = |from: u64, text: &'static str| ("read", json!({ "path": "a.rs", "offset": from, "limit": 2 }), text);
    let far = read(10, "ten\neleven\n\n[30 more lines in file. Use offset=12 to continue.]");
    let near = read(2, "two\nthree\n\n[38 more lines in file. Use offset=4 to continue.]");
    check(&[far.clone(), near.clone()], "a.rs", "2 two\n3 three\n10 ten\n11 eleven");
    let edit = |old: &str, new: &str| {
        ("edit", json!({ "path": "a.rs", "oldText": old, "newText": new }), "Successfully replaced")
    };
    check(&[far.clone(), near.clone(), edit("two", "2\n2.5")], "a.rs", "2 2\n3 2.5\n4 three\n11 ten\n12 eleven");
    // In the gap: the lines after it have moved, and the position of the change is unknown.
    check(
        &[near.clone(), far.clone(), edit("seven seven seven", "7\n7")],
        "a.rs",
        "? two\n? three\n? ten\n? eleven\n? 7\n? 7",
    );
    check(&[near, far, edit("seven seven seven", "7")], "a.rs", "2 two\n3 three\n10 ten\n11 eleven\n? 7");
}

#[test]
fn patches_change_lines() {
    let patch =
        "*** Begin Patch\n*** Update File: a.rs\n@@\n one\n-two\n+2\n*** Add File: b.rs\n+fn b() {}\n*** End Patch";
    let steps = [wrote("one\ntwo\n"), ("apply_patch", json!({ "input": patch }), "Success")];
    check(&steps, "a.rs", "1 one\n2 2");
    check(&steps, "b.rs", "1 fn b() {}");
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -2 +2,2 @@\n-two\n+2\n+2.5\n";
    check(
        &[wrote("one\ntwo\nthree\n"), ("apply_patch", json!({ "patch": diff }), "ok")],
        "a.rs",
        "1 one\n2 2\n3 2.5\n4 three",
    );
    let blocks = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    let steps = [wrote("one\ntwo\n"), ("replace_in_file", json!({ "path": "a.rs", "diff": blocks }), "ok")];
    check(&steps, "a.rs", "1 one\n2 2");
}

#[test]
fn command_lines_show_and_change_files() {
    let run = |command: &str, text: &'static str| ("bash", json!({ "command": command }), text);
    check(&[run("cat a.rs", "one\ntwo\n")], "a.rs", "1 one\n2 two");
    check(&[run("cd src && sed -n '5,6p' a.rs", "five\nsix")], "src/a.rs", "5 five\n6 six");
    check(&[run("head -n 1 a.rs", "one")], "a.rs", "1 one");
    check(&[run("cat > a.rs <<'EOF'\none\ntwo\nEOF", "")], "a.rs", "1 one\n2 two");
    check(&[wrote("one\n"), run("cat >> a.rs <<EOF\ntwo\nEOF", "")], "a.rs", "1 one\n2 two");
    check(&[wrote("one\n"), run("cp a.rs b.rs", "")], "b.rs", "1 one");
    check(&[wrote("one\n"), run("mv a.rs b.rs", "")], "a.rs", "");
    check(&[wrote("one\n"), run("sed -i 's/one/two/' a.rs", "")], "a.rs", "1~ one");
    check(&[wrote("one\n"), run("git checkout -- a.rs", "")], "a.rs", "1~ one");
    check(&[wrote("one\n"), run("git stash", "")], "a.rs", "1~ one");
    check(&[wrote("one\n"), run("git checkout -b work", "")], "a.rs", "1 one");
    check(&[wrote("one\n"), run("cargo fmt", "")], "a.rs", "1~ one");
    check(&[wrote("one\n"), run("npm run check", "> biome check --write .\nFixed 1 file")], "a.rs", "1~ one");
    check(&[wrote("one\n"), run("npm run check", "> biome check --write .\nNo fixes applied")], "a.rs", "1 one");
    check(&[wrote("one\ntwo\n"), run("grep -n t a.rs", "2:TWO")], "a.rs", "1 one\n2 TWO");
    check(&[run("cat a.rs | wc -l", "2")], "a.rs", "unknown");
    check(&[run("cat a.rs", "cat: a.rs: No such file or directory")], "a.rs", "unknown");
}

#[test]
fn a_call_without_a_result_leaves_doubt() {
    let mut messages = work(&[wrote("one\n")]);
    messages.push(call("lost", "Edit", r#"{"file_path":"a.rs","old_string":"one","new_string":"two"}"#));
    messages.push(crate::support::assistant("Where was I?"));
    assert_eq!(known(&working(messages), "a.rs"), "1~ one");
}

#[test]
fn things_have_their_newest_state() {
    let get = |id: &str| json!({ "booking_id": id });
    let first = r#"{"booking_id":"B7","cabin":"economy","passengers":["Ada"]}"#;
    let newer = r#"{"booking_id":"B7","cabin":"business","passengers":["Ada"]}"#;
    let set = working(work(&[
        ("get_booking", get("B7"), first),
        ("update_booking", json!({ "cabin": "business", "booking_id": "B7" }), newer),
        ("cancel_booking", get("B7"), "cancelled"),
        ("get_booking", get("B8"), "Error: booking not found"),
    ]));
    let [thing] = set.entities.all.as_slice() else { panic!("{:?}", set.entities.all) };
    assert_eq!((&*thing.key, &*thing.state), ("booking B7", newer));
    assert_eq!(thing.since, ["cancel_booking B7 -> cancelled"]);
}

#[test]
fn bad_input_changes_nothing() {
    for arguments in
        ["", "{", "[]", "null", r#"{"path":7}"#, r#"{"path":"a.rs","offset":-1}"#, r#"{"file_path":"a.rs","edits":7}"#]
    {
        for tool in ["read", "Edit", "write", "bash", "apply_patch", "MultiEdit", "str_replace_editor"] {
            working(vec![
                call("c", tool, arguments),
                result("c", "@@ -x\n18446744073709551615\tq\n"),
                result("c", "twice"),
            ]);
        }
    }
    let line = u64::MAX;
    let read = json!({ "path": "a.rs", "offset": line, "limit": line });
    working(work(&[
        ("read", read, "one\ntwo"),
        ("Edit", json!({ "file_path": "a.rs", "old_string": "one", "new_string": "1\n2" }), "ok"),
    ]));
}
