//! Writes declarations as TypeScript, formatted as the formatter would.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, ExprLit, Field, Fields, GenericArgument, Lit, PathArguments, Type, Variant};

use crate::Result;
use crate::attributes::{Attributes, renamed};
use crate::docs::{Names, comment, paragraphs, take_values};
use crate::source::{Place, Published, Shape, Sources};

const WIDTH: usize = 120;

/// Types that have a rule in [`Writer::kind`].
const BUILT_IN: [&str; 14] =
    ["String", "str", "bool", "Vec", "Box", "Rc", "Cow", "Option", "usize", "u64", "u32", "i64", "f64", "BTreeMap"];

/// Returns name and text of each file.
pub fn files(sources: &Sources) -> Result<Vec<(String, String)>> {
    let names: Names = sources.published.iter().map(|one| (one.rust.clone(), one.name.clone())).collect();
    let file = |(section, (name, about)): (usize, &(String, String))| {
        let mut writer = Writer { sources, names: &names, section, used: BTreeSet::new() };
        let mut body = String::new();
        for one in sources.published.iter().filter(|one| one.section == section) {
            let text = writer.published(one).map_err(|why| format!("{} in {}: {why}", one.rust, one.file))?;
            body += &format!("\n{text}");
        }
        let mut imports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        // A field that is left out may have been the only one of its type.
        let is_used = |name: &str| body.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name);
        for (section, name) in writer.used.iter().filter(|(_, name)| is_used(name)) {
            imports.entry(&sources.sections[*section].0).or_default().push(name);
        }
        let mut text = format!("/** {about} Written by `npm run types`: do not edit. */\n");
        text += if imports.is_empty() { "" } else { "\n" };
        for (file, names) in imports {
            text += &format!("import type {{ {} }} from \"./{file}.ts\";\n", names.join(", "));
        }
        Ok((name.clone(), text + &body))
    };
    sources.sections.iter().enumerate().map(file).collect()
}

struct Writer<'a> {
    sources: &'a Sources,
    /// The published types.
    names: &'a Names,
    section: usize,
    /// Types of other sections.
    used: BTreeSet<(usize, &'a str)>,
}

/// A field or a member of a union: its docs, its name with a `?` if it can be absent, and its type.
struct Row {
    docs: Vec<String>,
    name: String,
    kind: String,
}

impl<'a> Writer<'a> {
    fn published(&mut self, one: &'a Published) -> Result<String> {
        let place = self.sources.find(&one.file, None, &one.rust)?;
        let docs = comment(&self.docs(place)?, 0);
        let is_in = |row: &Row| !one.without.iter().any(|name| row.name.trim_end_matches('?') == name);
        Ok(match &place.declaration.shape {
            Shape::Struct(fields) => {
                let rule = rule(place)?;
                let (mut bases, mut own) = (String::new(), Vec::new());
                for field in fields {
                    if let Some(base) = self.base(place.file, field)? {
                        bases += &format!("{} {}", if bases.is_empty() { " extends" } else { "," }, self.name(base));
                    } else if !one.without.contains(&renamed(&ident(field), rule.as_deref())?) {
                        own.push(field);
                    }
                }
                let mut rows = self.rows(place.file, &own, rule.as_deref(), 2)?;
                rows.retain(is_in);
                format!("{docs}export interface {}{bases} {{\n{}}}\n", one.name, lines(&rows, 2))
            }
            Shape::Enum(variants) => {
                let mut rows = self.members(place, variants, 4)?;
                rows.retain(is_in);
                format!("{docs}export type {} ={};\n", one.name, union(&rows, 2, one.name.len() + 15))
            }
            Shape::Alias(kind) => format!("{docs}export type {} = {};\n", one.name, self.kind(place.file, kind, 0, 0)?),
        })
    }

