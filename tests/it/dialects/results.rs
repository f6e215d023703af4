//! What results say: success, failure, missing content, the lines that they show.

use espalier::message::dialects::{Dialect, Dialects};
use espalier::message::tool_map::ToolMap;
use espalier::message::tool_output::{Shown, body, exit_status, says_failed, shown};
use fastrand::Rng;

#[test]
fn every_agent_says_how_a_command_ended() {
    for (output, expected) in [
        ("Exit code 2\nmake: *** no rule", 2),
        (r#"{"output":"no such file\n","metadata":{"exit_code":127,"duration_seconds":0.1}}"#, 127),
        ("Exit code: 0\nWall time: 1.2 seconds\nOutput:\nok", 0),
        (
            "Chunk ID: 0c2664\nWall time: 0.0110 seconds\nProcess exited with code 3\nOriginal token count: 114\nOutput:\nx",
            3,
        ),
        ("Command: ls\nOutput: a\nExit Code: 1\nSignal: (none)", 1),
        ("a\n<exited with exit code 4>", 4),
        ("a\n\nCommand exited with code 5", 5),
        ("Command executed in terminal within working directory '/w'. Exit code: 6\nOutput:\nx", 6),
        ("a\n[The command completed with exit code 7.]\n[Current working directory: /w]", 7),
        ("Command \"make\" failed with exit code 8.\n\n```\nx\n```", 8),
    ] {
        assert_eq!(exit_status(output), Some(expected), "{output}");
    }
}

#[test]
fn every_agent_says_that_a_call_failed() {
    for (dialect, output) in [
        ("claude-code", "<tool_use_error>File has not been read yet</tool_use_error>"),
        ("codex", "apply_patch verification failed: no such line"),
        ("gemini-cli", "Error executing tool replace: no"),
        ("copilot-cli", "The user rejected this tool call."),
        ("vscode-chat", "ERROR while calling tool: no"),
        ("cline", "The tool execution failed with the following error:\n<error>\nno\n</error>"),
        ("cline", r#"{"status":"error","message":"no"}"#),
        ("pi", "Could not find the exact text in a.ts."),
        ("opencode", "Error: Could not find oldString in the file"),
        ("openhands", "ERROR:\nNo replacement was performed"),
        ("swe-agent", "Your proposed edit has introduced new syntax error(s)."),
        ("aider", "# 1 SEARCH/REPLACE block failed to match!"),
        ("cursor", "Error: no"),
        ("zed", "Command \"make\" failed with exit code 2."),
        ("goose", "No match found for the specified text."),
    ] {
        assert!(says_failed(output, Dialect::named(dialect).unwrap().alone()), "{dialect} {output}");
        assert!(says_failed(output, Dialects::ALL), "{output}");
    }
    assert!(!says_failed("fn error() {}", Dialects::ALL) && !says_failed("", Dialects::ALL));
}

fn read(dialect: &str, tool: &str, arguments: &str, output: &str) -> Shown {
    let found = shown(output, &ToolMap::default().with_dialect(Dialect::named(dialect)).read(tool, arguments));
    // The arguments identify the agent, as far as it matters.
    let union = shown(output, &ToolMap::default().read(tool, arguments));
    assert_eq!(union.lines, found.lines, "{dialect}");
    found
}

fn lines(from: u64, lines: &[&str]) -> Vec<(u64, String)> {
    (from..).zip(lines).map(|(number, line)| (number, line.to_string())).collect()
}

#[test]
fn numbers_before_lines_are_not_content() {
    let two = ["let a;", "  let b;"];
    for (dialect, tool, arguments, output) in [
        (
            "claude-code",
            "Read",
            r#"{"file_path":"a"}"#,
            "     1→let a;\n     2→  let b;\n\n<system-reminder>\nBe kind.\n</system-reminder>",
        ),
        ("claude-code", "Read", r#"{"file_path":"a"}"#, "1\tlet a;\n2\t  let b;"),
        ("codex", "read_file", r#"{"file_path":"a"}"#, "L1: let a;\nL2:   let b;"),
        ("copilot-cli", "view", r#"{"path":"a"}"#, "1. let a;\n2.   let b;"),
        ("cline", "read_file", r#"{"path":"a"}"#, "File: a\n1 | let a;\n2 |   let b;"),
        (
            "cline",
            "read_file",
            r#"{"path":"a"}"#,
            "<files>\n<file><path>a</path>\n<content lines=\"1-2\">\n1 | let a;\n2 |   let b;\n</content>\n</file>\n</files>",
        ),
        (
            "opencode",
            "read",
            r#"{"filePath":"a"}"#,
            "<file>\n00001| let a;\n00002|   let b;\n\n(End of file - total 2 lines)\n</file>",
        ),
        (
            "opencode",
            "read",
            r#"{"filePath":"a"}"#,
            "<path>a</path>\n<type>file</type>\n<content>\n1: let a;\n2:   let b;\n\n(End of file - total 2 lines)\n</content>",
        ),
        (
            "openhands",
            "str_replace_editor",
            r#"{"command":"view","path":"a"}"#,
            "Here's the result of running `cat -n` on a:\n     1\tlet a;\n     2\t  let b;\n",
        ),
        (
            "swe-agent",
            "open",
            r#"{"path":"a"}"#,
            "[File: a (2 lines total)]\n1:let a;\n2:  let b;\n(Open file: a)\n(Current directory: /w)\nbash-$",
        ),
        ("zed", "read_file", r#"{"path":"a"}"#, "     1\tlet a;\n     2\t  let b;\n"),
        ("goose", "text_editor", r#"{"command":"view","path":"a"}"#, "### a\n```rust\n1: let a;\n2:   let b;\n```"),
        ("cursor", "read_file", r#"{"target_file":"a"}"#, "```\n1|let a;\n2|  let b;\n```"),
    ] {
        let found = read(dialect, tool, arguments, output);
        assert_eq!(found.lines, lines(1, &two), "{dialect} {output}");
        assert!(!found.is_cut && found.is_whole(), "{dialect} {found:?}");
    }
}

#[test]
fn lines_without_numbers_are_counted_from_where_they_begin() {
    let found = read(
        "gemini-cli",
        "read_file",
        r#"{"absolute_path":"a","offset":369,"limit":2}"#,
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 370-371 of 537 total lines.\nAction: To read more of the file, use it.\n\n--- FILE CONTENT (truncated) ---\nx\ny",
    );
    assert_eq!((found.lines, found.total), (lines(370, &["x", "y"]), Some(537)));
    let found = read(
        "vscode-chat",
        "read_file",
        r#"{"filePath":"/w/a.ts","startLine":3,"endLine":4}"#,
        "File: `/w/a.ts`. Lines 3 to 4 (90 lines total): \n```ts\nx\n\n```",
    );
    assert_eq!((found.lines, found.total), (lines(3, &["x", ""]), Some(90)));
    let found = read("pi", "read", r#"{"path":"a"}"#, "\n# x\n\n[Showing lines 1-2 of 90. Use offset=3 to continue.]");
    assert_eq!((found.lines, found.total, found.is_cut), (lines(1, &["", "# x"]), Some(90), true));
    let found = read("pi", "read", r#"{"path":"a"}"#, "x\n\ny\n");
    assert_eq!((found.is_whole(), found.lines), (true, lines(1, &["x", "", "y"])));
}

#[test]
fn what_is_missing_is_said() {
    for (dialect, tool, arguments, output, shown) in [
        (
            "codex",
            "read_file",
            r#"{"file_path":"a"}"#,
            "Total output lines: 564\n\nx\ny…6415 tokens truncated…z\nq",
            vec!["x"],
        ),
        (
            "openhands",
            "str_replace_editor",
            r#"{"command":"view","path":"a"}"#,
            "     1\tx\n<response clipped><NOTE>To save",
            vec!["x"],
        ),
        (
            "opencode",
            "read",
            r#"{"filePath":"a"}"#,
            "<file>\n00001| x\n\n(File has more lines. Use it)\n</file>",
            vec!["x"],
        ),
        (
            "vscode-chat",
            "read_file",
            r#"{"filePath":"a"}"#,
            "```ts\nx\n[File content truncated at line 1. Use it]\n```",
            vec!["x"],
        ),
        (
            "claude-code",
            "Read",
            r#"{"file_path":"a"}"#,
            "<persisted-output>\nOutput too large (59.7KB). Full output saved to: /t\n\nPreview (first 2KB):\n     1→x",
            vec![],
        ),
        (
            "swe-agent",
            "open",
            r#"{"path":"a"}"#,
            "[File: a (99 lines total)]\n1:x\n... [73 lines omitted] ...\n2:y",
            vec!["x", "y"],
        ),
    ] {
        let found = read(dialect, tool, arguments, output);
        assert!(found.is_cut && !found.is_whole(), "{dialect} {found:?}");
        if !shown.is_empty() {
            assert_eq!(found.lines, lines(1, &shown), "{dialect}");
        }
    }
}

#[test]
fn a_file_that_looks_numbered_is_itself() {
    let list = "1. one\n2. two\n\nand more";
    assert_eq!(read("pi", "read", r#"{"path":"a.md"}"#, list).lines.len(), 4);
    assert_eq!(
        read("copilot-cli", "view", r#"{"path":"a.md"}"#, "1. 1. one\n2. 2. two").lines,
        lines(1, &["1. one", "2. two"])
    );
}

#[test]
fn whatever_the_output() {
    const PIECES: [&str; 14] = [
        "1→",
        "2→a\n",
        "\n",
        "L3: ",
        "é",
        "<file>",
        "{\"output\":",
        "…9 tokens truncated…",
        "```\n",
        "[File: a (99999999999999999999999 lines total)]\n",
        "(3 more lines below)\n",
        "exit code ",
        "18446744073709551615: x\n",
        "<system-reminder>",
    ];
    let mut rng = Rng::with_seed(20);
    let names: Vec<&str> = Dialect::names().collect();
    for _ in 0..5_000 {
        let output: String = (0..rng.usize(0..12)).map(|_| PIECES[rng.usize(..PIECES.len())]).collect();
        let dialect = if rng.bool() { Dialect::named(names[rng.usize(..names.len())]) } else { None };
        let arguments = [r#"{"path":"a","offset":18446744073709551615}"#, "{}"][rng.usize(..2)];
        let call = ToolMap::default().with_dialect(dialect).read("read_file", arguments);
        let found = shown(&output, &call);
        assert!(found.lines.windows(2).all(|two| two[0].0 < two[1].0), "{output:?}");
        let _ = (exit_status(&output), says_failed(&output, call.dialects), body(&output));
    }
}
