use espalier::document::query::{Query, Unknown};
use espalier::error::Code;

use super::written;

const TREE: &str = "program[fn[name=id:'f' '(' arg:'a' ',' arg:'b' ')' body=block['{' id:'x' ';' comment:'#c' call[id:'g' arg:'y'] '}']] comment:'#d']";

/// Compares the captures, each printed as `name text`, in order.
fn check(query: &str, wanted: &[&str]) {
    let tree = written(TREE);
    let bound = Query::parse(query).unwrap().bind(&tree.kinds, &[], Unknown::Refused).unwrap();
    let found: Vec<String> = bound
        .run(&tree.tree, &tree.kinds)
        .iter()
        .map(|capture| {
            let node = tree.tree.node(capture.node);
            let out = if capture.excludes { "!" } else { "" };
            format!("{out}{}", &tree.text[node.start as usize..node.end as usize])
        })
        .collect();
    assert_eq!(found, wanted, "{query}");
}

#[test]
fn kinds_and_wildcards() {
    check("(id) @i", &["f", "x", "g"]);
    check("[(id) (arg)] @i", &["f", "a", "b", "x", "g", "y"]);
    check("\"{\" @b", &["{"]);
    check("(fn (_) @c)", &["f", "a", "b", "{ x ; #c g y }"]);
    check("(call _ @c)", &["g", "y"]);
    check("; nothing\n", &[]);
}

#[test]
fn a_node_counts_once_under_each_name() {
    check("(call) @a (call) @a", &["g y"]);
    check("(call) @a (call) @b", &["g y", "g y"]);
    check("(call) @a @b", &["g y", "g y"]);
}

#[test]
fn fields() {
    check("(fn name: (id) @n)", &["f"]);
    check("(fn body: (_) @b)", &["{ x ; #c g y }"]);
    check("(fn body: (id) @b)", &[]);
    check("(fn !name) @f", &[]);
    check("(call !name) @c", &["g y"]);
    check("(fn name: [(id) (arg)] @n)", &["f"]);
}

#[test]
fn children_in_order_with_others_between() {
    check("(fn (arg) @one (arg) @two)", &["a", "b"]);
    check("(block (id) @i (call (arg) @a))", &["x", "y"]);
    check("(block (call) (id) @i)", &[]);
    check("(fn (arg) @a (block))", &["a", "b"]);
    // The first child must leave a later place for the second one.
    check("(fn (arg) @a (arg))", &["a"]);
    check("(fn (arg) (arg) @b)", &["b"]);
}

#[test]
fn exclusions_are_told_apart() {
    check("(call) @c (arg) @x.exclude_captures", &["!a", "!b", "g y", "!y"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (query, what) in [
        ("(id", "`)` is missing, in line 1, column 4"),
        ("(id)\n @", "a capture needs a name, in line 2"),
        ("id", "a pattern is expected"),
        ("(id)*", "quantifiers"),
        ("(block . (id))", "anchors"),
        ("((id) @a (#eq? @a \"x\"))", "groups"),
        ("(id (#eq? @a \"x\"))", "predicates"),
        ("(MISSING id)", "MISSING"),
        ("(a/b)", "supertypes"),
        ("\"{", "`\"` is missing"),
        ("name: name: (id)", "one field only"),
        ("[(id)", "a pattern is expected"),
        ("()", "a kind of node is missing"),
        (")", "a pattern is expected"),
        ("@x", "a pattern is expected"),
    ] {
        let error = Query::parse(query).expect_err(query);
        assert_eq!(error.code, Code::BadQuery);
        assert!(error.message.contains(what), "{query}: {error}");
    }
    let deep = "(a ".repeat(100_000);
    assert!(Query::parse(&deep).unwrap_err().message.contains("too deeply"));
}

#[test]
fn names_that_a_grammar_does_not_have() {
    let tree = written(TREE);
    for (query, what) in
        [("(nobody) @n", "nobody"), ("(fn nowhere: (id))", "nowhere"), ("\"?\" @t", "?"), ("(fn !gone)", "gone")]
    {
        let query = Query::parse(query).unwrap();
        let error = query.bind(&tree.kinds, &[], Unknown::Refused).unwrap_err();
        assert!(error.code == Code::BadQuery && error.message.contains(what), "{error}");
        let bound = query.bind(&tree.kinds, &[], Unknown::Never).unwrap();
        assert_eq!(bound.run(&tree.tree, &tree.kinds), []);
    }
}

#[test]
fn any_text_is_read_or_refused() {
    let mut rng = fastrand::Rng::with_seed(3);
    let pieces = [
        "(", ")", "[", "]", "@", "a", "id", "_", ":", "\"", "\\", "!", ".", "*", ";", "\n", "#", "é", "name: ", "(id)",
    ];
    let tree = written(TREE);
    for _ in 0..20_000 {
        let text: String = (0..rng.usize(0..12)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        if let Ok(bound) = Query::parse(&text).and_then(|query| query.bind(&tree.kinds, &[], Unknown::Never)) {
            bound.run(&tree.tree, &tree.kinds);
        }
    }
}
