//! Documents: overlays of trees written by hand, folding by indentation, queries, the cache, and parsing with one small
//! grammar. `tests/js/documents` runs the grammars of the package.

mod cache;
mod changed;
mod embedded;
mod exact;
mod hostile;
mod indent;
mod languages;
mod library;
mod markdown;
mod parse;
mod query;
mod summary;
mod tree;
mod trees;

use espalier::document::Overlay;
use espalier::document::syntax::{Builder, Kinds, NONE, SyntaxTree};

/// A tree in a short notation: `kind[…]` with children, `kind:'text'` for a named leaf, `'text'` for a token, and
/// `field=…` before any of them. The text consists of the leaves, and blanks between them are kept.
pub struct Written {
    pub text: String,
    pub tree: SyntaxTree,
    pub kinds: Kinds,
}

/// Reads a tree in that notation.
pub fn written(source: &str) -> Written {
    let mut reader =
        Reader { source, at: 0, text: String::new(), nodes: Vec::new(), names: Vec::new(), fields: Vec::new() };
    reader.node(None);
    let Reader { text, nodes, names, fields, .. } = reader;
    let mut builder = Builder::default();
    let mut open: Vec<usize> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|last| Some(*last) != node.parent) {
            open.pop();
            builder.close();
        }
        builder.open(node.start, node.end, node.kind, node.field);
        open.push(at);
    }
    Written { text, tree: builder.finish(), kinds: Kinds::new(names, fields) }
}

struct Made {
    start: u32,
    end: u32,
    kind: u32,
    field: u32,
    parent: Option<usize>,
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    text: String,
    nodes: Vec<Made>,
    names: Vec<(Box<str>, bool)>,
    fields: Vec<Box<str>>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn word(&mut self) -> String {
        let len = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let word = self.rest()[..len].to_string();
        self.at += len;
        word
    }

    fn quoted(&mut self) -> String {
        let len = self.rest()[1..].find('\'').expect("a closing quote");
        let text = self.rest()[1..=len].to_string();
        self.at += len + 2;
        text
    }

    fn kind(&mut self, name: &str, named: bool) -> u32 {
        let wanted = (Box::from(name), named);
        let known = self.names.iter().position(|known| *known == wanted);
        known.unwrap_or_else(|| {
            self.names.push(wanted);
            self.names.len() - 1
        }) as u32
    }

    fn node(&mut self, parent: Option<usize>) {
        let mut field = NONE;
        let mut word = self.word();
        if self.rest().starts_with('=') {
            self.at += 1;
            let known = self.fields.iter().position(|known| **known == *word);
            field = known.unwrap_or_else(|| {
                self.fields.push(word.as_str().into());
                self.fields.len() - 1
            }) as u32;
            word = self.word();
        }
        let at = self.nodes.len();
        let start = self.text.len() as u32;
        self.nodes.push(Made { start, end: start, kind: 0, field, parent });
        if word.is_empty() {
            let text = self.quoted();
            self.text += &text;
            self.nodes[at].kind = self.kind(&text, false);
        } else {
            self.nodes[at].kind = self.kind(&word, true);
            if self.rest().starts_with(':') {
                self.at += 1;
                let text = self.quoted();
                self.text += &text;
            } else {
                assert!(self.rest().starts_with('['), "{}", self.rest());
                self.at += 1;
                let mut first = true;
                loop {
                    let blank: String = self.rest().chars().take_while(|c| c.is_whitespace()).collect();
                    self.at += blank.len();
                    let last = self.rest().starts_with(']');
                    // A node starts with its first child and ends with its last one.
                    if !first && !last {
                        self.text += &blank;
                    }
                    if last {
                        self.at += 1;
                        break;
                    }
                    first = false;
                    self.node(Some(at));
                }
            }
        }
        self.nodes[at].end = self.text.len() as u32;
    }
}

/// Prints an overlay with one node on each line, followed by the start of the node's text.
pub fn shown(overlay: &Overlay, text: &str) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let mut out = String::new();
    for (at, node) in overlay.nodes.iter().enumerate() {
        let depth = depths.get(node.parent as usize).map_or(0, |depth| depth + 1);
        depths.push(depth);
        let inside = &text[node.start as usize..node.end as usize];
        out += &format!("{}{} {inside:?}\n", "  ".repeat(depth), overlay.kind(at));
    }
    out
}

/// Checks what must be true of every overlay.
pub fn sound(overlay: &Overlay, text: &str) {
    assert_eq!(overlay.nodes.first().map(|node| node.parent), Some(NONE), "the root has no parent");
    for (at, node) in overlay.nodes.iter().enumerate() {
        assert!(node.start <= node.end && node.end as usize <= text.len(), "{node:?}");
        assert!(text.is_char_boundary(node.start as usize) && text.is_char_boundary(node.end as usize), "{node:?}");
        assert!(at == 0 || (node.parent as usize) < at, "parents come first: {node:?}");
        if at > 0 {
            let parent = overlay.nodes[node.parent as usize];
            assert!(parent.start <= node.start && node.end <= parent.end, "{node:?} in {parent:?}");
        }
    }
    let mut ends = vec![0; overlay.nodes.len()];
    for node in overlay.nodes.iter().skip(1) {
        let end = &mut ends[node.parent as usize];
        assert!(*end <= node.start, "siblings do not overlap: {node:?}");
        *end = node.end;
    }
}
