//! The attributes that decide what serde writes. Unknown ones are errors: they could change the result.

use syn::{Attribute, LitStr};

/// The attributes of a type, a variant or a field.
#[derive(Default)]
pub struct Attributes {
    pub rename: Option<String>,
    pub rename_all: Option<String>,
    pub rename_all_fields: Option<String>,
    pub tag: Option<String>,
    pub is_untagged: bool,
    pub is_flat: bool,
    pub is_skipped: bool,
    /// It can be absent from what is written.
    pub is_optional: bool,
    /// It can be absent from what is read.
    pub has_default: bool,
}

impl Attributes {
    pub fn of(attributes: &[Attribute]) -> syn::Result<Attributes> {
        let mut found = Attributes::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let text = || meta.value()?.parse::<LitStr>().map(|text| text.value());
                match name.as_str() {
                    "rename" => found.rename = Some(text()?),
                    "rename_all" => found.rename_all = Some(text()?),
                    "rename_all_fields" => found.rename_all_fields = Some(text()?),
                    "tag" => found.tag = Some(text()?),
                    "untagged" => found.is_untagged = true,
                    "flatten" => found.is_flat = true,
                    "skip" | "skip_serializing" => found.is_skipped = true,
                    "skip_serializing_if" => found.is_optional = !text()?.is_empty(),
                    "default" => found.has_default = true,
                    // What is read, not what is written.
                    "deserialize_with" => drop(text()?),
                    "deny_unknown_fields" => {}
                    _ => return Err(meta.error("this attribute of serde has no rule in types/src/serde.rs")),
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}

/// Returns a name as serde renames it: `field` is in `snake_case`, a variant in `PascalCase`.
pub fn renamed(name: &str, rule: Option<&str>, is_field: bool) -> Result<String, String> {
    let name = name.trim_start_matches("r#");
    let mut words: Vec<String> = Vec::new();
    for (at, letter) in name.char_indices() {
        match letter {
            '_' => words.push(String::new()),
            _ if at == 0 || (!is_field && letter.is_uppercase()) => words.push(letter.to_lowercase().collect()),
            _ => words.last_mut().expect("it has a first letter").push(letter),
        }
    }
    let upper = |word: &String| word[..1].to_uppercase() + &word[1..];
    Ok(match rule {
        None => name.into(),
        Some("camelCase") => words[0].clone() + &words[1..].iter().map(upper).collect::<String>(),
        Some("snake_case") => words.join("_"),
        Some("kebab-case") => words.join("-"),
        Some("lowercase") => words.concat(),
        Some(rule) => return Err(format!("{name}: rename_all = {rule:?} has no rule in types/src/serde.rs")),
    })
}
