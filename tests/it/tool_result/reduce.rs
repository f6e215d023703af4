//! Reducers of outputs: one sample for each rule, then what holds for all texts.

use espalier::tokens::Tokenizer;
use espalier::tool_result::reduce::{MAX_BYTES, Reduced, Source, reduce};
use espalier_testing::runs;
use fastrand::Rng;
use serde::Deserialize;

use crate::support::Quarter;

#[derive(Deserialize)]
struct Sample {
    rule: String,
    command: String,
    text: String,
    keeps: Vec<String>,
    drops: Vec<String>,
}

fn samples() -> Vec<Sample> {
    serde_json::from_str(include_str!("../../fixtures/outputs.json")).unwrap()
}

fn reduced(text: &str, command: &str) -> Option<Reduced> {
    reduce(text, Source { command, recall: "m4", earlier: &[] }, &Quarter)
}

/// The lines that nobody may lose, by a list of its own: what tools print when something is wrong.
fn is_wrong(line: &str) -> bool {
    let is_passed = line.ends_with("ok") || line.contains("PASS") || line.contains('✓');
    let signs = ["error:", "Error:", "ERROR", "FAILED", "FAIL:", "panicked", "Traceback", "AssertionError", "fatal:"];
    !is_passed && signs.iter().any(|sign| line.contains(sign))
}

#[test]
fn each_rule_keeps_what_matters() {
    for Sample { rule, command, text, keeps, drops } in samples() {
        let done = reduced(&text, &command).unwrap_or_else(|| panic!("{command}: unchanged"));
        assert!(done.rules.contains(&rule), "{command}: {:?}", done.rules);
        for keep in keeps {
            assert!(done.text.contains(&keep), "{command}: {keep:?} is missing in\n{}", done.text);
        }
        for drop in drops {
            assert!(!done.text.contains(&drop), "{command}: {drop:?} is in\n{}", done.text);
        }
    }
}

/// Hosts put JSON around the output of a command.
#[test]
fn an_output_in_json_is_reduced_and_stays_json() {
    let tests: String = (0..50).map(|n| format!("test unit::case_{n} ... ok\n")).collect();
    let log = format!("running 51 tests\n{tests}test unit::last ... FAILED\n");
    let text = serde_json::json!({ "output": log, "exit_code": 101, "error": null }).to_string();
    let done = reduced(&text, "cargo test").unwrap();
    let value: serde_json::Value = serde_json::from_str(&done.text).unwrap();
    let wanted = "running 51 tests\ntest unit::last ... FAILED\n[left out: 50 passed tests; recall m4]";
    assert_eq!((value["output"].as_str(), value["exit_code"].as_i64()), (Some(wanted), Some(101)), "{}", done.text);
}

