//! Every field of every profile has an origin and a description, and is in docs/profiles.md with its value.

use std::collections::BTreeSet;

use espalier::compact::profile::{ALL, ESPALIER, Profile, explain};
use serde_json::{Map, Value};

const ORIGINS: &str = include_str!("../../../src/compact/profile/origins.json");
const PAGE: &str = include_str!("../../../docs/profiles.md");

fn origins() -> Value {
    serde_json::from_str(ORIGINS).unwrap()
}

fn is_share(value: &Value) -> bool {
    value.get("share").is_some() && value.get("maxTokens").is_some()
}

/// Collects the fields with a single value, with their paths; a share is one.
fn leaves(value: &Value, path: &str, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !is_share(value) => fields.iter().for_each(|(name, inner)| {
            leaves(inner, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, out);
        }),
        _ => out.push((path.into(), value.clone())),
    }
}

fn fields(profile: &Profile) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    leaves(&serde_json::to_value(profile).unwrap(), "", &mut out);
    out.retain(|(field, _)| field != "name");
    out
}

/// Returns the row for a field: the one with its longest path.
fn row<'r>(rows: &'r Map<String, Value>, field: &str) -> Option<&'r str> {
    let paths = field.match_indices('.').map(|(at, _)| &field[..at]).chain([field]);
    paths.filter_map(|path| rows.get_key_value(path)).next_back().map(|(path, _)| path.as_str())
}

#[test]
fn every_field_has_an_origin_and_says_what_it_is() {
    let tables = origins();
    let named: Vec<String> = fields(&ESPALIER).into_iter().map(|(field, _)| field).collect();
    let told: Vec<&String> = tables["fields"].as_object().unwrap().keys().collect();
    assert_eq!(named.iter().collect::<Vec<_>>(), told);
    let mut sources = BTreeSet::new();
    for profile in ALL {
        let rows = tables[&*profile.name].as_object().unwrap();
        let wanted: Vec<String> = match &*profile.name {
            "espalier" => named.clone(),
            _ => explain(&ESPALIER, profile).into_iter().map(|difference| difference.field).collect(),
        };
        let used: BTreeSet<&str> = wanted
            .iter()
            .map(|field| row(rows, field).unwrap_or_else(|| panic!("{}: {field} has no origin", profile.name)))
            .collect();
        for (path, found) in rows {
            // A part of a share may have its own origin.
            let is_part = named.iter().any(|field| path.starts_with(&format!("{field}.")));
            assert!(used.contains(path.as_str()) || is_part, "{}: nothing needs the row {path}", profile.name);
            let source = found[0].as_str().unwrap();
            assert!(tables["origins"][source].is_string(), "{path}: {source}");
            sources.insert(source.to_string());
        }
    }
    let known: BTreeSet<String> = tables["origins"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(sources, known);
}

/// Collects the numbers of a value, and of a cell of the page.
fn numbers(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Number(number) => out.push(number.as_f64().unwrap()),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, out)),
        Value::Object(parts) => parts.values().for_each(|part| numbers(part, out)),
        _ => {}
    }
}

fn numbers_in(cell: &str) -> Vec<f64> {
    let cell = cell.replace(", ", " ").replace(',', "");
    cell.split(' ').filter_map(|word| word.parse().ok()).collect()
}

/// A script writes the tables; this test reads them.
#[test]
fn the_page_has_every_number() {
    for profile in ALL {
        let (_, rest) = PAGE.split_once(&format!("<!-- fields {} -->", profile.name)).unwrap();
        let table = rest.split("<!-- end -->").next().unwrap();
        let usual = fields(&ESPALIER);
        let differs = |(field, value): &(String, Value)| !usual.contains(&(field.clone(), value.clone()));
        let wanted: Vec<_> =
            fields(profile).into_iter().filter(|one| profile.name == "espalier" || differs(one)).collect();
        let rows: Vec<Vec<&str>> =
            table.lines().filter(|line| line.starts_with("| `")).map(|line| line.split(" | ").collect()).collect();
        assert_eq!(rows.len(), wanted.len(), "{}", profile.name);
        for ((field, value), row) in wanted.iter().zip(rows) {
            assert_eq!(row[0], format!("| `{field}`"));
            let cell = row[if profile.name == "espalier" { 2 } else { 1 }];
            let (mut found, mut told) = (Vec::new(), numbers_in(cell));
            numbers(value, &mut found);
            if is_share(value) {
                // Bounds without effect are not shown.
                for list in [&mut found, &mut told] {
                    list.retain(|number| *number != 0.0);
                }
            }
            assert_eq!(told, found, "{}: {field} is {cell}", profile.name);
            if let Some(word) = value.as_str() {
                assert_eq!(cell, format!("`{word}`"), "{field}");
            }
        }
    }
}
