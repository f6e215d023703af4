//! Overlays of trees written by hand, and of trees that a host provides.

use espalier::document::syntax::{Kinds, NAMED, NONE, SyntaxTree};
use espalier::document::{Grammar, Language, Mode};

use super::{shown, sound, written};

fn check(language: &str, mode: Mode, tree: &str, wanted: &str) {
    let made = written(tree);
    let grammar = Grammar::of_kinds(Language::find(language).unwrap(), made.kinds).unwrap();
    let overlay = grammar.overlay(&made.tree, &made.text, mode).unwrap();
    sound(&overlay, &made.text);
    let wanted: String =
        wanted.lines().skip(1).map(|line| line.trim_end().replacen("        ", "", 1) + "\n").collect();
    assert_eq!(shown(&overlay, &made.text), wanted, "{:?}", made.text);
}

#[test]
fn a_node_takes_its_line() {
    check(
        "python",
        Mode::Compatible,
        "module[pass_statement:'pass'\n  pass_statement:'pass' ';' pass_statement:'pass'\n\n x:'x']",
        r#"
        root "pass\n  pass ; pass\n\n x"
          pass_statement "pass\n"
          pass_statement "  pass"
          pass_statement " pass\n""#,
    );
}

#[test]
fn what_ends_a_statement_belongs_to_it() {
    let tree =
        "program[expression_statement:'a()' ';' comment:'// one' comment:'/* two */'\n comment:'// three'\n x:'x']";
    check(
        "typescript",
        Mode::Compatible,
        tree,
        r#"
        root "a() ; // one /* two */\n // three\n x"
          expression_statement "a() ; // one /* two */\n"
          comment " // three\n""#,
    );
    // In other languages the compatible mode does not extend a node over such text.
    check(
        "python",
        Mode::Compatible,
        "module[pass_statement:'pass' comment:'# c'\n x:'x']",
        r#"
        root "pass # c\n x"
          pass_statement "pass"
          comment " # c\n""#,
    );
    check(
        "python",
        Mode::Default,
        "module[pass_statement:'pass' comment:'# c'\n x:'x']",
        r#"
        root "pass # c\n x"
          pass_statement "pass # c\n""#,
    );
}

#[test]
fn an_export_is_what_it_exports() {
    check(
        "typescript",
        Mode::Compatible,
        "program[export_statement['export' class_declaration:'class A {}'] x:'x']",
        r#"
        root "export class A {} x"
          class_declaration "export class A {}""#,
    );
    // This happens only once, because the node is no longer an export afterwards.
    let twice =
        "program[ambient_declaration['declare' class_declaration['class' comment:'/* a */' comment:'/* b */']] x:'x']";
    check(
        "typescript",
        Mode::Compatible,
        twice,
        r#"
        root "declare class /* a */ /* b */ x"
          class_declaration "declare class /* a */ /* b */"
            comment " /* a */ /* b */""#,
    );
}

#[test]
fn a_node_under_two_names() {
    let tree = "program[class_declaration:'class A {}'\n x:'x']";
    check(
        "java",
        Mode::Compatible,
        tree,
        r#"
        root "class A {}\n x"
          class_declaration "class A {}\n"
            class_declaration "class A {}\n""#,
    );
    check(
        "java",
        Mode::Default,
        tree,
        r#"
        root "class A {}\n x"
          class_declaration "class A {}\n""#,
    );
}

#[test]
fn excluded_ranges_are_no_nodes() {
    let tree =
        "program[if_statement['if' consequence=expression_statement:'a()' else_clause['else' if_statement:'if b']]]";
    check(
        "typescript",
        Mode::Compatible,
        tree,
        r#"
        root "if a() else if b"
          if_statement "if a() else if b""#,
    );
}

#[test]
fn constructors_are_a_kind_of_their_own() {
    let tree = "program[method_definition[property_identifier:'constructor' '()'] method_definition[property_identifier:'other']]";
    check(
        "typescript",
        Mode::Compatible,
        tree,
        r#"
        root "constructor () other"
          constructor "constructor ()"
          method_definition " other""#,
    );
}

#[test]
fn comments_above_a_definition_belong_to_it() {
    let tree = "module[comment:'# a'\ncomment:'# b'\nfunction_definition:'def f'\n\ncomment:'# c'\n\nfunction_definition:'def g' x:'x']";
    check(
        "python",
        Mode::Default,
        tree,
        r##"
        root "# a\n# b\ndef f\n\n# c\n\ndef g x"
          function_definition "# a\n# b\ndef f\n"
            comment "# a\n"
            comment "# b\n"
          comment "\n# c\n"
          function_definition "\ndef g""##,
    );
}

