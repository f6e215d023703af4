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
fn no_name_stands_for_two_languages() {
    let mut names: Vec<&str> = Language::all()
        .iter()
        .flat_map(|l| [l.name].into_iter().chain(l.aliases.split(' ')))
        .filter(|n| !n.is_empty())
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
