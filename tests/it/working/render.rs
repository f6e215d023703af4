//! The working set as text: within its budget, correct, without repetitions.

use espalier::compact::ledger::Rules;
use espalier::compact::working::WorkingSet;
use espalier::compact::working::render::{Ranked, Weights};
use espalier::compact::working::view::View;
use espalier::tokens::Tokenizer;

use crate::support::{Quarter, assistant, call, result, transcript, user};

#[test]
fn blocks_fit_their_budgets_and_repeat_nothing_of_the_view() {
    let messages = transcript("pi-refactor-long");
    for cut in [100, 400, 700] {
        let history = &messages[..cut];
        let set = WorkingSet::fold(history, &Rules::default());
        let view = View::of(&history[cut - 30..]);
        for budget in [0, 1, 50, 800, 6_000] {
            let files = Ranked::of(&set, Weights::default()).files(&view, budget, &Quarter);
            assert!(Quarter.count(&files) <= budget, "{} of {budget} tokens", Quarter.count(&files));
            let names = Ranked::of(&set, Weights::default()).names(&view, budget, &Quarter);
            assert!(Quarter.count(&names) <= budget, "{} of {budget} tokens", Quarter.count(&names));
            for name in names.split(' ').filter(|name| !name.is_empty()) {
                assert!(!view.has_name(name), "{name} is in view");
            }
            let heads: Vec<&str> = set.files.iter().map(|file| file.path.as_str()).collect();
            for line in files.lines().filter(|line| line.trim().len() > 12 && !line.starts_with('@')) {
                let is_head = heads.iter().any(|path| line.starts_with(path));
                assert!(is_head || !view.has_line(line), "{line} is in view");
            }
        }
    }
}

#[test]
fn a_ranking_serves_every_view_and_budget() {
    let messages = transcript("pi-refactor-long");
    let set = WorkingSet::fold(&messages[..700], &Rules::default());
    let ranked = Ranked::of(&set, Weights::default());
    for budget in [6_000, 50, 800] {
        for view in [View::default(), View::of(&messages[670..700]), View::of(&messages[..300])] {
            let fresh = Ranked::of(&set, Weights::default());
            assert_eq!(ranked.files(&view, budget, &Quarter), fresh.files(&view, budget, &Quarter));
            assert_eq!(ranked.names(&view, budget, &Quarter), fresh.names(&view, budget, &Quarter));
        }
    }
}

#[test]
fn the_newest_work_comes_first() {
    let write = |path: &str, text: &str| format!(r#"{{"path":"{path}","content":"{text}"}}"#);
    let mut messages = Vec::new();
    for at in 0..40 {
        let id = format!("c{at}");
        messages.push(call(&id, "write", &write(&format!("file_{at}.rs"), &format!("fn function_{at}() {{}}\\n"))));
        messages.push(result(&id, "Successfully wrote"));
    }
    let set = WorkingSet::fold(&messages, &Rules::default());
    let text = Ranked::of(&set, Weights::default()).files(&View::default(), 120, &Quarter);
    assert!(text.starts_with("file_39.rs\n@ 1\nfn function_39() {}\nfile_38.rs"), "{text}");
    assert!(!text.contains("file_2.rs"), "{text}");
    let names = Ranked::of(&set, Weights::default()).names(&View::default(), 40, &Quarter);
    assert!(names.contains("function_39") && !names.contains("function_1 "), "{names}");
}

#[test]
fn fields_of_json_are_no_names() {
    let flight = r#"{"flight_number": "HAT227", "seats_left": {"basic_economy": 3}, "paid_with": "gift_card_77"}"#;
    let quoted = serde_json::to_string(flight).expect("a string");
    let set = WorkingSet::fold(&[user("Which flight?"), assistant(flight), assistant(&quoted)], &Rules::default());
    assert_eq!(Ranked::of(&set, Weights::default()).names(&View::default(), 100, &Quarter), "HAT227 gift_card_77");
}

#[test]
fn escapes_times_and_units_are_no_names() {
    let mail = r#"{"body": "Team,\nUse nGrams.\nOnlyOne of C:\\newRoot at 2026-08-06T00:00:00.000Z costs 500K"}"#;
    let set = WorkingSet::fold(&[user("Which rule?"), assistant(mail)], &Rules::default());
    assert_eq!(Ranked::of(&set, Weights::default()).names(&View::default(), 100, &Quarter), "nGrams OnlyOne newRoot");
    let code = r#"{"newString": "\n\tclassName = 3;\n\tonClick();"}"#;
    let set = WorkingSet::fold(&[user("Which rule?"), assistant(code)], &Rules::default());
    assert_eq!(Ranked::of(&set, Weights::default()).names(&View::default(), 100, &Quarter), "className onClick");
}
