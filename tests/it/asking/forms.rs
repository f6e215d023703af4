//! The form of a record: what each profile requests and reads, forms of the host, answers in another form.

use espalier::compact::form::headed;
use espalier::compact::ledger::{Ledger, Rules};
use espalier::compact::profile::{ALL as PROFILES, GEMINI_CLI as GEMINI};

use super::*;

/// An answer in the form of gemini-cli's model; the words are ours.
const SNAPSHOT: &str = "<scratchpad>
The user wants the parser fixed. I will fill the <state_snapshot> now.
</scratchpad>

<state_snapshot>
    <overall_goal>
        Fix the parser so that nested lists work.
    </overall_goal>

    <active_constraints>
        - Never touch the lexer.
    </active_constraints>

    <key_knowledge>
        - `cargo test parser` runs the tests.
    </key_knowledge>

    <artifact_trail>
        - `src/part1.rs`: the entry returns a Result now.
    </artifact_trail>

    <file_system_state>
        - CWD: `/work`
    </file_system_state>

    <recent_actions>
        - Read `src/part0.rs`.
    </recent_actions>

    <task_state>
        1. [DONE] Find the bug.
        2. [IN PROGRESS] Mend it. <-- CURRENT FOCUS
        3. [TODO] Test it.
    </task_state>
</state_snapshot>";

fn gemini() -> Options {
    let profile = Profile { summary: GEMINI.summary.clone(), ..Profile::default() };
    Options { profile, ..with(Asking { verify: Verify::Never, ..Asking::default() }) }
}

#[test]
fn a_snapshot_of_gemini_cli_is_asked_for_and_kept_as_it_is_without_the_scratchpad() {
    let (seen, done) = asked(&agent(60), gemini(), |_| says(SNAPSHOT));
    let [request] = seen.as_slice() else { panic!("{} requests", seen.len()) };
    let text = format!("{}\n{}", request.system, request.prompt);
    for told in ["<scratchpad> block", "one <state_snapshot> block with these seven elements", "<task_state>: "] {
        assert!(text.contains(told), "{told}");
    }
    assert!(!text.contains("<summary>") && !text.contains("<analysis>"));
    assert_eq!(done.status, Status::Applied);
    let summary = done.summary.unwrap();
    assert!(summary.starts_with("<state_snapshot>\n") && summary.ends_with("\n</state_snapshot>"), "{summary}");
    assert!(summary.contains("<task_state>\n        1. [DONE] Find the bug.") && !summary.contains("scratchpad"));
    assert!(done.model.unwrap().gaps.is_empty());
    let record = done.edits.iter().find_map(|edit| edit.message.clone()).unwrap().text();
    assert!(record.contains("<summary>\n<state_snapshot>\n"), "{record}");
}

#[test]
fn the_second_look_sees_the_first_snapshot_whole() {
    let mut options = gemini();
    options.asking.verify = Verify::Always;
    let better = SNAPSHOT.replace("[TODO] Test it.", "[TODO] Test it with nested lists.");
    let mut answers = [SNAPSHOT.to_string(), better].into_iter();
    let (seen, done) = asked(&agent(60), options, |_| says(&answers.next().unwrap()));
    assert_eq!(seen.iter().map(|one| one.purpose).collect::<Vec<_>>(), [Purpose::Summary, Purpose::Verify]);
    assert!(seen[1].prompt.contains("<first-record>\n<state_snapshot>\n"), "{}", seen[1].prompt);
    assert!(done.summary.unwrap().contains("Test it with nested lists."));
}

#[test]
fn a_snapshot_is_carried_through_a_second_compaction_by_rules() {
    let (_, done) = asked(&agent(60), gemini(), |_| says(SNAPSHOT));
    let record = done.edits.iter().find_map(|edit| edit.message.clone()).unwrap();
    let ledger = Ledger::fold(&[record], &Rules::default());
    let [earlier] = ledger.earlier.as_slice() else { panic!("{:?}", ledger.earlier) };
    assert!(earlier.starts_with("## Overall goal\nFix the parser"), "{earlier}");
    assert!(earlier.contains("## Task state\n1. [DONE] Find the bug.") && !earlier.contains("</"), "{earlier}");
}

#[test]
fn every_form_reads_its_own_answer_and_a_shorter_one_keeps_its_elements() {
    for form in ALL {
        let reply = record(form, "All is well, and the work goes on");
        let parsed = parse_as(&reply, form, true).unwrap();
        assert_eq!((parsed.tag.as_str(), lacking(&parsed.text, form)), (&*form.tag, vec![]), "{reply}");
        let long = record(form, &"all is well\n".repeat(60));
        let parsed = parse_as(&long, form, true).unwrap();
        let cut = trim(&parsed.text, 400, form, &Quarter);
        assert!(Quarter.count(&cut) <= 400 && Quarter.count(&cut) > 200, "{cut}");
        let vital = form.sections.iter().filter(|section| section.is_vital);
        assert!(
            vital.clone().count() > 0
                && vital.into_iter().all(|one| !lacking(&cut, form).contains(&one.name.to_string()))
        );
        if form.markup == Markup::Elements {
            assert_eq!(cut.matches("</").count(), form.sections.len(), "{cut}");
        }
        let bare = parsed.text.replace("all is well\n", "").replace('.', "");
        assert_eq!(parse_as(&format!("<{0}>{bare}</{0}>", form.tag), form, true), Err(Unusable::Empty));
    }
}