#[test]
fn statements_are_told_by_where_they_stand() {
    let tree = "source_file[for_statement['for' short_var_declaration:'i := 0' block['{' short_var_declaration:'a := 1' '}']] x:'x']";
    check(
        "go",
        Mode::Compatible,
        tree,
        r#"
        root "for i := 0 { a := 1 } x"
          for_statement "for i := 0 { a := 1 }"
            short_var_declaration " a := 1""#,
    );
}

// ---------------------------------------------------------------- the flat form

const KINDS: usize = 3;
const FIELDS: usize = 1;
const TEXT: &str = "aébc";

fn good() -> Vec<[u32; 6]> {
    vec![[0, 5, NAMED, NONE, NONE, 3], [0, 3, NAMED | 1, 0, 0, 1], [3, 4, 2, NONE, 0, 1]]
}

#[test]
fn a_flat_tree_is_read() {
    let tree = SyntaxTree::read(&good().concat(), KINDS, FIELDS, TEXT).unwrap();
    assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(tree.next(1), Some(2));
    assert_eq!((tree.node(2).previous, tree.node(2).start, tree.node(2).end), (1, 3, 4));
    assert_eq!((tree.node(1).kind, tree.node(2).kind), (3, 4));
}

#[test]
fn nodes_of_some_kinds_are_left_out() {
    let made = written("file[list[a:'a' list[b:'b'] list[]] c:'c']");
    let list: Vec<bool> = (0..made.kinds.len() as u32).map(|kind| made.kinds.name(kind) == "list").collect();
    let tree = made.tree.without(&list);
    let names: Vec<&str> = tree.nodes().iter().map(|node| made.kinds.name(node.kind)).collect();
    assert_eq!(names, ["file", "a", "b", "c"]);
    assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((tree.next(1), tree.next(2), tree.node(3).previous), (Some(2), Some(3), 2));
    // The root stays, whatever its kind.
    assert_eq!(tree.without(&vec![true; made.kinds.len()]).nodes().len(), 1);
}

#[test]
fn a_flat_tree_that_is_none_is_refused_with_its_place() {
    let check = |row: usize, column: usize, value: u32, path: &str| {
        let mut rows = good();
        rows[row][column] = value;
        let error = SyntaxTree::read(&rows.concat(), KINDS, FIELDS, TEXT).unwrap_err();
        assert_eq!(error.path.as_deref(), Some(path), "{error}");
    };
    check(0, 1, 6, "tree.nodes[0]");
    check(1, 0, 2, "tree.nodes[6]");
    check(1, 1, 2, "tree.nodes[6]");
    check(2, 0, 1, "tree.nodes[12]");
    check(2, 1, 9, "tree.nodes[12]");
    check(2, 1, 2, "tree.nodes[12]");
    check(1, 2, 3, "tree.nodes[8]");
    check(1, 3, 1, "tree.nodes[9]");
    check(1, 4, NONE, "tree.nodes[10]");
    check(2, 4, 1, "tree.nodes[16]");
    check(0, 5, 2, "tree.nodes[5]");
    check(1, 5, 9, "tree.nodes[11]");
    check(1, 5, 0, "tree.nodes[11]");
    for numbers in [&[][..], &[1, 2, 3]] {
        assert_eq!(SyntaxTree::read(numbers, KINDS, FIELDS, TEXT).unwrap_err().path.as_deref(), Some("tree.nodes"));
    }
}

#[test]
fn any_numbers_are_read_or_refused() {
    let mut rng = fastrand::Rng::with_seed(5);
    let kinds = Kinds::new(
        (0..6).map(|at| (Box::from(["comment", "x", "method_definition"][at / 2]), at % 2 == 1)).collect(),
        vec![],
    );
    let grammar = Grammar::of_kinds(Language::find("typescript").unwrap(), kinds).unwrap();
    let mut accepted = 0;
    for _ in 0..60_000 {
        let count = rng.u32(1..5);
        let mut rows = Vec::new();
        for at in 0..count {
            let parent = if at == 0 { NONE } else { rng.u32(0..at) };
            let start = rng.u32(0..5);
            rows.extend([
                start,
                start + rng.u32(0..4),
                rng.u32(0..3) | (rng.u32(0..2) * NAMED),
                NONE,
                parent,
                rng.u32(1..=count),
            ]);
        }
        if let Ok(tree) = SyntaxTree::read(&rows, 3, 0, TEXT) {
            accepted += 1;
            sound(&grammar.overlay(&tree, TEXT, Mode::Default).unwrap(), TEXT);
            grammar.overlay(&tree, TEXT, Mode::Compatible).unwrap();
        }
    }
    assert!(accepted > 100, "{accepted}");
}
