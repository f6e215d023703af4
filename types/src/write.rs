//! Writes declarations as TypeScript.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use syn::{Expr, Field, Fields, GenericArgument, Lit, PathArguments, Type, Variant};

use crate::docs::{comment, paragraphs, take_values};
use crate::serde::{Attributes, renamed};
use crate::source::{Declaration, Published, Shape, Sources};

type Result<T> = std::result::Result<T, String>;

const WIDTH: usize = 120;

/// Returns name and text of each file.
pub fn files(sources: &Sources) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for (at, section) in sources.sections.iter().enumerate() {
        let mut writer = Writer { sources, section: at, used: BTreeSet::new() };
        let mut body = String::new();
        for one in sources.published.iter().filter(|one| one.section == at) {
            body.push('\n');
            writer.published(one, &mut body).map_err(|why| format!("{} in {}: {why}", one.rust, one.file))?;
        }
        let mut text = format!("/** {} Written by `npm run types`: do not edit. */\n", section.about);
        let mut imports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        // A field that is left out may have been the only one of its type.
        let is_used = |name: &str| body.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name);
        for (section, name) in writer.used.iter().filter(|(_, name)| is_used(name)) {
            imports.entry(&sources.sections[*section].name).or_default().push(name);
        }
        for (at, (file, names)) in imports.iter().enumerate() {
            let blank = if at == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{blank}import type {{ {} }} from \"./{file}.ts\";", names.join(", "));
        }
        files.push((section.name.clone(), text + &body));
    }
    Ok(files)
}

struct Writer<'a> {
    sources: &'a Sources,
    section: usize,
    /// Types of other sections.
    used: BTreeSet<(usize, &'a str)>,
}

/// A field as TypeScript has it.
struct Row {
    docs: Vec<String>,
    name: String,
    is_optional: bool,
    kind: String,
}

impl<'a> Writer<'a> {
    fn published(&mut self, one: &'a Published, out: &mut String) -> Result<()> {
        let declaration = self.sources.get(&one.file, &one.rust)?;
        let mut docs = self.type_docs(declaration)?;
        let kind = match &declaration.shape {
            Shape::Struct(fields) => {
                let attributes = serialized(declaration)?;
                let (mut bases, mut own) = (String::new(), Vec::new());
                for field in fields {
                    let Some(base) = self.base(&one.file, field)? else {
                        own.push(field);
                        continue;
                    };
                    let base = self.named(&base.file, &base.rust, 0, 0)?;
                    bases += &format!("{}{base}", if bases.is_empty() { " extends " } else { ", " });
                }
                let rows = self.rows(&one.file, &own, attributes.rename_all.as_deref(), 2)?;
                if let Some(wrong) = one.without.iter().find(|name| !rows.iter().any(|row| row.name == **name)) {
                    return Err(format!("it has no field {wrong} to leave out"));
                }
                comment(&docs, 0, out);
                let _ = writeln!(out, "export interface {}{bases} {{", one.name);
                let rows = rows.into_iter().filter(|row| !one.without.contains(&row.name));
                write_rows(&rows.collect::<Vec<_>>(), 2, out);
                out.push_str("}\n");
                return Ok(());
            }
            Shape::Enum(variants) if one.is_split => self.split(one, declaration, variants, out)?,
            Shape::Enum(variants) => {
                let mut members = self.members(&one.file, declaration, variants, 4)?;
                members.retain(|(_, kind)| !one.without.iter().any(|name| *kind == format!("{name:?}")));
                union(members, 2, 40)
            }
            Shape::Alias(kind) => match take_values(&mut docs) {
                Some(values) => union(self.values(values), 2, 40),
                None => self.kind(&one.file, kind, 2, 40)?,
            },
        };
        comment(&docs, 0, out);
        let kind = kind.trim_end();
        let space = if kind.starts_with('\n') { "" } else { " " };
        let _ = writeln!(out, "export type {} ={space}{kind};", one.name);
        Ok(())
    }

    /// Writes each variant under a name of its own, and returns the union of the names.
    fn split(
        &mut self,
        one: &'a Published,
        declaration: &Declaration,
        variants: &[Variant],
        out: &mut String,
    ) -> Result<String> {
        let mut names = Vec::new();
        for variant in variants {
            let name = format!("{}{}", variant.ident, one.name);
            let (docs, kind) = self.variant(&one.file, declaration, variant, 0)?;
            comment(&docs, 0, out);
            let _ = writeln!(out, "export type {name} = {kind};\n");
            names.push((Vec::new(), name));
        }
        Ok(union(names, 2, "export type  = ;".len() + one.name.len()))
    }