    /// Returns the published type that an interface extends, because serde flattens it into its fields.
    fn base(&self, file: &str, field: &Field) -> Result<Option<&'a Published>> {
        if !Attributes::of(&field.attrs)?.is_flat {
            return Ok(None);
        }
        let place = self.place(file, &field.ty)?;
        Ok(place.and_then(|place| self.sources.published(place)).filter(|base| base.without.is_empty()))
    }

    /// Returns the variants of a union. The name of a row is the text that serde writes.
    fn members(&mut self, place: Place<'a>, variants: &[Variant], indent: usize) -> Result<Vec<Row>> {
        let outer = serialized(place)?;
        let mut members = Vec::new();
        for variant in variants {
            let own = Attributes::of(&variant.attrs)?;
            let name = match own.rename {
                _ if own.is_skipped => continue,
                Some(name) => name,
                None => renamed(&variant.ident.to_string(), outer.rename_all.as_deref())?,
            };
            let rule = own.rename_all.as_deref().or(outer.rename_all_fields.as_deref());
            let names = self.names(&variant.fields, rule)?;
            let mut rows = match &variant.fields {
                Fields::Unnamed(_) => return Err(format!("variant {name} has no named fields").into()),
                fields => self.rows(place.file, &list(fields), rule, indent + 2)?,
            };
            let kind = match &outer.tag {
                Some(tag) => {
                    rows.insert(0, Row { docs: Vec::new(), name: tag.clone(), kind: format!("{name:?}") });
                    object(&rows, indent, indent + 2)
                }
                None if outer.is_untagged => object(&rows, indent, indent + 2),
                None if rows.is_empty() => format!("{name:?}"),
                None => return Err(format!("variant {name} has fields and no tag").into()),
            };
            members.push(Row { docs: paragraphs(&variant.attrs, &names), name, kind });
        }
        Ok(members)
    }

    fn rows(&mut self, file: &str, fields: &[&Field], rule: Option<&str>, indent: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for &field in fields {
            let attributes = Attributes::of(&field.attrs)?;
            if attributes.is_skipped {
                continue;
            }
            if field.ident.is_none() {
                return Err("a field without a name".into());
            }
            if attributes.is_flat {
                rows.extend(self.flattened(file, &field.ty, indent)?);
                continue;
            }
            let mut names = self.names(fields.iter().copied(), rule)?;
            names.insert("None".into(), if attributes.is_omitted { "undefined" } else { "null" }.into());
            let mut docs = paragraphs(&field.attrs, &names);
            let values = take_values(&mut docs);
            let (outer, inner) = arguments(&field.ty);
            let kind = if attributes.is_omitted && outer == "Option" { inner[0] } else { &field.ty };
            self.complete(file, kind, &mut docs)?;
            let name = attributes.rename.map_or_else(|| renamed(&ident(field), rule), Ok)?;
            let used = indent + name.len() + 4;
            let kind = self.kind(file, kind, indent, used)?;
            let kind = match values.map(|values| values.iter().map(|value| self.value(value)).collect::<Vec<_>>()) {
                None => kind,
                Some(values) if kind == "string" => union(&values, indent + 2, used).trim_start_matches(' ').into(),
                Some(values) if kind == "string[]" => {
                    format!("({})[]", union(&values, indent + 2, used + 4).trim_start())
                }
                Some(_) => return Err(format!("{name} has values and is no text").into()),
            };
            let mark = if attributes.is_omitted || attributes.has_default { "?" } else { "" };
            rows.push(Row { docs, name: name + mark, kind });
        }
        Ok(rows)
    }

    /// Returns a value of a text. The name of a published type is that type.
    fn value(&mut self, value: &str) -> Row {
        let sources = self.sources;
        let published = sources.published.iter().find(|one| one.name == value);
        let kind = published.map_or_else(|| format!("{value:?}"), |one| self.name(one).into());
        Row { docs: Vec::new(), name: String::new(), kind }
    }

    fn flattened(&mut self, file: &str, kind: &Type, indent: usize) -> Result<Vec<Row>> {
        let place = self.place(file, kind)?.ok_or("what is flattened is no type of ours")?;
        match &place.declaration.shape {
            Shape::Struct(fields) => self.rows(place.file, &list(fields), rule(place)?.as_deref(), indent),
            _ => Err(format!("{} is flattened and no struct", place.name).into()),
        }
    }

    /// Adds the docs of a type that is written in place: its own if the field has none, and those of its variants.
    fn complete(&mut self, file: &str, kind: &Type, docs: &mut Vec<String>) -> Result<()> {
        let Some(place) = self.place(file, innermost(kind))? else { return Ok(()) };
        if self.sources.published(place).is_some() {
            return Ok(());
        }
        if docs.is_empty() {
            *docs = self.docs(place)?;
        }
        if let Shape::Enum(variants) = &place.declaration.shape {
            let rows = self.members(place, variants, 0)?.into_iter().filter(|row| !row.docs.is_empty());
            docs.extend(rows.map(|row| format!("- `{}`: {}", row.name, row.docs.join(" "))));
        }
        Ok(())
    }

    /// Returns the docs of a type.
    fn docs(&self, place: Place) -> Result<Vec<String>> {
        let rule = Attributes::of(&place.declaration.attributes)?.rename_all;
        let mut names = self.names.clone();
        match &place.declaration.shape {
            Shape::Struct(fields) => names = self.names(fields, rule.as_deref())?,
            Shape::Enum(variants) => {
                for name in variants.iter().map(|variant| variant.ident.to_string()) {
                    let renamed = renamed(&name, rule.as_deref())?;
                    names.insert(name, renamed);
                }
            }
            Shape::Alias(_) => {}
        }
        Ok(paragraphs(&place.declaration.attributes, &names))
    }

    /// Returns the place of a type of ours.
    fn place(&self, file: &str, kind: &Type) -> Result<Option<Place<'a>>> {
        let Type::Path(path) = kind else { return Ok(None) };
        let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match segments.as_slice() {
            [.., name] if BUILT_IN.contains(&name.as_str()) => Ok(None),
            [.., module, name] => self.sources.find(file, Some(module), name).map(Some),
            [name] => self.sources.find(file, None, name).map(Some),
            [] => Ok(None),
        }
    }

    fn kind(&mut self, file: &str, kind: &Type, indent: usize, used: usize) -> Result<String> {
        let list = |kind: String| {
            if kind.contains(" | ") && !kind.starts_with('{') { format!("({kind})[]") } else { format!("{kind}[]") }
        };
        match kind {
            Type::Reference(kind) => return self.kind(file, &kind.elem, indent, used),
            Type::Slice(kind) => return self.kind(file, &kind.elem, indent, used).map(list),
            Type::Tuple(kinds) => {
                let kinds: Result<Vec<_>> =
                    kinds.elems.iter().map(|kind| self.kind(file, kind, indent, used)).collect();
                return Ok(format!("[{}]", kinds?.join(", ")));
            }
            Type::Array(array) => {
                let Expr::Lit(ExprLit { lit: Lit::Int(count), .. }) = &array.len else {
                    return Err("an array without a number".into());
                };
                let kind = self.kind(file, &array.elem, indent, used)?;
                return Ok(format!("[{}]", vec![kind; count.base10_parse()?].join(", ")));
            }
            _ => {}
        }
        if let Some(place) = self.place(file, kind)? {
            return self.named(place, indent, used);
        }
        let (name, inner) = arguments(kind);
        Ok(match (name.as_str(), inner.as_slice()) {
            ("String" | "str", _) => "string".into(),
            ("bool", _) => "boolean".into(),
            ("Vec", [one]) => list(self.kind(file, one, indent, used)?),
            ("Option", [one]) => format!("{} | null", self.kind(file, one, indent, used)?),
            ("BTreeMap", [_, one]) => format!("Record<string, {}>", self.kind(file, one, indent, used)?),
            (_, [.., one]) => self.kind(file, one, indent, used)?,
            _ => "number".into(),
        })
    }

    /// Returns the name of a published type; others are written in place.
    fn named(&mut self, place: Place<'a>, indent: usize, used: usize) -> Result<String> {
        if let Some(one) = self.sources.published(place) {
            return Ok(self.name(one).into());
        }
        match &place.declaration.shape {
            Shape::Struct(fields) => {
                let rows = self.rows(place.file, &list(fields), rule(place)?.as_deref(), indent + 2)?;
                Ok(object(&rows, indent, used))
            }
            Shape::Enum(variants) => {
                let mut rows = self.members(place, variants, indent + 2)?;
                rows.iter_mut().for_each(|row| row.docs.clear());
                Ok(union(&rows, indent + 2, used).trim_start_matches(' ').into())
            }
            Shape::Alias(kind) => self.kind(place.file, kind, indent, used),
        }
    }

    fn name(&mut self, one: &'a Published) -> &'a str {
        if one.section != self.section {
            self.used.insert((one.section, &one.name));
        }
        &one.name
    }

    /// Returns the names in the docs of fields that differ in TypeScript.
    fn names<'b>(&self, fields: impl IntoIterator<Item = &'b Field>, rule: Option<&str>) -> Result<Names> {
        let mut names = self.names.clone();
        for name in fields.into_iter().map(ident) {
            names.insert(name.clone(), renamed(&name, rule)?);
        }
        Ok(names)
    }
}

