//! Tables, and runs that count on, can be read back: no value of the JSON is lost.

use espalier::tokens::EncodingName;
use espalier::tool_result::reduce::{Source, reduce};
use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::encodings::encoding;

/// Strings that could be read as something else, and usual ones.
const TEXTS: [&str; 20] = [
    "",
    "ok",
    "7",
    "-1.5e3",
    "true",
    "null",
    "nul",
    "a,b",
    "a\"b",
    "c:\\x",
    "two\nlines",
    " x",
    "x ",
    "[1",
    "{",
    "01",
    "12:30",
    "é",
    "日本",
    "it's 5",
];

#[test]
fn rows_come_back() {
    let mut rng = Rng::with_seed(14);
    let mut shorter = 0;
    for _ in 0..2_000 {
        let rows = random_rows(&mut rng);
        for text in [serde_json::to_string_pretty(&rows).unwrap(), as_lines(&rows)] {
            if let Some(done) = reduce(&text, Source::default(), encoding(EncodingName::O200kBase)) {
                shorter += 1;
                assert_eq!(Value::from(read(&done.text)), rows, "{text}\n{}", done.text);
            }
        }
    }
    assert!(shorter > 3_000, "{shorter}");
}

#[test]
fn tables_take_two_thirds_of_the_tokens() {
    let row = |n: i32| json!({ "id": n, "name": format!("n{n}"), "at": { "x": n * n, "y": -1 }, "tags": ["a", "b"] });
    let text = serde_json::to_string(&(0..50).map(row).collect::<Vec<_>>()).unwrap();
    let done = reduce(&text, Source::default(), encoding(EncodingName::O200kBase)).unwrap();
    assert!(done.text.starts_with("id,name,at.x,at.y,tags\n0,n0,0,-1,[\"a\",\"b\"]\n1,n1,1,-1,"), "{}", done.text);
    assert!(done.tokens * 3 < done.before * 2, "{} of {}", done.tokens, done.before);
}

/// A list of objects with the same names.
fn random_rows(rng: &mut Rng) -> Value {
    let columns = rng.usize(1..5);
    let kinds: Vec<usize> = (0..columns).map(|_| rng.usize(0..6)).collect();
    let (step, fixed) = (rng.i64(-3..4), TEXTS[rng.usize(0..TEXTS.len())]);
    let rows = (0..rng.i64(2..40)).map(|at| {
        let value = |kind| match kind {
            0 => json!(1_000 + at * step),
            1 => json!(format!("part {at}")),
            2 => json!(fixed),
            3 => json!({ "a.b": at / 9, "c": { "d": fixed } }),
            4 => json!([TEXTS[at as usize % 3], { "x": at % 7 }]),
            _ => json!(TEXTS[(at / 7) as usize % TEXTS.len()]),
        };
        let names = ["id", "a name", "k.x", "t,u", "v"];
        let object = names.iter().zip(&kinds).map(|(name, kind)| (name.to_string(), value(*kind)));
        Value::Object(object.collect())
    });
    rows.collect()
}

fn as_lines(rows: &Value) -> String {
    rows.as_array().unwrap().iter().map(|row| format!("{row}\n")).collect()
}

/// Reads a table: lines of cells below the names, or JSON in each line.
fn read(text: &str) -> Vec<Value> {
    let lines = written_out(text);
    if lines[0].starts_with('{') {
        return lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    }
    let names = cells(&lines[0], ',');
    let row = |line: &String| {
        let mut object = Map::new();
        for (name, cell) in names.iter().zip(cells(line, ',')) {
            let path: Vec<String> = cells(name, '.').iter().map(|part| string(part)).collect();
            let (last, folders) = path.split_last().unwrap();
            let inner = folders.iter().fold(&mut object, |object, name| {
                object.entry(name).or_insert_with(|| json!({})).as_object_mut().unwrap()
            });
            inner.insert(last.clone(), serde_json::from_str(&cell).unwrap_or(Value::String(cell)));
        }
        Value::Object(object)
    };
    lines[1..].iter().map(row).collect()
}

/// Writes the lines that notes replace.
fn written_out(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let count = |end: &str| line.strip_prefix('[')?.strip_suffix(end)?.parse::<usize>().ok();
        for _ in 0..count(" times more]").unwrap_or(0) {
            lines.push(lines[lines.len() - 1].clone());
        }
        let more = count(" more, counting on]");
        for _ in 0..more.unwrap_or(0) {
            lines.push(counted_on(&lines[lines.len() - 2], &lines[lines.len() - 1]));
        }
        if more.is_none() && count(" times more]").is_none() {
            lines.push(line.into());
        }
    }
    lines
}

/// Returns the line behind two that count on.
fn counted_on(one: &str, two: &str) -> String {
    let numbers = |text: &str| -> Vec<i64> {
        let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        parts.map(|digits| digits.parse().unwrap()).collect()
    };
    let mut steps = numbers(one).into_iter().zip(numbers(two)).map(|(one, two)| (two, two - one));
    let mut out = String::new();
    let mut rest = two;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| start + length);
        let (last, step) = steps.next().unwrap();
        out.push_str(&rest[..start]);
        out.push_str(&if step == 0 { rest[start..end].to_string() } else { (last + step).to_string() });
        rest = &rest[end..];
    }
    out + rest
}

/// Splits a line at a character outside of strings, lists and objects, which only begin a cell.
fn cells(line: &str, mark: char) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        let length = if rest.starts_with(['"', '[', '{']) {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            values.next().unwrap().unwrap();
            // The name of a column may go on behind a quoted part.
            let end = values.byte_offset();
            end + rest[end..].find(mark).unwrap_or(rest.len() - end)
        } else {
            rest.find(mark).unwrap_or(rest.len())
        };
        out.push(rest[..length].to_string());
        match rest.get(length + 1..) {
            Some(more) if length < rest.len() => rest = more,
            _ => return out,
        }
    }
}

fn string(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_else(|_| text.to_string())
}