    /// Returns docs and type of each variant.
    fn members(
        &mut self,
        file: &str,
        declaration: &Declaration,
        variants: &[Variant],
        indent: usize,
    ) -> Result<Vec<(Vec<String>, String)>> {
        let mut members = Vec::new();
        for variant in variants {
            if !Attributes::of(&variant.attrs).map_err(|why| why.to_string())?.is_skipped {
                members.push(self.variant(file, declaration, variant, indent)?);
            }
        }
        Ok(members)
    }

    /// Returns docs and type of a variant.
    fn variant(
        &mut self,
        file: &str,
        declaration: &Declaration,
        variant: &Variant,
        indent: usize,
    ) -> Result<(Vec<String>, String)> {
        let outer = serialized(declaration)?;
        let own = Attributes::of(&variant.attrs).map_err(|why| why.to_string())?;
        let name = match own.rename {
            Some(name) => name,
            None => renamed(&variant.ident.to_string(), outer.rename_all.as_deref(), false)?,
        };
        let rule = own.rename_all.as_deref().or(outer.rename_all_fields.as_deref());
        let docs = paragraphs(&variant.attrs, &self.names(&list(&variant.fields), rule)?);
        if matches!(variant.fields, Fields::Unit) && outer.tag.is_none() && !outer.is_untagged {
            return Ok((docs, format!("{name:?}")));
        }
        if matches!(variant.fields, Fields::Unnamed(_)) {
            return Err(format!("variant {name} has no named fields"));
        }
        let mut rows = self.rows(file, &list(&variant.fields), rule, indent + 2)?;
        match outer.tag {
            Some(tag) => {
                let tag = Row { docs: Vec::new(), name: tag, is_optional: false, kind: format!("{name:?}") };
                rows.insert(0, tag);
            }
            None if outer.is_untagged => {}
            None => return Err(format!("variant {name} has fields and no tag")),
        }
        Ok((docs, object(&rows, indent, indent + 2)))
    }

    fn rows(&mut self, file: &str, fields: &[&Field], rule: Option<&str>, indent: usize) -> Result<Vec<Row>> {
        let mut names = self.names(fields, rule)?;
        let mut rows = Vec::new();
        for &field in fields {
            let attributes = Attributes::of(&field.attrs).map_err(|why| why.to_string())?;
            if attributes.is_skipped {
                continue;
            }
            if attributes.is_flat {
                rows.extend(self.flattened(file, &field.ty, indent)?);
                continue;
            }
            let name = match attributes.rename {
                Some(name) => name,
                None => renamed(&ident(field)?, rule, true)?,
            };
            let is_optional = attributes.is_optional || attributes.has_default;
            names.insert("None".into(), if is_optional { "undefined" } else { "null" }.into());
            let mut docs = paragraphs(&field.attrs, &names);
            let values = take_values(&mut docs).map(|values| self.values(values));
            let kind = match (option(&field.ty), attributes.is_optional) {
                (Some(inner), true) => inner,
                _ => &field.ty,
            };
            self.complete(file, kind, &mut docs)?;
            let used = indent + name.len() + 4;
            let kind = match values {
                Some(values) => {
                    let base = self.kind(file, kind, indent, used)?;
                    match base.as_str() {
                        "string" => union(values, indent + 2, used),
                        "string[]" => format!("({})[]", union(values, indent + 2, used + 4)),
                        _ => return Err(format!("{name} has values and is no text")),
                    }
                }
                None => self.kind(file, kind, indent, used)?,
            };
            rows.push(Row { docs, name, is_optional, kind });
        }
        Ok(rows)
    }

