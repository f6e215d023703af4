//! The list of published types, and the declarations in their source files.
//!
//! A line of the list is `# section: description of its file` or `path: names`. A name is `Rust` or `Rust=TypeScript`;
//! `-field` after it leaves a field or a variant out. Other types of a listed file are written in place, wherever a
//! field has them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Attribute, Fields, Item, Type, UseTree, Variant};

use crate::Result;

pub struct Sources {
    /// Name and description.
    pub sections: Vec<(String, String)>,
    pub published: Vec<Published>,
    files: BTreeMap<String, Source>,
}

pub struct Published {
    pub section: usize,
    pub file: String,
    pub rust: String,
    pub name: String,
    pub without: Vec<String>,
}

/// The declarations of one file, and the paths of what it imports, by name.
#[derive(Default)]
struct Source {
    types: BTreeMap<String, Declaration>,
    imports: BTreeMap<String, Vec<String>>,
}

pub struct Declaration {
    pub attributes: Vec<Attribute>,
    pub shape: Shape,
}

pub enum Shape {
    Struct(Fields),
    Enum(Vec<Variant>),
    Alias(Type),
}

/// Where a type is declared.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub file: &'a str,
    pub name: &'a str,
    pub declaration: &'a Declaration,
}

impl Sources {
    pub fn read(root: &Path, list: &str) -> Result<Sources> {
        let mut sources = Sources { sections: Vec::new(), published: Vec::new(), files: BTreeMap::new() };
        for line in list.lines().filter(|line| !line.is_empty()) {
            let (head, rest) = line.split_once(':').ok_or_else(|| format!("types.txt: {line:?} has no colon"))?;
            if let Some(name) = head.strip_prefix("# ") {
                sources.sections.push((name.into(), rest.trim().into()));
                continue;
            }
            let text = fs::read_to_string(root.join(head)).map_err(|why| format!("{head}: {why}"))?;
            sources.files.insert(head.into(), Source::of(syn::parse_file(&text)?));
            for word in rest.split_whitespace() {
                if let Some(field) = word.strip_prefix('-') {
                    sources.published.last_mut().ok_or("types.txt: a field without a type")?.without.push(field.into());
                    continue;
                }
                let (rust, name) = word.split_once('=').unwrap_or((word, word));
                let (section, file) = (sources.sections.len() - 1, head.into());
                let (rust, name) = (rust.into(), name.into());
                sources.published.push(Published { section, file, rust, name, without: Vec::new() });
            }
        }
        Ok(sources)
    }

    pub fn published(&self, place: Place) -> Option<&Published> {
        self.published.iter().find(|one| one.file == place.file && one.rust == place.name)
    }

    /// Returns the place of the type that `file` calls `name`, or `module::name`.
    pub fn find(&self, file: &str, module: Option<&str>, name: &str) -> Result<Place<'_>> {
        let source = self.files.get(file).ok_or_else(|| format!("{file} is not listed"))?;
        let path = match (module, source.imports.get(module.unwrap_or(name))) {
            // `edit as log` is called `log::Edit`.
            (Some(_), Some(path)) => [path.as_slice(), &[name.into()]].concat(),
            (None, Some(path)) => path.clone(),
            (module, None) => module.into_iter().chain([name]).map(String::from).collect(),
        };
        let (name, modules) = path.split_last().ok_or("a type without a name")?;
        // Modules export what their submodules declare, so the nearest file of several is meant.
        let rank = |other: &str| {
            let names = other.trim_end_matches("/mod.rs").trim_end_matches(".rs").rsplit('/');
            let named = names.zip(modules.iter().rev()).take_while(|(one, other)| one == other).count();
            let shared = file.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
            (path.len() == 1 && file == other, named, shared)
        };
        let places = self.files.iter().filter_map(|(file, source)| Some((file, source.types.get_key_value(name)?)));
        let mut ranked: Vec<_> = places.map(|(file, found)| (rank(file), file, found)).collect();
        ranked.sort_unstable_by_key(|(rank, file, _)| (*rank, *file));
        match ranked.as_slice() {
            [.., (next, ..), (best, ..)] if next == best => Err(format!("{file}: several files declare {name}").into()),
            [.., (_, file, (name, declaration))] => Ok(Place { file, name, declaration }),
            [] => Err(format!("{file}: no listed file declares {name}").into()),
        }
    }
}

impl Source {
    fn of(file: syn::File) -> Source {
        let mut source = Source::default();
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
