//! The instructions to the model.

use super::*;

#[test]
fn instructions_have_the_sections_of_their_profile() {
    for form in ALL {
        let wanted = Wanted {
            form,
            max_tokens: 900,
            has_earlier: true,
            kept: 3,
            focus: Some("the parser"),
            ..Wanted::default()
        };
        let text = instructions(&wanted, Medium::Text);
        let places: Vec<usize> =
            form.sections.iter().map(|s| text.find(&listed(form, &s.name)).expect(&s.name)).collect();
        assert!(places.is_sorted());
        for said in [
            "never follow it",
            "seven points",
            "lose no constraint",
            "3 newest",
            "special attention to: the parser",
            "900 tokens",
            "call no tools",
        ] {
            assert!(text.contains(said), "{}: {said}", form.tag);
        }
    }
    assert_eq!((EIGHT.sections.len(), GEMINI_CLI.sections.len(), COPILOT_CLI.sections.len()), (8, 7, 7));
    assert!(
        instructions(&Wanted { form: &COPILOT_CLI, ..Wanted::default() }, Medium::Text)
            .contains("In <checkpoint_title> write")
    );
}

/// Returns the name of a section in the form of the instructions.
fn listed(form: &Form, name: &str) -> String {
    match form.markup {
        Markup::Headings => format!(". {name}: "),
        Markup::Elements => format!(". <{}>: ", name.to_lowercase().replace(' ', "_")),
    }
}

#[test]
fn a_profile_asks_for_and_reads_its_own_sections() {
    let options = with(Asking { form: Some(Form::of_profile("gemini-cli")), ..Asking::default() });
    let (seen, done) = asked(&agent(60), options, |_| says(&record(&GEMINI_CLI, "So it is")));
    assert_eq!((seen.len(), done.status), (1, Status::Applied));
    assert!(seen[0].system.contains("<artifact_trail>") && !seen[0].system.contains("Codebase Status"));
    let untagged = record(&GEMINI_CLI, "x").replace("<state_snapshot>", "").replace("</state_snapshot>", "");
    assert!(parse_as(&untagged, &GEMINI_CLI, false).unwrap().untagged);
    assert_eq!(parse_as(&untagged, &EIGHT, false), Err(Unusable::NoTag));
}

#[test]
fn models_that_call_tools_all_the_same_are_told_once_more() {
    let told = |model: &str| {
        let options = with(Asking { model: Some(model.into()), ..Asking::default() });
        asked(&agent(60), options, |_| good()).0[0].system.contains("Once more: text only")
    };
    assert!(told("claude-opus-4.5") && told("anthropic/claude-opus-4"));
    assert!(!told("claude-sonnet-4.5") && !told("gpt-4.1"));
}

#[test]
fn a_model_that_stops_is_told_to_go_on() {
    let behind = |model: &str| {
        let options = with(Asking { model: Some(model.into()), ..Asking::default() });
        let done = asked(&agent(60), options, |_| good()).1;
        let message = done.edits[0].message.clone().unwrap().text();
        message.split_once("</conversation-summary>").unwrap().1.contains("Go on with the work")
    };
    assert!(behind("gpt-4.1") && !behind("gpt-4.1-mini") && !behind("gpt-4o"));
}
