//! Counts in the lines of messages: a log that is read is not counted again, unless the tokenizer differs.

use std::cell::Cell;
use std::rc::Rc;

use espalier::history::log::{Chain, Counting, Log};
use espalier::message::{Message, Part};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::support::{assistant, log_of, user};

/// One token a byte. Records how many bytes were counted.
struct Named(Option<&'static str>, Rc<Cell<u64>>);

impl Tokenizer for Named {
    fn count(&self, text: &str) -> u64 {
        self.1.set(self.1.get() + text.len() as u64);
        text.len() as u64
    }

    fn known_as(&self) -> Option<&'static str> {
        self.0
    }
}

fn counting(name: Option<&'static str>, model: CostModel) -> (Counting, Rc<Cell<u64>>) {
    let counted = Rc::new(Cell::new(0));
    let tokenizer = Rc::new(Named(name, Rc::clone(&counted)));
    (Counting { model, tokenizer, tools: 0, origin: Origin::Exact, by_items: false, provider: None }, counted)
}

fn messages() -> Vec<Message> {
    let mut two = assistant("world");
    two.parts.push(Part::Text { text: "and \",\"counts\":\"bytes espalier 1 1".into() });
    let list = [user("hello"), two, user("\",\"counts\":\"bytes espalier 1")];
    list.into_iter().enumerate().map(|(at, message)| Message { id: format!("m{at}"), ..message }).collect()
}

fn written(name: Option<&'static str>) -> (String, Vec<u64>) {
    let log = log_of(messages(), 0, counting(name, CostModel::Espalier).0).unwrap();
    (log.export(0), tokens(&log))
}

fn tokens(log: &Log) -> Vec<u64> {
    let counts = |id: &str| log.counts(id).map(|counts| (counts.message.tokens, counts.parts.clone())).unwrap();
    ["m0", "m1", "m2"].into_iter().flat_map(|id| [vec![counts(id).0], counts(id).1.into_vec()].concat()).collect()
}

/// Reads lines; returns its counts, and how many bytes were counted for them. An export equals the input.
fn read(text: &str, name: Option<&'static str>, model: CostModel) -> (Vec<u64>, u64) {
    let (how, counted) = counting(name, model);
    let read = Log::import(text, how, false).unwrap();
    assert_eq!((read.problems, read.log.export(0)), (vec![], text.to_string()));
    (tokens(&read.log), counted.get())
}

#[test]
fn what_a_line_says_is_not_counted_again() {
    let (text, wanted) = written(Some("bytes"));
    assert!(text.lines().next().unwrap().contains(",\"counts\":\"bytes espalier 9 5\",\"hash\":\""), "{text}");
    assert_eq!(read(&text, Some("bytes"), CostModel::Espalier), (wanted, 0));
}

#[test]
fn with_something_else_it_is_counted_anew() {
    let (text, wanted) = written(Some("bytes"));
    for (name, model) in [(Some("others"), CostModel::Espalier), (None, CostModel::Espalier)] {
        let (found, counted) = read(&text, name, model);
        assert!(found == wanted && counted > 60, "{found:?} {counted}");
    }
    assert!(read(&text, Some("bytes"), CostModel::CopilotChatExtension).1 > 60);
}

#[test]
fn lines_without_counts_stay_without() {
    let (text, wanted) = written(None);
    assert!(!text.contains(",\"counts\":\"bytes espalier 9"), "a host's tokenizer may count otherwise another time");
    let (found, counted) = read(&text, Some("bytes"), CostModel::Espalier);
    assert!(found == wanted && counted > 60);
}

#[test]
fn pictures_are_counted_by_the_model_that_sees_them() {
    let picture =
        Part::Image { media_type: None, data: None, url: Some("https://a.example/b.png".into()), detail: None };
    let content = vec![picture.clone()];
    let result = Part::ToolResult { call_id: "c".into(), name: None, content, is_error: false };
    for part in [picture, result] {
        let message = Message { id: "m0".into(), parts: vec![part], ..user("") };
        let log = log_of(vec![message], 0, counting(Some("bytes"), CostModel::Espalier).0).unwrap();
        assert!(!log.export(0).contains("counts"));
    }
}

#[test]
fn counts_that_cannot_be_are_passed_over() {
    let line = |counts: &str| {
        let head = r#"{"seq":0,"v":1,"time":0,"type":"message","message":{"id":"m0","role":"user","parts":[{"type":"text","text":"hello"}]}"#;
        let hashed = format!("{head},\"counts\":\"{counts}\"");
        let hash = Chain::default().with(hashed.as_bytes()).hex();
        format!("{hashed},\"hash\":\"{hash}\"}}\n")
    };
    for odd in [
        "bytes espalier 9",
        "bytes espalier 9 5 5",
        "bytes espalier 9 x",
        "bytes espalier 9 -5",
        "bytes espalier 18446744073709551615 5",
        "bytes",
        "",
    ] {
        let (how, _) = counting(Some("bytes"), CostModel::Espalier);
        let read = Log::import(&line(odd), how, false).unwrap();
        assert_eq!((read.problems.len(), read.log.counts("m0").map(|it| it.message.tokens)), (0, Some(9)), "{odd}");
        assert_eq!(read.log.export(0), line(odd));
    }
    // A storage may format lines differently.
    let spaced = line("bytes espalier 99 5").replace("\"time\":0", "\"time\": 0");
    let (how, _) = counting(Some("bytes"), CostModel::Espalier);
    let read = Log::import(&spaced, how, false).unwrap();
    assert_eq!((read.problems.len(), read.log.counts("m0").map(|it| it.message.tokens)), (0, Some(99)));
}
