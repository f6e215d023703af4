//! The list of published types, and the declarations in their source files.
//!
//! A line of the list is `# section` (with a doc comment of its file after a colon), or `path: names`. A name is
//! `Rust` or `Rust=TypeScript`; `*` after it publishes each variant too, `-field` leaves a field out. A type of a listed file that has no name there is
//! written in place, wherever a field has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Attribute, Fields, Item, Type, UseTree};

/// A published type.
pub struct Published {
    pub section: usize,
    pub file: String,
    pub rust: String,
    pub name: String,
    pub without: Vec<String>,
    /// Each variant has a name of its own.
    pub is_split: bool,
}

pub struct Section {
    pub name: String,
    pub about: String,
}

/// The declarations of one file, and the paths of what it imports, by name.
pub struct Source {
    pub types: BTreeMap<String, Declaration>,
    imports: BTreeMap<String, Vec<String>>,
}

pub struct Declaration {
    pub attributes: Vec<Attribute>,
    pub shape: Shape,
}

pub enum Shape {
    Struct(Fields),
    Enum(Vec<syn::Variant>),
    Alias(Type),
}

pub struct Sources {
    pub sections: Vec<Section>,
    pub published: Vec<Published>,
    pub files: BTreeMap<String, Source>,
}

impl Sources {
    pub fn read(root: &Path, list: &str) -> Result<Sources, String> {
        let mut sources = Sources { sections: Vec::new(), published: Vec::new(), files: BTreeMap::new() };
        for line in list.lines().filter(|line| !line.trim().is_empty()) {
            let (head, rest) = line.split_once(':').ok_or_else(|| format!("types.txt: {line:?} has no colon"))?;
            if let Some(name) = head.strip_prefix("# ") {
                sources.sections.push(Section { name: name.into(), about: rest.trim().into() });
                continue;
            }
            let text = fs::read_to_string(root.join(head)).map_err(|why| format!("{head}: {why}"))?;
            let parsed = syn::parse_file(&text).map_err(|why| format!("{head}: {why}"))?;
            sources.files.entry(head.into()).or_insert_with(|| Source::of(parsed));
            for word in rest.split_whitespace() {
                if let Some(field) = word.strip_prefix('-') {
                    let last = sources.published.last_mut().ok_or("types.txt: a field without a type")?;
                    last.without.push(field.into());
                    continue;
                }
                let is_split = word.ends_with('*');
                let word = word.trim_end_matches('*');
                let (rust, name) = word.split_once('=').unwrap_or((word, word));
                let section = sources.sections.len().checked_sub(1).ok_or("types.txt: begins without a section")?;
                let (file, rust, name) = (head.into(), rust.into(), name.into());
                sources.published.push(Published { section, file, rust, name, without: Vec::new(), is_split });
            }
        }
        Ok(sources)
    }

    /// Returns the declaration and its file.
    pub fn get(&self, file: &str, rust: &str) -> Result<&Declaration, String> {
        self.files[file].types.get(rust).ok_or_else(|| format!("{file} has no type {rust}"))
    }

    /// Returns the name under which a type is published.
    pub fn published(&self, file: &str, rust: &str) -> Option<&Published> {
        self.published.iter().find(|one| one.file == file && one.rust == rust)
    }

    /// Returns the file that declares the type that `file` calls `name` (or `module::name`), and its name there.
    pub fn find(&self, file: &str, module: Option<&str>, name: &str) -> Result<(&str, String), String> {
        let (file, source) = self.files.get_key_value(file).ok_or_else(|| format!("{file} is not listed"))?;
        // `edit as log` is called `log::Edit`.
        let imported = source.imports.get(module.unwrap_or(name));
        let (path, name) = match (module, imported) {
            (None, _) if source.types.contains_key(name) => return Ok((file, name.into())),
            (None, Some(path)) => (&path[..path.len() - 1], path[path.len() - 1].as_str()),
            (Some(_), Some(path)) => (path.as_slice(), name),
            (Some(module), None) => (&[module.to_string()][..], name),
            (None, None) => (&[][..], name),
        };
        // Modules export what their submodules declare, so the nearest file of several is meant.
        let shared = |other: &str| {
            let modules = other.trim_end_matches("/mod.rs").trim_end_matches(".rs").rsplit('/');
            let named = modules.zip(path.iter().rev()).take_while(|(one, other)| one == other).count();
            (named, file.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count())
        };
        let all = self.files.iter().filter(|(_, source)| source.types.contains_key(name));
        let mut near: Vec<((usize, usize), &String)> = all.map(|(file, _)| (shared(file), file)).collect();
        near.sort_unstable();
        match near.as_slice() {
            [.., (next, _), (best, _)] if next == best => Err(format!("{file}: several listed files declare {name}")),
            [.., (_, found)] => Ok((found, name.into())),
            [] => Err(format!("{file}: no listed file declares {name}")),
        }
    }
}

impl Source {
    fn of(file: syn::File) -> Source {
        let mut source = Source { types: BTreeMap::new(), imports: BTreeMap::new() };
        for item in file.items {
            let (name, attributes, shape) = match item {
                Item::Struct(item) => (item.ident, item.attrs, Shape::Struct(item.fields)),
                Item::Enum(item) => (item.ident, item.attrs, Shape::Enum(item.variants.into_iter().collect())),
                Item::Type(item) => (item.ident, item.attrs, Shape::Alias(*item.ty)),
                Item::Use(item) => {
                    source.import(&[], &item.tree);
                    continue;
                }
                _ => continue,
            };
            source.types.insert(name.to_string(), Declaration { attributes, shape });
        }
        source
    }

    fn import(&mut self, path: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [path, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(next) => self.import(&with(&next.ident), &next.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(path, tree)),
            UseTree::Name(name) if name.ident == "self" => {
                self.imports.extend(path.last().map(|last| (last.clone(), path.to_vec())));
            }
            UseTree::Name(name) => drop(self.imports.insert(name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(name) => drop(self.imports.insert(name.rename.to_string(), with(&name.ident))),
            UseTree::Glob(_) => {}
        }
    }
}
