//! Doc comments of Rust as those of TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write;

use syn::{Attribute, Expr, Lit, Meta};

const WIDTH: usize = 120;

/// Returns the paragraphs of a doc comment, without code and without the sections after it. `names` are the names that
/// differ in TypeScript, of fields and of types.
pub fn paragraphs(attributes: &[Attribute], names: &BTreeMap<String, String>) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in lines(attributes) {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        } else if line.starts_with("# ") {
            break;
        } else if line.is_empty() || is_code {
            paragraphs.push(String::new());
        } else {
            if line.starts_with("- ") || line.starts_with("| ") {
                paragraphs.push("\n".into());
            }
            let last = paragraphs.last_mut().expect("it is never empty");
            last.push_str(if last.is_empty() || last == "\n" { "" } else { " " });
            last.push_str(line);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.iter().map(|paragraph| translated(paragraph, names)).collect()
}

fn lines(attributes: &[Attribute]) -> Vec<String> {
    let text = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(value) => match &value.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(text).collect()
}

/// Takes the sentence that lists the values of a text out of the docs: "One of `a`, `b` or `c`."
pub fn take_values(paragraphs: &mut Vec<String>) -> Option<Vec<String>> {
    let (at, start) = paragraphs.iter().enumerate().find_map(|(at, text)| Some((at, text.find("One of `")?)))?;
    let list = paragraphs[at].split_off(start);
    let (list, rest) = list.split_once("`.").unwrap_or((&list, ""));
    paragraphs[at] = format!("{}{rest}", paragraphs[at].trim_end()).trim().into();
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    Some(list.split('`').skip(1).step_by(2).map(String::from).collect())
}

/// Translates links and names in code.
fn translated(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 0 {
            out.push_str(piece);
            continue;
        }
        let is_link = out.ends_with('[');
        let last = piece.rsplit("::").next().unwrap_or(piece);
        let name = names.get(last).map_or(if is_link { last } else { piece }, String::as_str);
        if is_link && name.starts_with(char::is_uppercase) && names.contains_key(last) {
            out.pop();
            let _ = write!(out, "{{@link {name}}}\u{1}");
        } else if is_link {
            out.pop();
            let _ = write!(out, "`{name}`\u{1}");
        } else {
            let _ = write!(out, "`{name}`");
        }
    }
    out.replace("\u{1}]", "")
}

/// Writes a comment, wrapped at 120 columns.
pub fn comment(paragraphs: &[String], indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match paragraphs {
        [] => return,
        [one] if indent + one.chars().count() + "/**  */".len() <= WIDTH => {
            let _ = writeln!(out, "{pad}/** {one} */");
            return;
        }
        _ => {}
    }
    let _ = writeln!(out, "{pad}/**");
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let is_row = paragraph.starts_with('\n');
        if at > 0 && !is_row {
            let _ = writeln!(out, "{pad} *");
        }
        let mut line = format!("{pad} *");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(out, "{line}");
                line = format!("{pad} *{}", if is_row { "  " } else { "" });
            }
            line.push(' ');
            line.push_str(word);
        }
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "{pad} */");
}
