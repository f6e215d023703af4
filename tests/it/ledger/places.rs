//! The places of errors, in outputs of real tools.

use espalier::compact::ledger::place::{file, is_place};
use espalier::compact::ledger::{Ledger, Rules};

use super::ledger;
use super::record::{PLENTY, read_back, record};
use crate::support::{call, numbered, result, user};

const RUSTC: &str = "\
error[E0308]: mismatched types
 --> crates/core/src/queue.rs:2:18
  |
2 |     let q: u32 = \"x\";
  |            ---   ^^^ expected `u32`, found `&str`
  |            |
  |            expected due to this

error[E0425]: cannot find function `foo` in this scope
 --> crates/core/src/queue.rs:3:5
  |
3 |     foo();
  |     ^^^ not found in this scope

error: aborting due to 2 previous errors
";
const NODE: &str = "\
/w/src/cart.js:2
  return items.map((item) => item.price.amount);
                                        ^

TypeError: Cannot read properties of undefined (reading 'amount')
    at /w/src/cart.js:2:41
    at Array.map (<anonymous>)
    at Object.total (/w/src/cart.js:2:16)
    at Object.<anonymous> (/w/a.js:1:26)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v20.20.2
";
const NODE_SYNTAX: &str = "\
/w/b.js:3
  total(
       ^

SyntaxError: missing ) after argument list
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at Module._compile (node:internal/modules/cjs/loader:1495:20)

Node.js v20.20.2
";
const PYTHON: &str = "\
Traceback (most recent call last):
  File \"/w/a.py\", line 4, in <module>
    main({})
  File \"/w/lib.py\", line 2, in main
    return x[\"k\"]
           ~^^^^^
KeyError: 'k'
";
const PYTHON_SYNTAX: &str = "  File \"/w/b.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
const PYTEST: &str = "\
============================= test session starts ==============================
collected 3 items

tests/test_cart.py F.F                                                   [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1]) == 2
E       assert 1 == 2
E        +  where 1 = total([1])

tests/test_cart.py:42: AssertionError
_____________________________ TestCart.test_empty[0] ____________________________

self = <test_cart.TestCart object at 0x7f>, size = 0

    def test_empty(self, size):
>       Cart(size).first()

tests/test_cart.py:50: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def first(self):
>       return self.items[0]
E       IndexError: list index out of range

src/cart.py:7: IndexError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 1 == 2
FAILED tests/test_cart.py::TestCart::test_empty[0] - IndexError: list index out of range
========================= 2 failed, 1 passed in 0.02s ==========================
";
const ESLINT: &str = "
/w/src/cart.ts
  12:5  error    'x' is never used                 no-unused-vars
  14:1  warning  Unexpected console statement      no-console
  19:9  error    Unexpected var, use let or const  no-var

/w/src/shop.ts
  3:7  error  'x' is never used  no-unused-vars

✖ 4 problems (3 errors, 1 warning)
";
const VITEST: &str = "\
 FAIL  src/cart.test.ts > total > adds
AssertionError: expected 1 to be 2 // Object.is equality

- Expected
+ Received

- 2
+ 1

 ❯ src/cart.test.ts:42:15
     40|   it(\"adds\", () => {
";
const JAVA: &str = "\
Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"x\"
\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)
\tat java.base/java.lang.Integer.parseInt(Integer.java:661)
\tat app.Cart.total(Cart.java:4)
\tat app.Cart.main(Cart.java:7)
";
const DOTNET: &str = "\
Unhandled exception. System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Shop.Cart.Total() in /w/Cart.cs:line 12
";
const GO_PANIC: &str = "\
panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.main()
\t/w/main.go:8 +0x1d
exit status 2
";
const GO_VET: &str = "# ex/pkg\npkg/a.go:12:2: undefined: foo\n";
const RUST_PANIC: &str = "thread 'main' panicked at src/lib.rs:88:13:\nindex out of bounds: the len is 3\n";

fn failed(command: &str, output: &str) -> Ledger {
    ledger(vec![
        user("Fix it."),
        call("1", "bash", &serde_json::json!({ "command": command }).to_string()),
        result("1", &format!("{output}\nCommand exited with code 1")),
    ])
}

/// Returns the errors as lines of a record in little room.
fn lines(ledger: &Ledger) -> Vec<String> {
    ledger.errors.iter().map(|error| error.to_line(200, false)).collect()
}

