//! How tool calls and command lines are parsed.

use espalier::compact::ledger::command::{Tests, body, is_test_run};
use espalier::compact::ledger::shell::{Touch, read};
use espalier::compact::ledger::symbol::defined;
use espalier::message::tool_map::{Mark, ToolKind, ToolMap, ToolRule};
use espalier::message::tool_output::exit_status;

fn check(name: &str, arguments: &str, kind: ToolKind, paths: &[&str]) {
    let call = ToolMap::default().read(name, arguments);
    assert_eq!(
        (call.kind, call.paths.iter().map(String::as_str).collect::<Vec<_>>()),
        (kind, paths.to_vec()),
        "{name}"
    );
}

#[test]
fn common_tools_are_known_by_name() {
    check("read_file", r#"{"path":"a.rs"}"#, ToolKind::Read, &["a.rs"]);
    check("Read", r#"{"file_path":"/w/a.rs","offset":3,"limit":2}"#, ToolKind::Read, &["/w/a.rs"]);
    check("readFile", r#"{"filePath":"a.rs"}"#, ToolKind::Read, &["a.rs"]);
    check("read_files", r#"{"files":[{"path":"a"},{"path":"b"}]}"#, ToolKind::Read, &["a", "b"]);
    check("write", r#"{"path":"a.rs","content":"x"}"#, ToolKind::Write, &["a.rs"]);
    check("MultiEdit", r#"{"file_path":"a.rs","edits":[]}"#, ToolKind::Edit, &["a.rs"]);
    check(
        "replace_string_in_file",
        r#"{"filePath":"a.rs","oldString":"a","newString":"b"}"#,
        ToolKind::Edit,
        &["a.rs"],
    );
    check("editor", r#"{"path":"a","old_text":"x","new_text":"y"}"#, ToolKind::Edit, &["a"]);
    check("editor", r#"{"path":"a","new_text":"y"}"#, ToolKind::Write, &["a"]);
    check("str_replace_editor", r#"{"command":"view","path":"a"}"#, ToolKind::Read, &["a"]);
    check("str_replace_editor", r#"{"command":"create","path":"a"}"#, ToolKind::Write, &["a"]);
    check("str_replace_editor", r#"{"command":"insert","path":"a"}"#, ToolKind::Edit, &["a"]);
    check("grep_search", r#"{"path":"src","query":"x"}"#, ToolKind::Search, &["src"]);
    check("execute_bash", r#"{"command":"ls"}"#, ToolKind::Shell, &[]);
    check("run_commands", r#"{"commands":["ls -l","make all"]}"#, ToolKind::Shell, &[]);
    check("BashOutput", r#"{"bash_id":"1"}"#, ToolKind::Other, &[]);
    check("TodoWrite", r#"{"todos":[]}"#, ToolKind::Todo, &[]);
    check("ask_followup_question", r#"{"question":"Which?"}"#, ToolKind::Ask, &[]);
    check("book_reservation", r#"{"user_id":"u"}"#, ToolKind::Other, &[]);
}

#[test]
fn unknown_tools_are_classified_by_their_arguments() {
    check("frobnicate", r#"{"path":"a"}"#, ToolKind::Read, &["a"]);
    check("frobnicate", r#"{"path":"a","old_string":"x"}"#, ToolKind::Edit, &["a"]);
    check("frobnicate", r#"{"path":"a","content":"x"}"#, ToolKind::Write, &["a"]);
    check("frobnicate", r#"{"command":"make"}"#, ToolKind::Shell, &[]);
    check("frobnicate", "not json", ToolKind::Other, &[]);
    check("frobnicate", "[1]", ToolKind::Other, &[]);
}

#[test]
fn patches_name_their_files() {
    let codex =
        r#"{"input":"*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b.rs\n*** Delete File: c.rs\n"}"#;
    let call = ToolMap::default().read("apply_patch", codex);
    let of = |kind, path: &str| (kind, path.to_string());
    assert_eq!(call.patched, [of(ToolKind::Edit, "a.rs"), of(ToolKind::Write, "b.rs"), of(ToolKind::Delete, "c.rs")]);
    let unified = r#"{"patch":"--- a/x.c\n+++ b/x.c\n@@\n--- a/y.c\n+++ /dev/null\n--- /dev/null\n+++ b/z.c\n"}"#;
    let call = ToolMap::default().read("apply_diff", unified);
    assert_eq!(call.patched, [of(ToolKind::Edit, "x.c"), of(ToolKind::Delete, "y.c"), of(ToolKind::Write, "z.c")]);
}

#[test]
fn a_hosts_rule_goes_first() {
    let rule: ToolRule =
        serde_json::from_str(r#"{"name":"read_file","kind":"shell","command":["do"],"path":["where"]}"#).unwrap();
    let call = ToolMap::new(vec![rule]).read("read_file", r#"{"do":"make it","path":"x"}"#);
    assert_eq!((call.kind, call.commands), (ToolKind::Shell, vec!["make it".to_string()]));
}

#[test]
fn todo_lists_are_read_in_every_form() {
    let items = |arguments: &str| ToolMap::default().read("update_plan", arguments).items;
    let expected = vec![(Mark::Done, "a".to_string()), (Mark::Started, "b".to_string()), (Mark::Open, "c".to_string())];
    assert_eq!(
        items(
            r#"{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"},{"step":"c","status":"pending"}]}"#
        ),
        expected
    );
    assert_eq!(items(r#"{"todos":"- [x] a\n- [~] b\nc"}"#), expected);
    assert_eq!(items(r#"{"todos":[1,null,{"content":""}]}"#), vec![]);
}

fn touches(command: &str, expected: &[(Touch, &str)]) {
    let line = read(command, None);
    let files: Vec<(Touch, &str)> = line.files.iter().map(|(touch, path)| (*touch, path.as_str())).collect();
    assert_eq!(files, expected, "{command}");
}

#[test]
fn command_lines_tell_what_they_do_to_files() {
    use Touch::{Create, Delete, Edit, Read};
    touches("cat a.rs b.rs", &[(Read, "a.rs"), (Read, "b.rs")]);
    touches("echo x > a.txt; echo y >>b.txt 2>&1", &[(Create, "a.txt"), (Edit, "b.txt")]);
    touches("cargo test 2>/dev/null | tail -5", &[]);
    touches("cat > a.py << 'EOF'\nrm -rf b.py > c\nEOF\nrm d.py", &[(Create, "a.py"), (Delete, "d.py")]);
    touches("cd /w/x && sed -i '' 's|a.b|\"c\"/d|g' src/y.ts *.ts", &[(Edit, "/w/x/src/y.ts")]);
    touches("sed -i -e 's/a/b/' x.c", &[(Edit, "x.c")]);
    touches("git mv a.c sub/b.c", &[(Delete, "a.c"), (Create, "sub/b.c")]);
    touches("# rm x.c > y\ntouch z.c", &[(Create, "z.c")]);
    touches("rm \"$HOME/x\" $(ls) -rf 'my file.c'", &[(Delete, "my file.c")]);
    touches("echo 'unclosed > a", &[]);
    touches("<<", &[]);
    touches("cat <<EOF", &[]);
    touches("> \\", &[]);
}

/// Terminal-Bench's agents type into a terminal.
#[test]
fn keystrokes_are_command_lines() {
    let call = ToolMap::default().read("bash_command", r#"{"keystrokes":"make test\n","duration":0.1}"#);
    assert_eq!((call.kind, call.commands.as_slice()), (ToolKind::Shell, ["make test\n".to_string()].as_slice()));
}

#[test]
fn commands_that_only_show_are_known() {
    for shows in ["cat a", "grep -rn x . | head", "cd /x && git diff HEAD", "FOO=1 ls | wc -l"] {
        assert!(read(shows, None).only_shows, "{shows}");
    }
    for acts in ["make", "cat a && make", "git commit -m x", "rm a", "sed -i s/a/b/ c.d", ""] {
        assert!(!read(acts, None).only_shows, "{acts}");
    }
}

#[test]
fn runs_of_tests_tell_their_numbers() {
    assert!(is_test_run("cd x && cargo test --all") && is_test_run("python -m pytest -q"));
    assert!(!is_test_run("cargo build") && !is_test_run("cat latest.txt"));
    let rust =
        "running 2 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
    let tests = Tests::read(rust).unwrap();
    assert_eq!(tests, Tests { passed: Some(1), failed: Some(1), failing: vec!["a::c".into()] });
    assert_eq!(tests.to_words(), "1 passed, 1 failed: a::c");
    let python = Tests::read("FAILED tests/x.py::t - boom\n==== 1 failed, 12 passed in 0.3s ====").unwrap();
    assert_eq!(python.to_words(), "12 passed, 1 failed: tests/x.py::t");
    assert_eq!(Tests::read("nothing to see"), None);
}

#[test]
fn small_readings() {
    assert_eq!(exit_status("[The command completed with exit code 101.]"), Some(101));
    assert_eq!(exit_status("exit code: -1"), Some(-1));
    assert_eq!(exit_status("Command exited with code 2"), Some(2));
    assert_eq!(exit_status(""), None);
    assert_eq!(body("cd /a; make"), "make");
    assert_eq!(body("cd /a b && make"), "cd /a b && make");
    assert_eq!(
        defined("export async function go() {\n  return 1\n}\nconst LIMIT = 3;\n+def fold(x):"),
        ["go", "LIMIT", "fold"]
    );
}
