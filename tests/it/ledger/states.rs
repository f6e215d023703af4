//! The outcomes of calls, and which errors are still open.

use espalier::compact::ledger::command::Tests;
use espalier::compact::ledger::{Ledger, Rules, Status};
use espalier::message::Message;
use serde_json::json;

use super::entries::flagged;
use super::ledger;
use super::record::{PLENTY, read_back, record};
use crate::support::{call, numbered, result};

/// Returns the ledger of commands and their outputs, in order.
fn ran(runs: &[(&str, &str)]) -> Ledger {
    ledger(runs.iter().enumerate().flat_map(|(at, (line, output))| run(at, line, output)).collect())
}

fn run(at: usize, line: &str, output: &str) -> Vec<Message> {
    vec![call(&at.to_string(), "bash", &json!({ "command": line }).to_string()), result(&at.to_string(), output)]
}

/// Returns the error lines of one run, and whether it failed.
fn errors(line: &str, output: &str) -> (Vec<String>, bool) {
    let ledger = ran(&[(line, output)]);
    (ledger.errors.into_iter().map(|error| error.line).collect(), ledger.commands[0].has_failed())
}

fn fails(line: &str, output: &str, expected: &[&str]) {
    assert_eq!(errors(line, output), (expected.iter().map(ToString::to_string).collect(), true), "{line}: {output}");
}

fn passes(line: &str, output: &str) {
    assert_eq!(errors(line, output), (vec![], false), "{line}: {output}");
}

#[test]
fn an_error_comes_only_from_a_call_that_failed() {
    fails("make", "x.c:3: error: no\nexit code: 2", &["x.c:3: error: no"]);
    fails("make", "nothing helps\nexit code: 2", &["nothing helps"]);
    fails("make 2>&1 | tail -3", "x.c:3:1: error: no\nexit code: 0", &["x.c:3:1: error: no"]);
    fails("tsc; echo done", "a.ts(3,1): error TS1: no\ndone", &["a.ts(3,1): error TS1: no"]);
    fails("python a.py", "Traceback (most recent call last):\nKeyError: 'x'", &["KeyError: 'x'"]);
    fails(
        "python a.py",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nconf.ImproperlyConfigured: no TABLE",
        &["conf.ImproperlyConfigured: no TABLE"],
    );
    fails(
        "python a.py | head -2",
        "Traceback (most recent call last):\n  File \"a.py\"",
        &["Traceback (most recent call last):"],
    );
    fails("cat a.txt", "cat: a.txt: No such file or directory", &["cat: a.txt: No such file or directory"]);
    fails("pytest", "E   boom failed\n1 failed, 2 passed in 0.1s", &["E   boom failed"]);
    fails("pytest", "E   TypeError: no\na_test.py:9: TypeError\n1 failed in 0.1s", &["E   TypeError: no"]);
    fails("pytest", "a_test.py:9: TypeError\n1 failed in 0.1s", &["a_test.py:9: TypeError"]);
    fails(
        "git push",
        "remote: Permission to a.git denied to b.\nfatal: unable to access 'https://x.invalid/a': error: 403\nexit code: 128",
        &["remote: Permission to a.git denied to b."],
    );
    let offline = "fatal: unable to access 'https://x.invalid/a': Could not resolve host: x.invalid";
    fails("git push", &format!("{offline}\nexit code: 128"), &[offline]);
    fails("npm ci", "npm error code E404\nnpm error 404 no x\nexit code: 1", &["npm error 404 no x"]);
    fails(
        "go test ./...",
        "--- FAIL: TestA\n    a_test.go:41: got 3\nFAIL\nFAIL\tapp\t0.3s\nexit status 1",
        &["a_test.go:41: got 3"],
    );
    passes("make", "x.c:3: error: only quoted\nexit code: 0");
    passes("gh pr diff 3", "@@ -1 +1 @@\n+ t.Fatalf(\"initial error: %v\", err)\n error: context\n-\terror: x");
    passes("./dump", "12 | error: x\n  216 │ * @throws Error if it failed\nerror: string;");
    passes("grep -rn error: src", "src/a.rs:1: error: x\nsrc/b.rs:2: fatal: y");
    passes("cat log.txt", "error: old\nfatal: older\nls: cannot access x\nmore\nlines");
    passes("cargo test", "error: expected by a test\ntest result: ok. 3 passed; 0 failed");
    passes("grep -n x a.rs", "(no output)\n\nCommand exited with code 1");
    passes("cargo clippy", "Finished with 0 errors");
}