#[test]
fn an_open_error_carries_its_place() {
    for (output, expected) in [
        (
            RUSTC,
            &[
                "error[E0308]: mismatched types [at crates/core/src/queue.rs:2:18]",
                "error[E0425]: cannot find function `foo` in this scope [at crates/core/src/queue.rs:3:5]",
            ][..],
        ),
        (NODE, &["TypeError: Cannot read properties of undefined (reading 'amount') [at /w/src/cart.js:2:41]"]),
        (NODE_SYNTAX, &["SyntaxError: missing ) after argument list [at /w/b.js:3]"]),
        (PYTHON, &["KeyError: 'k' [at /w/lib.py:2]"]),
        (PYTHON_SYNTAX, &["SyntaxError: invalid syntax [at /w/b.py:1]"]),
        (
            PYTEST,
            &[
                "tests/test_cart.py:50:",
                "E       IndexError: list index out of range [at src/cart.py:7]",
                "FAILED tests/test_cart.py::test_total - assert 1 == 2 [at tests/test_cart.py:42]",
                "FAILED tests/test_cart.py::TestCart::test_empty[0] - IndexError: list index out of range",
            ],
        ),
        (
            ESLINT,
            &[
                "error    'x' is never used                 no-unused-vars [at /w/src/cart.ts:12:5]",
                "error    Unexpected var, use let or const  no-var [at /w/src/cart.ts:19:9]",
                "error  'x' is never used  no-unused-vars [at /w/src/shop.ts:3:7]",
            ],
        ),
        (VITEST, &["AssertionError: expected 1 to be 2 // Object.is equality [at src/cart.test.ts:42:15]"]),
        (JAVA, &[&format!("{} [at Cart.java:4]", JAVA.lines().next().unwrap())]),
        (DOTNET, &[&format!("{} [at /w/Cart.cs:12]", DOTNET.lines().next().unwrap())]),
        (GO_PANIC, &["panic: runtime error: index out of range [3] with length 3 [at /w/main.go:8]"]),
        // These name their place themselves.
        (GO_VET, &["pkg/a.go:12:2: undefined: foo"]),
        (RUST_PANIC, &["thread 'main' panicked at src/lib.rs:88:13:", "index out of bounds: the len is 3"]),
    ] {
        assert_eq!(lines(&failed("make check", output)), expected, "{output}");
    }
}

#[test]
fn an_error_of_another_file_does_not_lend_its_place() {
    for output in [
        "error: linking failed\n\nwarning: unused import\n --> src/a.rs:1:1\n",
        "error: linking failed\nerror[E0308]: mismatched types in src/b.rs:2:1\n --> src/b.rs:2:1\n",
        "Error: connection refused\n    at node:internal/process/task_queues:95:5\n",
        "Error: no\n    at <anonymous>\n    at file:line\n",
    ] {
        let ledger = failed("make check", output);
        let places: Vec<_> = ledger.errors.iter().filter_map(|error| error.place.as_deref()).collect();
        assert!(places.is_empty(), "{places:?}");
    }
    assert_eq!(
        ["a.rs:3:9", "a/b.rs:3", "a.rs", "C:\\a\\b.rs:3:9"].map(file),
        ["a.rs", "a/b.rs", "a.rs", "C:\\a\\b.rs"]
    );
    assert!(["a.rs:3:9", "a/b.rs:3"].into_iter().all(is_place));
    assert!(!["a.rs", "a.rs:", "a b.rs:3", "12:30", "localhost:80", "127.0.0.1:80", ""].into_iter().any(is_place));
}

/// Each compaction reads the record of the one before.
#[test]
fn later_records_read_the_places_again() {
    let output = format!("{RUSTC}\n{}", RUSTC.replace("2:18", "9:1").replace("queue", "pool"));
    let first = failed("cargo build", &output);
    let mut again = first.clone();
    for round in 0..3 {
        let text = record(&again, PLENTY).text();
        let line = "error[E0308]: mismatched types [2 times, at crates/core/src/pool.rs:9:1, also at \
                    crates/core/src/queue.rs:2:18]";
        assert!(text.contains(line), "{round}: {text}");
        again = read_back(&record(&again, PLENTY));
        for (error, before) in again.errors.iter().zip(&first.errors) {
            assert_eq!((&error.line, &error.place, &error.also), (&before.line, &before.place, &before.also));
        }
    }
}

#[test]
fn other_places_in_the_same_file_leave_the_file_out() {
    let ledger = failed(
        "npx eslint .",
        &ESLINT
            .replace("/w/src/shop.ts\n", "/w/src/cart.ts\n")
            .replace("                 n", "  n")
            .replace("error    '", "error  '"),
    );
    let line = ledger.errors[0].to_line(usize::MAX, true);
    assert_eq!(line, "error  'x' is never used  no-unused-vars [2 times, at /w/src/cart.ts:3:7, also at :12:5]");
    let read = espalier::compact::ledger::Failure::parse("m1", &line);
    assert_eq!((&read.place, &read.also), (&ledger.errors[0].place, &ledger.errors[0].also));
}

#[test]
fn a_solved_error_keeps_its_place_only_where_there_is_room() {
    let mut messages = vec![
        user("Fix it."),
        call("1", "bash", r#"{"command":"cargo build"}"#),
        result("1", &format!("{RUSTC}\nCommand exited with code 101")),
        call("2", "bash", r#"{"command":"cargo build"}"#),
        result("2", "Finished\nCommand exited with code 0"),
    ];
    let solved = ledger(messages.clone());
    assert_eq!(solved.errors[0].to_line(200, false), "error[E0308]: mismatched types [solved]");
    assert!(solved.errors[0].to_line(200, true).ends_with("[solved, at crates/core/src/queue.rs:2:18]"));
    // A root is taken off, as from the paths of files.
    messages[2] = result("1", &format!("{NODE}\nCommand exited with code 1"));
    let rules = Rules { root: Some("/w".into()), ..Rules::default() };
    let ledger = Ledger::fold(&numbered(messages), &rules);
    assert_eq!(ledger.errors[0].place.as_deref(), Some("src/cart.js:2:41"));
}
