//! Doc comments of Rust as those of TypeScript.

use std::collections::BTreeMap;

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Names that differ in TypeScript.
pub type Names = BTreeMap<String, String>;

const WIDTH: usize = 120;

/// Returns the paragraphs of a doc comment, up to its first code or heading. Rows of a list begin with `-`.
pub fn paragraphs(attributes: &[Attribute], names: &Names) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in attributes.iter().filter_map(line) {
        match line.trim() {
            line if line.starts_with("```") || line.starts_with("# ") => break,
            "" => paragraphs.push(String::new()),
            line if line.starts_with("- ") => paragraphs.push(line.into()),
            line => paragraphs.last_mut().expect("it has a first").extend([" ", line]),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.iter().map(|paragraph| translated(paragraph.trim(), names)).collect()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if meta.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
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

/// Translates names in code, and links: `[Type]` becomes `{@link Type}` if that is published.
fn translated(text: &str, names: &Names) -> String {
    let mut out = String::new();
    for (at, piece) in text.replace("[`", "`[").replace("`]", "]`").split('`').enumerate() {
        let name = piece.trim_start_matches('[').trim_end_matches(']').rsplit("::").next().unwrap_or(piece);
        out += &match (at % 2, names.get(name)) {
            (0, _) => piece.into(),
            (_, Some(name)) if piece.starts_with('[') && name.starts_with(char::is_uppercase) => {
                format!("{{@link {name}}}")
            }
            (_, Some(name)) => format!("`{name}`"),
            (_, None) if piece.starts_with('[') => format!("`{name}`"),
            (_, None) => format!("`{piece}`"),
        };
    }
    out
}

/// Returns a comment that is wrapped at 120 columns, with its line breaks.
pub fn comment(paragraphs: &[String], indent: usize) -> String {
    let pad = " ".repeat(indent);
    match paragraphs {
        [] => return String::new(),
        [one] if indent + one.chars().count() + "/**  */".len() <= WIDTH => return format!("{pad}/** {one} */\n"),
        _ => {}
    }
    let mut out = format!("{pad}/**\n");
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let is_row = paragraph.starts_with("- ");
        out += &if at > 0 && !is_row { format!("{pad} *\n") } else { String::new() };
        let mut line = format!("{pad} *");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                out += &format!("{line}\n");
                line = format!("{pad} *{}", if is_row { "  " } else { "" });
            }
            line.extend([" ", word]);
        }
        out += &format!("{line}\n");
    }
    out + &format!("{pad} */\n")
}
