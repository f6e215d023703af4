//! The working set as text: within its budget, correct, without repetitions.

use espalier::compact::ledger::Rules;
use espalier::compact::working::WorkingSet;
use espalier::compact::working::render::{self, Weights};
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
            let files = render::files(&set, &view, budget, &Quarter, &Weights::default());
            assert!(Quarter.count(&files) <= budget, "{} of {budget} tokens", Quarter.count(&files));
            let names = render::names(&set, &view, budget, &Quarter);
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
fn the_newest_work_comes_first() {
    let write = |path: &str, text: &str| format!(r#"{{"path":"{path}","content":"{text}"}}"#);
    let mut messages = Vec::new();
    for at in 0..40 {
        let id = format!("c{at}");
        messages.push(call(&id, "write", &write(&format!("file_{at}.rs"), &format!("fn function_{at}() {{}}\\n"))));
        messages.push(result(&id, "Successfully wrote"));
    }
    let set = WorkingSet::fold(&messages, &Rules::default());
    let text = render::files(&set, &View::default(), 120, &Quarter, &Weights::default());
    assert!(text.starts_with("file_39.rs\n@ 1\nfn function_39() {}\nfile_38.rs"), "{text}");
    assert!(!text.contains("file_2.rs"), "{text}");
    let names = render::names(&set, &View::default(), 40, &Quarter);
    assert!(names.contains("function_39") && !names.contains("function_1 "), "{names}");
}

#[test]
fn fields_of_json_are_no_names() {
    let flight = r#"{"flight_number": "HAT227", "seats_left": {"basic_economy": 3}, "paid_with": "gift_card_77"}"#;
    let quoted = serde_json::to_string(flight).expect("a string");
    let set = WorkingSet::fold(&[user("Which flight?"), assistant(flight), assistant(&quoted)], &Rules::default());
    assert_eq!(render::names(&set, &View::default(), 100, &Quarter), "HAT227 gift_card_77");
}

#[test]
fn escapes_times_and_units_are_no_names() {
    let mail = r#"{"body": "Team,\nUse nGrams.\nOnlyOne of C:\\newRoot at 2026-08-06T00:00:00.000Z costs 500K"}"#;
    let set = WorkingSet::fold(&[user("Which rule?"), assistant(mail)], &Rules::default());
    assert_eq!(render::names(&set, &View::default(), 100, &Quarter), "nGrams OnlyOne newRoot");
    let code = r#"{"newString": "\n\tclassName = 3;\n\tonClick();"}"#;
    let set = WorkingSet::fold(&[user("Which rule?"), assistant(code)], &Rules::default());
    assert_eq!(render::names(&set, &View::default(), 100, &Quarter), "className onClick");
}