    /// Returns the published type that an interface extends, because serde flattens it into its fields.
    fn base(&self, file: &str, field: &Field) -> Result<Option<&'a Published>> {
        if !Attributes::of(&field.attrs).map_err(|why| why.to_string())?.is_flat {
            return Ok(None);
        }
        let found = self.resolved(file, &field.ty)?;
        Ok(found.and_then(|(file, rust)| self.sources.published(file, &rust)).filter(|base| base.without.is_empty()))
    }

    /// Returns the members of a union of texts. The name of a published type is that type.
    fn values(&mut self, values: Vec<String>) -> Vec<(Vec<String>, String)> {
        let sources = self.sources;
        let mut member = |value: String| match sources.published.iter().find(|one| one.name == value) {
            Some(one) => self.name(one),
            None => format!("{value:?}"),
        };
        values.into_iter().map(|value| (Vec::new(), member(value))).collect()
    }

    fn flattened(&mut self, file: &str, kind: &Type, indent: usize) -> Result<Vec<Row>> {
        let (file, rust) = self.resolved(file, kind)?.ok_or("what is flattened is no type of ours")?;
        let declaration = self.sources.get(file, &rust)?;
        let rule = serialized(declaration)?.rename_all;
        match &declaration.shape {
            Shape::Struct(fields) => self.rows(file, &list(fields), rule.as_deref(), indent),
            _ => Err(format!("{rust} is flattened and no struct")),
        }
    }

    /// Adds the docs of a type that is written in place: its own if the field has none, and those of its variants.
    fn complete(&mut self, file: &str, kind: &Type, docs: &mut Vec<String>) -> Result<()> {
        let Some((file, rust)) = self.resolved(file, inner(kind))? else { return Ok(()) };
        if self.sources.published(file, &rust).is_some() {
            return Ok(());
        }
        let declaration = self.sources.get(file, &rust)?;
        if docs.is_empty() {
            *docs = self.type_docs(declaration)?;
        }
        if let Shape::Enum(variants) = &declaration.shape {
            for (about, kind) in self.members(file, declaration, variants, 0)? {
                docs.extend(
                    (!about.is_empty()).then(|| format!("\n- `{}`: {}", kind.trim_matches('"'), about.join(" "))),
                );
            }
        }
        Ok(())
    }

    fn type_docs(&self, declaration: &Declaration) -> Result<Vec<String>> {
        let mut names = self.names(&[], None)?;
        let rule = Attributes::of(&declaration.attributes).map_err(|why| why.to_string())?.rename_all;
        match &declaration.shape {
            Shape::Struct(fields) => names.extend(self.names(&list(fields), rule.as_deref())?),
            Shape::Enum(variants) => {
                for variant in variants {
                    let name = variant.ident.to_string();
                    names.insert(name.clone(), renamed(&name, rule.as_deref(), false)?);
                }
            }
            Shape::Alias(_) => {}
        }
        Ok(paragraphs(&declaration.attributes, &names))
    }

    /// Returns file and name of a type of ours.
    fn resolved(&self, file: &str, kind: &Type) -> Result<Option<(&'a str, String)>> {
        let Type::Path(path) = kind else { return Ok(None) };
        let segments = &path.path.segments;
        let last = segments.last().ok_or("a type without a name")?;
        let name = last.ident.to_string();
        if BUILT_IN.contains(&name.as_str()) {
            return Ok(None);
        }
        let module = segments.len().checked_sub(2).map(|at| segments[at].ident.to_string());
        self.sources.find(file, module.as_deref(), &name).map(Some)
    }

    fn kind(&mut self, file: &str, kind: &Type, indent: usize, used: usize) -> Result<String> {
        let list = |kind: String| {
            if kind.contains(" | ") && !kind.starts_with('{') { format!("({kind})[]") } else { format!("{kind}[]") }
        };
        match kind {
            Type::Reference(kind) => return self.kind(file, &kind.elem, indent, used),
            Type::Slice(kind) => return self.kind(file, &kind.elem, indent, used).map(list),
            Type::Tuple(kinds) => {
                let kinds: Result<Vec<String>> =
                    kinds.elems.iter().map(|kind| self.kind(file, kind, indent, used)).collect();
                return Ok(format!("[{}]", kinds?.join(", ")));
            }
            Type::Array(array) => {
                let Expr::Lit(syn::ExprLit { lit: Lit::Int(count), .. }) = &array.len else {
                    return Err("an array without a number".into());
                };
                let count = count.base10_parse::<usize>().map_err(|why| why.to_string())?;
                let kind = self.kind(file, &array.elem, indent, used)?;
                return Ok(format!("[{}]", vec![kind; count].join(", ")));
            }
            _ => {}
        }
        if let Some((file, rust)) = self.resolved(file, kind)? {
            return self.named(file, &rust, indent, used);
        }
        let Type::Path(path) = kind else { return Err("a type that has no rule in types/src/write.rs".into()) };
        let last = path.path.segments.last().ok_or("a type without a name")?;
        let arguments: Vec<&Type> = types(&last.arguments);
        let name = last.ident.to_string();
        Ok(match (name.as_str(), arguments.as_slice()) {
            ("String" | "str" | "char", _) => "string".into(),
            ("bool", _) => "boolean".into(),
            ("Vec", [one]) => self.kind(file, one, indent, used).map(list)?,
            ("Box" | "Rc" | "Cow", [one]) => self.kind(file, one, indent, used)?,
            ("Option", [one]) => format!("{} | null", self.kind(file, one, indent, used)?),
            ("BTreeMap", [_, one]) => format!("Record<string, {}>", self.kind(file, one, indent, used)?),
            _ => "number".into(),
        })
    }

    fn name(&mut self, one: &'a Published) -> String {
        if one.section != self.section {
            self.used.insert((one.section, &one.name));
        }
        one.name.clone()
    }

    /// Returns the name of a published type; others are written in place.
    fn named(&mut self, file: &'a str, rust: &str, indent: usize, used: usize) -> Result<String> {
        if let Some(one) = self.sources.published(file, rust) {
            return Ok(self.name(one));
        }
        let declaration = self.sources.get(file, rust)?;
        match &declaration.shape {
            Shape::Struct(fields) => {
                let rule = serialized(declaration)?.rename_all;
                let rows = self.rows(file, &list(fields), rule.as_deref(), indent + 2)?;
                Ok(object(&rows, indent, used))
            }
            Shape::Enum(variants) => {
                let members = self.members(file, declaration, variants, indent + 2)?;
                Ok(union(members.into_iter().map(|(_, kind)| (Vec::new(), kind)).collect(), indent + 2, used))
            }
            Shape::Alias(kind) => self.kind(file, kind, indent, used),
        }
    }

    /// Returns the names in docs that differ in TypeScript.
    fn names(&self, fields: &[&Field], rule: Option<&str>) -> Result<BTreeMap<String, String>> {
        let mut names: BTreeMap<String, String> =
            self.sources.published.iter().map(|one| (one.rust.clone(), one.name.clone())).collect();
        for field in fields {
            let name = ident(field)?;
            names.insert(name.clone(), renamed(&name, rule, true)?);
        }
        Ok(names)
    }
}