#[test]
fn tests_that_did_not_run_are_not_counted_as_passed() {
    let check = |command: &str, lines: &str, note: &str| {
        let text = format!("{lines}\n{}", "a line that stays\n".repeat(3));
        let done = reduced(&text, command).unwrap_or_else(|| panic!("{command}: unchanged"));
        assert!(done.text.ends_with(&format!("[left out: {note}; recall m4]")), "{command}:\n{}", done.text);
    };
    check(
        "pytest -v",
        "tests/test_a.py::test_one PASSED    [ 33%]\ntests/test_a.py::test_two SKIPPED (needs network)    [ 66%]\n\
         tests/test_a.py::test_three XFAIL (bug 12)    [100%]",
        "1 passed tests, 1 skipped tests, 1 expected failures",
    );
    check(
        "npx jest --verbose",
        "  ✓ adds (3 ms)\n  ○ skipped subtracts, for it needs a network\n  ✎ todo multiplies numbers of all kinds",
        "1 skipped tests, 1 tests to do, 1 passed tests",
    );
    check(
        "npx vitest run",
        " ✓ src/a.test.ts (3 tests) 4ms\n ✓ src/b.test.ts (3 tests | 2 skipped) 4ms\n   ↓ src/b.test.ts > subtracts",
        "1 skipped tests, 1 files with skipped tests, 1 passed files",
    );
    check(
        "node --test",
        "✔ adds two numbers (0.4ms)\n✔ subtracts two numbers (0.1ms) # SKIP no network\n✔ divides (0.1ms) # TODO\n\
         ok 1 - adds\nok 2 - subtracts # SKIP no network",
        "2 skipped tests, 1 tests to do, 2 passed tests",
    );
    check(
        "go test -v ./...",
        "=== RUN   TestOne\n--- PASS: TestOne (0.00s)\n=== RUN   TestTwo\n--- SKIP: TestTwo (0.00s)",
        "1 passed tests, 1 skipped tests",
    );
    check(
        "cargo test",
        "test parse::one ... ok\ntest parse::two ... ignored\ntest parse::three ... ignored, needs a network",
        "1 passed tests, 2 ignored tests",
    );
    // The reason may be what the reader looks for.
    let reason = "tests/test_a.py::test_one SKIPPED (ImportError: cannot open libx.so)";
    let done = reduced(&format!("{reason}\n{}", "tests/test_a.py::test_two PASSED [ 90%]\n".repeat(20)), "pytest -v");
    assert!(done.unwrap().text.starts_with(reason));
}

#[test]
fn facts_stay_or_are_counted() {
    let clean = "On branch release/2.1\nYour branch is up to date with 'origin/release/2.1'.\n\n\
                 nothing to commit, working tree clean\n";
    assert!(reduced(clean, "git status").is_none());
    let old: String = (6..9).map(|n| format!("npm warn deprecated glob@{n}.2.3: use version 9 or newer\n")).collect();
    let done = reduced(&format!("{old}\nadded 12 packages in 3s\n"), "npm install").unwrap();
    assert_eq!(done.text, "added 12 packages in 3s\n[left out: 3 deprecation warnings; recall m4]");
    let page =
        "<!DOCTYPE html><html><body><p>See <a href=\"https://example.org/manual\">the manual</a>.</p></body></html>";
    let done = reduced(page, "curl -s https://example.org").unwrap();
    assert_eq!(done.text, "See the manual.\n[left out: markup, targets of links; recall m4]");
}

#[test]
fn nothing_but_noise_keeps_its_last_line() {
    let check = |command: &str, text: &str, wanted: &str| {
        let done = reduced(text, command).unwrap_or_else(|| panic!("{command}: unchanged"));
        assert_eq!(done.text, wanted, "{command}");
    };
    check(
        "apt-get update",
        "Hit:1 http://deb.example stable InRelease\nReading package lists...\n",
        "Reading package lists...",
    );
    check("yarn install", "[1/4] Resolving packages...\nDone in 0.42s.\n", "Done in 0.42s.");
    check("pnpm build", "\n> app@1.0.0 build /srv/app\n> tsc -p .\n\nDone in 2.4s\n", "Done");
    check("npm ci", "\nup to date, audited 42 packages in 614ms\n\nfound 0 vulnerabilities\n", "up to date");
    check(
        "bun install",
        "bun install v1.1.0\n\nChecked 43 installs across 71 packages (no changes) [2.00ms]\n",
        "no changes",
    );
    // A result that the note names is enough.
    let passed = "test case::with::a::long::name ... ok\n";
    check(
        "cargo test",
        &format!("{passed}{}", passed.replace("case", "other")),
        "[left out: 2 passed tests; recall m4]",
    );
}

