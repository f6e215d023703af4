//! The attributes that decide what serde writes. Unknown ones are errors: they could change the result.

use syn::{Attribute, LitStr};

use crate::Result;

/// The attributes of a type, a variant or a field.
#[derive(Default)]
pub struct Attributes {
    pub is_derived: bool,
    pub rename: Option<String>,
    pub rename_all: Option<String>,
    pub rename_all_fields: Option<String>,
    pub tag: Option<String>,
    pub is_untagged: bool,
    pub is_flat: bool,
    pub is_skipped: bool,
    /// It can be absent from what is written.
    pub is_omitted: bool,
    /// It can be absent from what is read.
    pub has_default: bool,
}

impl Attributes {
    pub fn of(attributes: &[Attribute]) -> Result<Attributes> {
        let mut found = Attributes::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("serde") || one.path().is_ident("derive")) {
            let is_serde = attribute.path().is_ident("serde");
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                let text = || meta.value()?.parse::<LitStr>().map(|text| text.value());
                match name.as_str() {
                    _ if !is_serde => found.is_derived |= name == "Serialize",
                    "rename" => found.rename = Some(text()?),
                    "rename_all" => found.rename_all = Some(text()?),
                    "rename_all_fields" => found.rename_all_fields = Some(text()?),
                    "tag" => found.tag = Some(text()?),
                    "untagged" => found.is_untagged = true,
                    "flatten" => found.is_flat = true,
                    "skip" => found.is_skipped = true,
                    "skip_serializing_if" => found.is_omitted = !text()?.is_empty(),
                    "default" if meta.input.peek(syn::Token![=]) => found.has_default = !text()?.is_empty(),
                    "default" => found.has_default = true,
                    "deserialize_with" => drop(text()?),
                    "deny_unknown_fields" => {}
                    _ => return Err(meta.error("types/src/attributes.rs has no rule for it")),
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}

/// Returns a name as serde renames it: `snake_case` of a field, `PascalCase` of a variant.
pub fn renamed(name: &str, rule: Option<&str>) -> Result<String> {
    let mut words: Vec<String> = Vec::new();
    let is_variant = name.starts_with(char::is_uppercase);
    for (at, letter) in name.trim_start_matches("r#").char_indices() {
        match words.last_mut() {
            _ if letter == '_' => words.push(String::new()),
            Some(word) if at > 0 && !(is_variant && letter.is_uppercase()) => word.push(letter),
            _ => words.push(letter.to_lowercase().collect()),
        }
    }
    let upper = |word: &String| word[..1].to_uppercase() + &word[1..];
    Ok(match rule {
        None => name.into(),
        Some("camelCase") => words[0].clone() + &words[1..].iter().map(upper).collect::<String>(),
        Some("snake_case") => words.join("_"),
        Some("kebab-case") => words.join("-"),
        Some("lowercase") => words.concat(),
        Some(rule) => return Err(format!("types/src/attributes.rs has no rule for {rule:?}").into()),
    })
}