/// Types that are written as TypeScript's own.
const BUILT_IN: [&str; 18] = [
    "String", "str", "char", "bool", "Vec", "Box", "Rc", "Cow", "Option", "BTreeMap", "usize", "u64", "u32", "u8",
    "i64", "i32", "f64", "f32",
];

fn types(arguments: &PathArguments) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
    let kind = |argument| if let &GenericArgument::Type(ref kind) = argument { Some(kind) } else { None };
    arguments.args.iter().filter_map(kind).collect()
}

/// Returns the type in an option.
fn option(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last()?;
    if last.ident == "Option" { types(&last.arguments).first().copied() } else { None }
}

/// Returns the type of an item of a list, and of what is in an option or a box.
fn inner(kind: &Type) -> &Type {
    match kind {
        Type::Path(path) => match path.path.segments.last().map(|last| types(&last.arguments)).as_deref() {
            Some([.., last]) => inner(last),
            _ => kind,
        },
        Type::Slice(kind) => inner(&kind.elem),
        _ => kind,
    }
}

fn list(fields: &Fields) -> Vec<&Field> {
    fields.iter().collect()
}

fn ident(field: &Field) -> Result<String> {
    field.ident.as_ref().map(ToString::to_string).ok_or_else(|| "a field without a name".into())
}

/// Returns the attributes of a type that serde writes by itself.
fn serialized(declaration: &Declaration) -> Result<Attributes> {
    let mut is_derived = false;
    for attribute in declaration.attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        attribute
            .parse_nested_meta(|meta| {
                is_derived |= meta.path.segments.last().is_some_and(|last| last.ident == "Serialize");
                Ok(())
            })
            .map_err(|why| why.to_string())?;
    }
    if !is_derived {
        return Err("it does not derive Serialize".into());
    }
    Attributes::of(&declaration.attributes).map_err(|why| why.to_string())
}

/// Writes a union in one line if it fits and has no docs.
fn union(members: Vec<(Vec<String>, String)>, indent: usize, used: usize) -> String {
    let line = members.iter().map(|(_, kind)| kind.as_str()).collect::<Vec<_>>().join(" | ");
    let is_plain = members.iter().all(|(docs, _)| docs.is_empty());
    if is_plain && !line.contains('\n') && used + line.len() <= WIDTH {
        return line;
    }
    let mut out = String::from("\n");
    for (docs, kind) in members {
        comment(&docs, indent, &mut out);
        let _ = writeln!(out, "{}| {kind}", " ".repeat(indent));
    }
    out.trim_end().into()
}

/// Writes an object in one line if it fits and has no docs.
fn object(rows: &[Row], indent: usize, used: usize) -> String {
    let field = |row: &Row| format!("{}{}: {}", row.name, if row.is_optional { "?" } else { "" }, row.kind);
    let line = format!("{{ {} }}", rows.iter().map(field).collect::<Vec<_>>().join("; "));
    let is_plain = rows.iter().all(|row| row.docs.is_empty());
    if is_plain && !line.contains('\n') && used + line.len() < WIDTH {
        return line;
    }
    let mut out = String::from("{\n");
    write_rows(rows, indent + 2, &mut out);
    let _ = write!(out, "{}}}", " ".repeat(indent));
    out
}

fn write_rows(rows: &[Row], indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    for row in rows {
        comment(&row.docs, indent, out);
        let space = if row.kind.starts_with('\n') { "" } else { " " };
        let _ = writeln!(out, "{pad}{}{}:{space}{};", row.name, if row.is_optional { "?" } else { "" }, row.kind);
    }
}