#[test]
fn headers_stay_with_the_lines_below_them() {
    let check = |command: &str, text: &str, wanted: &str| {
        let done = reduced(text, command).unwrap_or_else(|| panic!("{command}: unchanged"));
        assert_eq!(done.text, wanted, "{command}");
    };
    // The log of a passed test is not that of the one that failed before it.
    check(
        "go test -v ./a",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:4: got 6\n--- FAIL: TestB (0.00s)\n\
         === RUN   TestC\n    c_test.go:5: a note\n--- PASS: TestC (0.00s)\n=== RUN   TestD\n--- PASS: TestD (0.00s)\nFAIL\n",
        "=== RUN   TestB\n    b_test.go:4: got 6\n--- FAIL: TestB (0.00s)\n=== RUN   TestC\n    c_test.go:5: a note\nFAIL\n\
         [left out: 3 passed tests; recall m4]",
    );
    // Two crates have a test of the same name.
    let tests = |name: &str, result: &str, end: &str| {
        format!(
            "     Running unittests src/lib.rs (target/debug/deps/{name})\n\nrunning 1 test\ntest tests::adds ... {result}\n\n\
             test result: {end}\n\n"
        )
    };
    let text = tests("cart-1", "ok", "ok. 1 passed") + &tests("price-2", "FAILED", "FAILED. 0 passed; 1 failed");
    check(
        "cargo test",
        &text,
        "running 1 test\n\ntest result: ok. 1 passed\n\n     Running unittests src/lib.rs (target/debug/deps/price-2)\n\n\
         running 1 test\ntest tests::adds ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed\n\
         [left out: 1 passed tests; recall m4]",
    );
}

#[test]
fn lines_of_files_are_no_lines_of_tools() {
    let trace =
        "src/a.rs:1:   1: core::fmt::Write,\nsrc/a.rs:2:   2: core::fmt::Debug,\nsrc/a.rs:3:    at x (node:fs:1:1)\n";
    let done = reduced(trace, "grep -rn core src").unwrap();
    assert_eq!(done.text, "src/a.rs\n1:   1: core::fmt::Write,\n2:   2: core::fmt::Debug,\n3:    at x (node:fs:1:1)");
    assert_eq!(reduced(trace.replace("src/a.rs:", "").trim_end(), "grep -n core src/a.rs"), None);
    // A table in YAML, whose indentation says what is part of what.
    let yaml = "spec:\n  containers:\n    - name: web\n      image: web\n    - name: api\n";
    assert_eq!(reduced(yaml.trim_end(), "kubectl get pods -o yaml"), None);
    assert_eq!(reduced(yaml.trim_end(), "kubectl get pods -oyaml"), None);
    assert_eq!(reduced(yaml.trim_end(), "kubectl get pods --output=yaml"), None);
}

#[test]
fn lines_of_a_diff_are_no_lines_of_tools() {
    let hunk = "@@ -1,7 +1,10 @@\n Updating the lists\n index 0..9 are kept:\n --- a/x\n-Downloading crates ...\n+    (use \"git add\")\n+\n+\n+\n \n \n \
                Locking 3 packages\n";
    let text = format!("diff --git a/a.md b/a.md\nindex 1234567..89abcde 100644\n--- a/a.md\n+++ b/a.md\n{hunk}");
    let done = reduced(&format!("{text}{text}"), "git diff").unwrap();
    let kept = format!("diff --git a/a.md b/a.md\n{hunk}");
    assert_eq!(done.text, format!("{kept}{kept}").trim_end());
    let done = reduced(&format!("   Compiling app v0.1.0\n{text}"), "cargo build; git diff").unwrap();
    assert_eq!(done.text, kept.trim_end());
    // A generated file goes as a whole.
    let lock = text.replace("a.md", "Cargo.lock");
    let done = reduced(&format!("{lock}{text}"), "git diff").unwrap();
    assert_eq!(done.text, format!("{kept}[left out: 14 lines of generated files; recall m4]"));
}