#[test]
fn what_a_runner_adds_to_the_error_of_its_script_is_left_out() {
    fails(
        "npm run check",
        "src/a.ts(593,34): error TS2339: Property 'x' does not exist.\nnpm error Lifecycle script `check` failed with error:\n\
         npm error code 2\nnpm error path /srv/app/packages/mom\nnpm error workspace @acme/mom@0.14.2\n\
         npm error location /srv/app/packages/mom\nnpm error command failed\nnpm error command sh -c tsc\nexit code: 2",
        &["src/a.ts(593,34): error TS2339: Property 'x' does not exist."],
    );
    let missing = "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory";
    fails(
        "npm test",
        &format!(
            "npm error code ENOENT\nnpm error syscall open\nnpm error path /srv/package.json\n{missing}\nexit code: 254"
        ),
        &[missing],
    );
    fails(
        "yarn build",
        "src/a.ts(3,1): error TS1: no\nerror Command failed with exit code 2.\nexit code: 2",
        &["src/a.ts(3,1): error TS1: no"],
    );
    fails("make", "x.c:3:1: error: no\nmake: *** [Makefile:3: all] Error 1\nexit code: 2", &["x.c:3:1: error: no"]);
    fails(
        "make b",
        "make: *** No rule to make target 'b'.  Stop.\nexit code: 2",
        &["make: *** No rule to make target 'b'.  Stop."],
    );
    fails(
        "mvn test",
        "[ERROR] /srv/A.java:[3,1] cannot find symbol\n[ERROR] Failed to execute goal x: Compilation failure -> [Help 1]\n\
         [ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n\
         [ERROR] Re-run Maven using the -X switch to enable full debug logging.\nexit code: 1",
        &["[ERROR] /srv/A.java:[3,1] cannot find symbol"],
    );
}

#[test]
fn failed_calls_of_tools_say_one_line() {
    let edit = r#"{"path":"a.rs","oldText":"a","newText":"b"}"#;
    let failed = ledger(vec![call("1", "edit", edit), flagged("1", "ERROR:\nNo match.\nfn error() { /* error: */ }")]);
    assert_eq!(failed.errors.iter().map(|e| e.line.as_str()).collect::<Vec<_>>(), ["ERROR: No match."]);
}

/// True if the second run closes the error of the first one.
fn closes(failed: &str, passed: &str) -> bool {
    ran(&[(failed, "x.c:3: error: no\nexit code: 2"), (passed, "fine\nexit code: 0")]).errors[0].resolved
}

#[test]
fn the_same_command_closes_its_errors() {
    for (failed, passed) in [
        ("make", "make"),
        ("cd /w/app && npm test", "npm test"),
        ("npm test 2>&1 | head -50", "cd /w/app && CI=1 npm test"),
        ("npx tsc --noEmit", "tsc --noEmit 2>&1 | tail"),
        ("make clean && make", "make"),
        ("cargo test a::b", "cargo test"),
        ("git rebase main", "git rebase --continue"),
        ("npm install", "npm install left-pad@1.2"),
        ("pip install a==1", "pip install a==2 b"),
        ("git push", "git push --force-with-lease"),
        ("git commit -m a", "git add -A && git commit -m b"),
    ] {
        assert!(closes(failed, passed), "{failed} / {passed}");
    }
    for (failed, passed) in [
        ("make", "make install"),
        ("make test", "make"),
        ("cd /w/a && npm test", "cd /w/b && npm test"),
        ("cargo test", "cargo test a::b"),
        ("git push", "git status"),
        ("pip install a", "pip install b"),
        ("make", "echo make"),
    ] {
        assert!(!closes(failed, passed), "{failed} / {passed}");
    }
    let echoed = ran(&[
        ("npx tsgo --noEmit", "a.ts(1,1): error TS1: no\nexit code: 2"),
        ("npm run check", "> app@1.0.0 check\n> tsgo --noEmit\n\nexit code: 0"),
    ]);
    assert!(echoed.errors[0].resolved);
}

