use espalier::document::{Language, Mode};

#[test]
fn every_table_can_be_read() {
    for language in Language::all() {
        assert!(language.query(Mode::Default).unwrap().is_some(), "{}", language.name);
        language.query(Mode::Compatible).unwrap();
    }
    assert_eq!(Language::all().len(), 13);
}

#[test]
fn the_compatible_mode_knows_fewer() {
    let without = Language::all().iter().filter(|language| language.query(Mode::Compatible).unwrap().is_none());
    assert_eq!(without.map(|language| language.name).collect::<Vec<_>>(), ["rust", "c", "php"]);
}

#[test]
fn names_and_files() {
    let of = |path: &str| Language::of_file(path).map(|language| language.name);
    for (path, name) in [
        ("a.ts", "typescript"),
        ("/x/y.d.ts", "typescript"),
        ("C:\\x\\Y.TSX", "typescriptreact"),
        ("a.jsx", "javascriptreact"),
        ("a.mjs", "javascript"),
        ("a.py", "python"),
        ("a.rb", "ruby"),
        ("a.rs", "rust"),
        ("a.go", "go"),
        ("A.java", "java"),
        ("a.c", "c"),
        ("a.h", "c"),
        ("a.C", "cpp"),
        ("a.hpp", "cpp"),
        ("a.cs", "csharp"),
        ("a.php", "php"),
    ] {
        assert_eq!(of(path), Some(name), "{path}");
    }
    for path in ["", "Makefile", "a.", "a.txt", "ts", "x.ts/y"] {
        assert_eq!(of(path), None, "{path}");
    }
    let mut names: Vec<&str> = Language::all()
        .iter()
        .flat_map(|l| [l.name].into_iter().chain(l.aliases.split(' ')))
        .filter(|n| !n.is_empty())
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "no name stands for two languages");
}