/// Returns the attributes of a type whose form serde derives.
fn serialized(place: Place) -> Result<Attributes> {
    let attributes = Attributes::of(&place.declaration.attributes)?;
    if attributes.is_derived { Ok(attributes) } else { Err(format!("{} does not derive Serialize", place.name).into()) }
}

fn rule(place: Place) -> Result<Option<String>> {
    Ok(serialized(place)?.rename_all)
}

/// Returns the name of a type, and the types in it.
fn arguments(kind: &Type) -> (String, Vec<&Type>) {
    let Type::Path(path) = kind else { return Default::default() };
    let Some(last) = path.path.segments.last() else { return Default::default() };
    let mut inner = Vec::new();
    if let PathArguments::AngleBracketed(arguments) = &last.arguments {
        for argument in &arguments.args {
            if let GenericArgument::Type(kind) = argument {
                inner.push(kind);
            }
        }
    }
    (last.ident.to_string(), inner)
}

/// Returns the type of an item of a list, and of what is in an option or a box.
fn innermost(kind: &Type) -> &Type {
    match kind {
        Type::Slice(kind) => innermost(&kind.elem),
        kind => arguments(kind).1.last().map_or(kind, |last| innermost(last)),
    }
}

fn list(fields: &Fields) -> Vec<&Field> {
    fields.iter().collect()
}