#[test]
fn the_same_tool_on_the_same_thing_closes_its_errors() {
    let after = |name: &str, first: &str, then: &str| {
        let messages = vec![
            call("1", name, first),
            result("1", "Error: payment amount does not add up"),
            call("2", name, then),
            result("2", "{}"),
        ];
        ledger(messages).errors[0].resolved
    };
    let booked = after("book_flight", r#"{"user_id":"u1","paid":1}"#, r#"{"user_id":"u1","paid":2}"#);
    let other = after("book_flight", r#"{"user_id":"u1","paid":1}"#, r#"{"user_id":"u2","paid":2}"#);
    assert!(booked && !other);
    let (one, two) = (r#"{"payment_id":"p","reservation_id":"r1"}"#, r#"{"payment_id":"q","reservation_id":"r1"}"#);
    assert!(after("update_reservation", one, two));
    assert!(!after("update_reservation", one, r#"{"payment_id":"p","reservation_id":"r2"}"#));
    let edit =
        |id: &str, path: &str| call(id, "edit", &json!({"path": path, "oldText": "a", "newText": "b"}).to_string());
    let edited = |path: &str| {
        ledger(vec![edit("1", "a.rs"), flagged("1", "No match."), edit("2", path), result("2", "ok")]).errors[0]
            .resolved
    };
    assert!(edited("a.rs") && !edited("b.rs"));
}

#[test]
fn passing_runs_of_tests_keep_their_outcome() {
    let line = |command: &str, output: &str| {
        let ledger = ran(&[(command, output)]);
        assert_ne!(ledger.commands[0].status, Status::Unknown);
        ledger.commands[0].to_short_line(80)
    };
    assert_eq!(line("pytest", "==== 12 passed in 0.3s ===="), "`pytest` -> ok: 12 passed");
    assert_eq!(line("go test ./...", "ok  \tapp/cli\t0.4s\n[exit code: 0]"), "`go test ./...` -> ok: ok app/cli 0.4s");
    assert_eq!(
        line("node --test", "# tests 3\n# pass 3\n# fail 0\n# skipped 0"),
        "`node --test` -> ok: 3 passed, 0 failed"
    );
    let vitest = Tests::read(" Test Files  2 passed (2)\n      Tests  1 failed | 11 passed (12)").unwrap();
    assert_eq!((vitest.passed, vitest.failed), (Some(11), Some(1)));
    assert_eq!(Tests::read("3 passengers, 4 failovers"), None);
}

#[test]
fn many_failures_and_runs_cost_what_they_are_long() {
    let runs: Vec<(String, &str)> = (0..2_000)
        .flat_map(|n| {
            [(format!("cargo test t{n}"), "x.rs: error: no\nexit code: 2"), ("cargo test".into(), "exit code: 0")]
        })
        .collect();
    let ledger = ran(&runs.iter().map(|(line, output)| (line.as_str(), *output)).collect::<Vec<_>>());
    assert!(ledger.errors.iter().all(|error| error.resolved));
}

/// True if messages after the record of some messages close their error; also after a record of that record.
fn closes_behind_a_record(before: Vec<Message>, later: Vec<Message>) -> bool {
    let first = record(&ledger(before), PLENTY);
    let second = record(&read_back(&first), PLENTY);
    let states = [first, second].map(|record| {
        let all = [record].into_iter().chain(numbered(later.clone()));
        let ledger = Ledger::fold(&all.collect::<Vec<_>>(), &Rules::default());
        assert_eq!(ledger.errors.len(), 1);
        ledger.errors[0].resolved
    });
    assert_eq!(states[0], states[1]);
    states[0]
}

#[test]
fn a_record_says_what_failed_so_that_a_later_success_closes_it() {
    let failed = |line: &str| run(1, line, "a.c:3: error: no\nexit code: 2");
    let passed = |line: &str| run(2, line, "fine\nexit code: 0");
    for (one, other) in [
        ("make", "make"),
        ("cd /w/app && npm test 2>&1 | tail", "npm test"),
        ("cargo test a::b", "cargo test"),
        ("npm install", "npm install left-pad@1.2"),
        ("git commit -m 'fix: a'", "git add -A && git commit -m b"),
        ("node -e 'a(`1`): b; c' && make 'x=</errors>'", "make 'x=</errors>'"),
    ] {
        assert!(closes_behind_a_record(failed(one), passed(other)), "{one} / {other}");
    }
    for (one, other) in [("make", "make install"), ("make", "echo make"), ("cargo test", "cargo test a::b")] {
        assert!(!closes_behind_a_record(failed(one), passed(other)), "{one} / {other}");
    }
    let book = |id: &str, seat: &str| call(id, "book_seat", &json!({ "flight_id": "A1", "seat": seat }).to_string());
    let before = vec![book("1", "2C"), result("1", "Error: seat 2C is taken")];
    assert!(closes_behind_a_record(before.clone(), vec![book("2", "2D"), result("2", "Booked.")]));
    let other = call("2", "book_seat", r#"{"flight_id":"B7","seat":"2D"}"#);
    assert!(!closes_behind_a_record(before, vec![other, result("2", "Booked.")]));
}

#[test]
fn rows_name_what_failed_once_for_each_call_of_a_message() {
    let lines = "a.c:3: error: no\nb.c:3: error: never\nexit code: 2";
    let text =
        record(&ledger([run(1, "make a", lines), run(2, "make b", "c.c:1: error: x\nexit code: 2")].concat()), PLENTY);
    let rows = "- m1 (`make a`): a.c:3: error: no\n  b.c:3: error: never\n- m3 (`make b`): c.c:1: error: x\n";
    assert!(text.text().contains(rows), "{}", text.text());
    let solved = ledger([run(1, "make a", lines), run(2, "make a", "exit code: 0")].concat());
    assert!(record(&solved, PLENTY).text().contains("- m1: a.c:3: error: no [solved]\n"));
}

#[test]
fn what_hosts_put_around_an_output_tells_the_status_and_is_left_out() {
    let around = |code: i64, output: &str| {
        [
            json!({ "output": output, "exit_code": code, "error": null }).to_string(),
            json!({ "stdout": output, "stderr": "", "returncode": code }).to_string(),
            json!({ "output": output, "metadata": { "exit_code": code, "duration_seconds": 0.1 } }).to_string(),
            format!("<returncode>{code}</returncode>\n<output>\n{output}\n</output>"),
        ]
    };
    for output in around(1, "checking\nx.c:3: error: no") {
        let ledger = ran(&[("make", &output)]);
        let lines: Vec<&str> = ledger.errors.iter().map(|error| &*error.line).collect();
        assert_eq!((lines, ledger.commands[0].status), (vec!["x.c:3: error: no"], Status::Failed(Some(1))), "{output}");
    }
    for output in around(0, "x.c:3: error: no\nall fine") {
        let ledger = ran(&[("make", &output)]);
        assert!(ledger.errors.is_empty(), "{output}");
        assert_eq!(ledger.commands[0].to_line(80, true), "`make` -> ok: all fine");
    }
    let typed = ran(&[("make", "root@cpu1:/app# make\nall fine\nroot@cpu1:/app#")]);
    assert_eq!(typed.commands[0].to_line(80, true), "`make` -> done: all fine");
    for output in around(0, "") {
        assert_eq!(ran(&[("touch a", &output)]).commands[0].to_line(80, true), "`touch a` -> ok");
    }
}

#[test]
fn traces_of_many_languages_name_their_error() {
    for (output, expected) in [
        ("thread 'main' panicked at src/main.rs:7:14:\ncalled `Option::unwrap()` on a `None` value", 2),
        ("e: file:///w/src/Main.kt:14:9 Unresolved reference: fooBar\n\nBUILD FAILED in 2s", 1),
        ("CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file", 2),
        ("/w/app.rb:3:in `fetch': key not found: :port (KeyError)\n\tfrom /w/app.rb:3:in `<main>'", 1),
        ("PHP Fatal error:  Uncaught Bad: no date in /w/a.php:8\nStack trace:\n#0 /w/a.php(20): parse()", 1),
        ("CONFLICT (content): Merge conflict in src/a.rs\nAutomatic merge failed; fix conflicts", 2),
        ("Error from server (NotFound): deployments.apps \"web\" not found", 1),
        ("╷\n│ Error: Reference to undeclared resource\n│ \n│   on main.tf line 12", 1),
        ("ERROR 1146 (42S02) at line 1: Table 'shop.ordrs' does not exist", 1),
        ("/w/a.ts\n  12:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem", 1),
        ("Error in read.csv(\"x.csv\") : object 'x' not found\nExecution halted", 2),
        ("** (ArgumentError) not a binary\n\n    :erlang.byte_size(nil)", 1),
    ] {
        let lines: Vec<&str> = output.lines().filter(|line| *line != "╷" && !line.ends_with(".ts")).collect();
        for text in [output.to_string(), format!("{output}\nexit code: 1")] {
            let (found, failed) = errors("./run", &text);
            let wanted: Vec<&str> = lines[..expected].iter().map(|line| line.trim()).collect();
            let without_place: Vec<&str> = found.iter().map(|line| line.as_str()).collect();
            assert!(failed && wanted.iter().zip(&without_place).all(|(one, other)| one.ends_with(other)), "{found:?}");
            assert!(without_place.len() >= expected, "{found:?}");
        }
    }
    for output in ["12:07 errors are counted here", "Error in judgement: none", "ERROR 404 page", "conflicts: none"] {
        passes("./run", output);
    }
}

#[test]
fn runners_that_name_all_tests_tell_how_many_passed() {
    let read = |output: &str| Tests::read(output).map(|tests| tests.to_words());
    let failed =
        "ERROR: test_a (app.tests.T)\n-----\nRan 550 tests in 0.410s\n\nFAILED (errors=1, skipped=23)\nDestroying it";
    assert_eq!(read(failed).as_deref(), Some("526 passed, 1 failed: test_a (app.tests.T)"));
    assert_eq!(read("....\nRan 4 tests in 0.1s\n\nOK").as_deref(), Some("4 passed, 0 failed"));
    let maven = "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\n\
                 [ERROR] Tests run: 9, Failures: 1, Errors: 1, Skipped: 2";
    assert_eq!(read(maven).as_deref(), Some("5 passed, 2 failed"));
    assert_eq!(read("12 examples, 1 failure").as_deref(), Some("11 passed, 1 failed"));
    assert_eq!(read("Ran the tests\nERROR: no (really)"), None);
    let django = ran(&[("python tests/runtests.py utils", "Ran 2 tests in 0.1s\n\nOK\nDestroying test database...")]);
    assert_eq!(django.commands[0].to_short_line(80), "`python tests/runtests.py utils` -> ok: 2 passed, 0 failed");
}