#[test]
fn what_a_command_did_and_what_failed_stays() {
    let check = |command: &str, text: &str, wanted: &str| {
        let done = reduced(text, command).unwrap_or_else(|| panic!("{command}: unchanged"));
        assert_eq!(done.text, wanted, "{command}");
    };
    check(
        "cargo update",
        "    Updating crates.io index\n     Locking 2 packages to latest compatible versions\n    Updating anyhow v1.0.1 -> v1.0.2\n    \
         Removing foo v0.1.0\n      Adding bar v0.2.0\n",
        "    Updating anyhow v1.0.1 -> v1.0.2\n    Removing foo v0.1.0\n      Adding bar v0.2.0",
    );
    check(
        "./gradlew test",
        "> Task :compileJava UP-TO-DATE\n> Task :test FAILED\n\nBUILD FAILED in 2s\n",
        "> Task :test FAILED\n\nBUILD FAILED in 2s",
    );
    check(
        "make -k",
        "make: Entering directory '/a'\nmake: *** [Makefile:3: a.o] Error 1\nmake: Target 'all' not remade because of errors.\n",
        "make: *** [Makefile:3: a.o] Error 1\nmake: Target 'all' not remade because of errors.",
    );
    // The package that failed is named only above.
    check(
        "pip install app",
        "Collecting app\n  Downloading app-1.0.tar.gz (3 kB)\n  Preparing metadata (setup.py): started\n  \
         Preparing metadata (setup.py): finished with status 'done'\nCollecting old\n  Downloading old-1.0.tar.gz (3 kB)\n  \
         Preparing metadata (setup.py): started\n  Preparing metadata (setup.py): finished with status 'error'\n  \
         error: subprocess-exited-with-error\n",
        "Collecting old\n  Preparing metadata (setup.py): finished with status 'error'\n  error: subprocess-exited-with-error",
    );
    check(
        "pip install app",
        "Collecting app\n  Downloading app-1.0.whl (3 kB)\nInstalling collected packages: app\nSuccessfully installed app-1.0\n",
        "Installing collected packages: app\nSuccessfully installed app-1.0",
    );
    // What a program in a container prints is not the progress of a download.
    assert_eq!(reduced("job 7: Waiting\njob 7: Downloading https://x.example\nqueue Waiting", "docker logs app"), None);
}

#[test]
fn warnings_do_not_become_part_of_the_failure_above() {
    let text = "collected 2 items\n\ntest_a.py F.    [100%]\n\n=========== FAILURES ===========\n________ test_a ________\n\n\
                >   assert a() == 1\nE   assert 2 == 1\n\ntest_a.py:3: AssertionError\n=========== warnings summary ===========\n\
                test_a.py::test_b\n  /a/test_a.py:9: DeprecationWarning: old\n    b(); assert True\n\n-- Docs: https://docs.pytest.org\n\
                =========== short test summary info ===========\nFAILED test_a.py::test_a - assert 2 == 1\n";
    let done = reduced(text, "pytest").unwrap();
    assert!(
        done.text.contains("AssertionError\n=========== warnings summary ===========\n    b(); assert True\n"),
        "{}",
        done.text
    );
    let done = reduced(&text.replace("b(); assert True", "b()"), "pytest").unwrap();
    assert!(done.text.contains("AssertionError\n=========== short test summary info"), "{}", done.text);
}

#[test]
fn tests_of_unittest_are_counted() {
    let text = "test_a (app.A.test_a) ... ok\ntest_b (app.A.test_b)\nAdds two numbers. ... ok\ntest_c (app.A.test_c)\n\
                Subtracts them. ... FAIL\ntest_d (app.A.test_d) ... skipped 'later'\ntest_e (app.A.test_e) ... ok\n\n\
                ======================\nFAIL: test_c (app.A.test_c)\nSubtracts them.\n----------------------\n\
                Traceback (most recent call last):\n  File \"/a/app.py\", line 4, in test_c\nAssertionError: 1 != 2\n\n\
                ----------------------\nRan 5 tests in 0.002s\n\nFAILED (failures=1, skipped=1)\n";
    for command in ["python -m unittest -v", "python manage.py test -v 2", ""] {
        let done = reduced(text, command).unwrap_or_else(|| panic!("{command}: unchanged"));
        let begin =
            "test_c (app.A.test_c)\nSubtracts them. ... FAIL\n\n======================\nFAIL: test_c (app.A.test_c)\n";
        assert!(done.text.starts_with(begin), "{command}:\n{}", done.text);
        assert!(
            done.text.ends_with("[left out: 3 passed tests, 1 skipped tests; recall m4]"),
            "{command}:\n{}",
            done.text
        );
    }
}