fn ident(field: &Field) -> String {
    field.ident.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Returns a union with the space before it: in one line if it fits and has no docs.
fn union(rows: &[Row], indent: usize, used: usize) -> String {
    let line = rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>().join(" | ");
    if rows.iter().all(|row| row.docs.is_empty()) && !line.contains('\n') && used + line.len() <= WIDTH {
        return format!(" {line}");
    }
    let pad = " ".repeat(indent);
    rows.iter().map(|row| format!("\n{}{pad}| {}", comment(&row.docs, indent), row.kind)).collect()
}

/// Returns an object: in one line if it fits and has no docs.
fn object(rows: &[Row], indent: usize, used: usize) -> String {
    let fields: Vec<_> = rows.iter().map(|row| format!("{}: {}", row.name, row.kind)).collect();
    let line = format!("{{ {} }}", fields.join("; "));
    if rows.iter().all(|row| row.docs.is_empty()) && !line.contains('\n') && used + line.len() < WIDTH {
        return line;
    }
    format!("{{\n{}{}}}", lines(rows, indent + 2), " ".repeat(indent))
}

fn lines(rows: &[Row], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let line = |Row { docs, name, kind }: &Row| {
        format!("{}{pad}{name}:{}{kind};\n", comment(docs, indent), if kind.starts_with('\n') { "" } else { " " })
    };
    rows.iter().map(line).collect()
}