/// Returns the tag of the block that is used, or the reason why none is.
fn taken(reply: &str, form: &Form, tagged: bool) -> Result<String, Unusable> {
    parse_as(reply, form, tagged).map(|parsed| parsed.tag)
}

#[test]
fn an_answer_in_another_form_is_taken_if_it_is_one() {
    let own = record(&GEMINI_CLI, "x");
    let usual = record(&EIGHT, "x");
    for (reply, form, expected) in [
        (&own, &GEMINI_CLI, Ok("state_snapshot")),
        (&usual, &GEMINI_CLI, Ok("summary")),
        (&own, &EIGHT, Ok("state_snapshot")),
        (&own, &COPILOT_CLI, Ok("state_snapshot")),
        // The form's own tag takes precedence over any other.
        (&format!("{usual}\n{own}"), &GEMINI_CLI, Ok("state_snapshot")),
        (&format!("{own}\n{usual}"), &EIGHT, Ok("summary")),
        // A mention of the tag in a sentence is not a tag.
        (&"I wrap it:\n<state_snapshot>\n<a>x</a>\n</state_snapshot>".to_string(), &EIGHT, Err(Unusable::NoTag)),
        (&"The <state_snapshot> is next.".to_string(), &GEMINI_CLI, Err(Unusable::NoTag)),
        (
            &"<state_snapshot>\n<overall_goal>\n</overall_goal>\n</state_snapshot>".into(),
            &GEMINI_CLI,
            Err(Unusable::Empty),
        ),
    ] {
        assert_eq!(taken(reply, form, true), expected.map(str::to_string), "{reply}");
    }
    let one_line = own.split('\n').map(str::trim).collect::<String>();
    assert_eq!(lacking(&parse_as(&one_line, &GEMINI_CLI, true).unwrap().text, &GEMINI_CLI), Vec::<String>::new());
    let unclosed = own.replace("</state_snapshot>", "");
    let parsed = parse_as(&unclosed, &GEMINI_CLI, true).unwrap();
    assert!(parsed.unclosed && lacking(&parsed.text, &GEMINI_CLI).is_empty());
}

#[test]
fn a_host_has_a_form_of_its_own() {
    let fields = r#"{"summary":{"form":{"tag":"handbook","scratch":"notes","markup":"elements","title":"Name",
        "sections":[{"name":"Open Work","content":"what is open","vital":true},{"name":"Name","content":"a name"}]}}}"#;
    let profile = Profile::read(fields, "options.profile").unwrap();
    let options = Options { profile, ..with(Asking { verify: Verify::Never, ..Asking::default() }) };
    let reply = "<notes>hm</notes><handbook>\n<open_work>\nThe lexer.\n</open_work>\n<name>Lexer</name>\n</handbook>";
    let (seen, done) = asked(&agent(60), options, |_| says(reply));
    assert!(seen[0].system.contains("a <notes> block") && seen[0].system.contains("<open_work>: what is open."));
    assert_eq!(done.title.as_deref(), Some("Lexer"));
    let text = "<handbook>\n<open_work>\nThe lexer.\n</open_work>\n<name>Lexer</name>\n</handbook>";
    assert_eq!(done.summary.as_deref(), Some(text));
    // A printed profile reads back equal.
    for profile in PROFILES {
        let printed = serde_json::to_string(profile).unwrap();
        assert_eq!(&Profile::read(&printed, "p").unwrap(), profile);
    }
}

#[test]
fn a_form_that_no_answer_could_have_is_refused_by_its_field() {
    let check = |form: &str, path: &str| {
        let error = Profile::read(&format!(r#"{{"summary":{{"form":{form}}}}}"#), "profile").unwrap_err();
        assert_eq!(error.path.as_deref(), Some(format!("profile.summary.form.{path}").as_str()), "{form}: {error:?}");
    };
    for tag in ["", "a b", "1st", "<x>", "constraints", "conversation-summary", "todo"] {
        check(&format!(r#"{{"tag":"{tag}"}}"#), "tag");
    }
    check(r#"{"scratch":"summary"}"#, "scratch");
    check(r#"{"scratch":"x y"}"#, "scratch");
    check(r#"{"sections":[]}"#, "sections");
    check(r#"{"sections":[{"name":"","content":"x"}]}"#, "sections");
    check(r#"{"sections":[{"name":"A B","content":"x"},{"name":"a_b","content":"x"}]}"#, "sections");
    check(r#"{"sections":[{"name":"Todo","content":"x"}]}"#, "sections");
    check(r#"{"sections":[{"name":"</x>","content":"x"}]}"#, "sections");
    check(r#"{"title":"Nowhere"}"#, "title");
    check(r#"{"tags":"x"}"#, "tags");
    check(r#"{"markup":"yaml"}"#, "markup");
}

#[test]
fn only_a_record_of_elements_is_read_as_headings() {
    for (text, expected) in [
        ("<a>x</a>\n<b_c>\ny\n</b_c>", "## A\nx\n\n## B c\ny"),
        ("<t><a>x</a></t>", "## A\nx"),
        ("<t>\n<a>\n<p>x</p>\n</a>\n</t>", "## A\n<p>x</p>"),
        ("## A\n<details>x</details>", "## A\n<details>x</details>"),
        ("<a>x</a> and more", "<a>x</a> and more"),
        ("<a>x", "<a>x"),
        ("<é>x</é>", "<é>x</é>"),
        ("< a>x</ a>", "< a>x</ a>"),
        ("", ""),
    ] {
        assert_eq!(headed(text), expected, "{text}");
    }
}