#[test]
fn known_outputs_are_recognised_without_a_command() {
    let named =
        ["cargo", "pytest", "go", "packages", "git status", "git diff", "containers", "git transfer", "json", "html"];
    for Sample { rule, command, text, .. } in samples() {
        if named.contains(&rule.as_str()) && command != "pip install requests" {
            let done = reduced(&text, "").unwrap_or_else(|| panic!("{command}: unchanged"));
            assert!(done.rules.contains(&rule), "{command}: {:?}", done.rules);
        }
    }
}

#[test]
fn no_line_about_an_error_is_lost_and_no_text_grows() {
    let samples = samples();
    let lines: Vec<&str> = samples.iter().flat_map(|sample| sample.text.split_inclusive('\n')).collect();
    let mut shorter = 0;
    let tries = runs(5_000);
    for seed in 0..tries as u64 {
        let mut rng = Rng::with_seed(seed);
        let command = &samples[rng.usize(..samples.len())].command;
        let text: String = (0..rng.usize(..60)).map(|_| lines[rng.usize(..lines.len())]).collect();
        let Some(done) = reduced(&text, if rng.bool() { "" } else { command }) else { continue };
        shorter += 1;
        assert!(
            done.tokens < done.before
                && done.tokens == Quarter.count(&done.text)
                && done.before == Quarter.count(&text)
        );
        // Generated files are left out as a whole, and the text of HTML is not written in the same lines.
        let is_whole = |what: &str| what.contains("generated") || what == "markup";
        if done.left_out.iter().any(|left_out| is_whole(&left_out.what)) {
            continue;
        }
        let flat: String = done.text.split_whitespace().collect();
        for line in text.lines().filter(|line| is_wrong(line)) {
            let line: String = line.split_whitespace().collect();
            assert!(flat.contains(&line), "{seed}, {command}: {line:?} of\n{text}\nis missing in\n{}", done.text);
        }
    }
    assert!(shorter * 3 > tries, "{shorter}");
}

#[test]
fn other_texts_stay() {
    let prose = "The test of the parser passed.\n\n\nIt was ok.\n".repeat(20);
    for text in ["", "\n\n", "plain", "{not json}", "[1,2]", &prose, "fn main() {\n\n\n    ok();\n}\n"] {
        assert_eq!(reduced(text, ""), None, "{text:?}");
    }
    let binary: String = (0..4_000).map(|n| if n % 3 == 0 { '\u{fffd}' } else { 'x' }).collect();
    assert_eq!(reduced(&binary, "cargo test"), None);
    assert_eq!(reduced(&"x".repeat(MAX_BYTES + 1), "cargo test"), None);
    // A line of a minified file is compared with no pattern.
    assert_eq!(reduced(&format!("test {} ... ok", "x".repeat(5_000_000)), "cargo test"), None);
}

#[test]
fn files_keep_their_text() {
    for Sample { text, .. } in samples() {
        for command in ["cat a.txt", "head -50 a.txt", "sed -n 1,80p a.txt", "cd app && cat a.txt | head -20"] {
            let done = reduced(&text, command);
            let flat = |text: &str| text.lines().map(|line| line.trim_start().to_string()).collect::<Vec<_>>();
            assert!(done.is_none_or(|done| flat(&done.text) == flat(&text)), "{command} of\n{text}");
        }
    }
    let file = "{\n  \"name\": \"app\",\n\n\n  \"version\": 1\n}\n";
    assert_eq!(reduced(file, "cat package.json"), None);
    assert!(reduced(file, "curl -s localhost/app").is_some());
}
