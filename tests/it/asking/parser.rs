//! Which text of a reply is the summary.

use super::*;

fn parses(reply: &str, expected: &str) {
    assert_eq!(parse(reply).map(|parsed| parsed.text), Ok(expected.to_string()), "{reply}");
}

#[test]
fn blocks_are_found_as_meant() {
    parses("<summary>a</summary>", "a");
    parses("<analysis>x</analysis><summary>y</summary>", "y");
    parses("<summary>1</summary><summary>2</summary>", "2");
    parses("<summary>a <summary> b </summary> c</summary>", "a <summary> b </summary> c");
    parses("<summary >attr</summary>", "attr");
    parses("```\n<summary>\nin fence\n</summary>\n```", "in fence");
    parses("<summary>\n```markdown\n# A\nwithin\n```\n</summary>", "# A\nwithin");
    parses("<summary>\u{feff}bom</summary>", "bom");
    parses(
        "<summary>The parser strips <analysis> blocks, and <think>.</summary>",
        "The parser strips <analysis> blocks, and <think>.",
    );
    parses("<analysis>I close it </analysis> early</analysis>\n<summary>ok</summary>", "ok");
    parses("<scratchpad>\n<summary>draft</summary>\n</scratchpad>\n<summary>final</summary>", "final");
    parses("<analysis>\nnever closed, <summary> mentioned\n<summary>\nbody\n</summary>", "body");
    parses("<thinking>a</thinking>\n<think>b</think>\n<SUMMARY>\nc\n</SUMMARY>", "c");
    parses(
        "<summary>the long one, which is the record and says a lot of things</summary> I used <summary>x</summary>.",
        "the long one, which is the record and says a lot of things",
    );
    parses(
        "<summary>\nthe text goes on <details><summary>more</summary> and is cut off here, long before",
        "the text goes on <details><summary>more</summary> and is cut off here, long before",
    );
}

/// Replies of which Copilot Chat's background job uses another part: the first mention, an empty block, tags by their
/// exact spelling.
const DIFFERENT: [(&str, Result<&str, Unusable>); 4] = [
    ("<summary></summary>", Err(Unusable::Empty)),
    ("<summary>1</summary><summary>2</summary>", Ok("2")),
    ("<summary>a <summary> b </summary> c</summary>", Ok("a <summary> b </summary> c")),
    ("<summary >attr</summary>", Ok("attr")),
];

#[test]
fn recorded_replies_give_the_recorded_summaries_but_for_those_listed() {
    let path = format!("{}/tests/fixtures/vectors/copilot-chat/summary-text.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows = vectors["extract"].as_array().unwrap();
    assert!(rows.len() >= 9);
    for row in rows {
        let text = row["text"].as_str().unwrap();
        let ours = parse_as(text, &EIGHT, true).map(|parsed| parsed.text);
        let different = DIFFERENT.iter().find(|(other, _)| *other == text);
        let expected = different.map_or(row["summary"].as_str().ok_or(Unusable::NoTag), |(_, expected)| *expected);
        assert_eq!(ours, expected.map(str::to_string), "{text}");
    }
}

#[test]
fn client_tools_leave_recorded_conversations_as_recorded() {
    let path = format!("{}/tests/fixtures/vectors/copilot-chat/sanitizers.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let read = |list: &serde_json::Value| -> Vec<Message> {
        let messages = list.as_array().unwrap().iter().map(|row| {
            let text = row["text"].as_str().unwrap();
            match row["role"].as_str().unwrap() {
                "user" => user(text),
                "tool" => result(row["id"].as_str().unwrap(), text),
                _ => {
                    let mut message = assistant(text);
                    for made in row["calls"].as_array().into_iter().flatten() {
                        let (id, name) = made.as_str().unwrap().split_once(':').unwrap();
                        message.parts.extend(call(id, name, "{}").parts);
                    }
                    message
                }
            }
        });
        messages.collect()
    };
    for row in vectors["toolSearch"].as_array().unwrap() {
        let messages = numbered(read(&row["messages"]));
        let draft = Draft::new(&messages, meter(&Quarter), Origin::Exact);
        let all: Vec<usize> = (0..messages.len()).collect();
        let (out, _) = clean(&draft, &[&all]);
        // A message that would be sent empty is removed.
        let expected: Vec<Message> =
            read(&row["out"]).into_iter().filter(|m| m.text() != "" || m.role == Role::Tool).collect();
        let parts = |list: Vec<Message>| list.into_iter().map(|message| message.parts).collect::<Vec<_>>();
        assert_eq!(parts(out.messages()), parts(expected), "{row}");
    }
}

#[test]
fn what_is_no_block_is_none() {
    assert_eq!(parse("the <summary> tag and </summary>").map(|p| p.text), Ok("tag and".into()));
    assert_eq!(parse("a </summary> alone"), Err(Unusable::NoTag));
    assert_eq!(parse("<analysis>\nonly thoughts"), Err(Unusable::Empty));
    assert_eq!(parse("<summary></summary>"), Err(Unusable::Empty));
    assert_eq!(parse("<summaryx>no</summaryx>"), Err(Unusable::NoTag));
    // Three headings of eight are too few, four are enough; names in a sentence do not count.
    let of = |n: usize| EIGHT.sections[..n].iter().map(|s| format!("# {}\nx\n", s.name)).collect::<String>();
    assert_eq!(parse(&of(3)), Err(Unusable::NoTag));
    assert!(parse(&of(4)).unwrap().untagged);
    assert_eq!(
        parse("Conversation Overview and Technical Foundation and Codebase Status and Recent Operations"),
        Err(Unusable::NoTag)
    );
}

#[test]
fn replies_made_to_be_slow_are_not() {
    for unit in [
        "<summary>",
        "</summary>",
        "<summary></summary>",
        "<analysis>",
        "<analysis></analysis>",
        "<",
        "< <",
        "\n<summary>\n<analysis>",
        "    <summary x",
    ] {
        let _ = parse(&unit.repeat(50_000));
    }
}
