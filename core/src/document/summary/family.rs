//! Finds the nodes that cannot be left out without breaking the code around them.
//!
//! The nodes of an overlay are mostly statements and declarations, and a list of those can lose any of them. Some nodes
//! are no items of a list: the only statement of a `for` without braces, the function under a decorator or a `template
//! <…>`, the receiver of a chain of calls. They show whenever their parent does. The overlay does not say which ones
//! these are, so the text before a node decides.

use super::super::Overlay;
use super::super::syntax::NONE;
use super::dense::Dense;
use super::page::trim;

/// Languages with the same rules here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// JavaScript, TypeScript and JSX.
    Script,
    /// Braces around bodies, semicolons or commas behind items.
    Braces,
    /// The same as `Braces`, with lists in parentheses.
    Go,
    Python,
    Ruby,
    /// Languages without rules.
    Other,
}

impl Family {
    pub fn of(language: &str) -> Family {
        match language {
            "javascript" | "javascriptreact" | "typescript" | "typescriptreact" => Family::Script,
            "rust" | "java" | "c" | "cpp" | "csharp" | "php" => Family::Braces,
            "go" => Family::Go,
            "python" => Family::Python,
            "ruby" => Family::Ruby,
            _ => Family::Other,
        }
    }

    /// Marks the nodes that show whenever their parent does.
    pub fn bind(self, text: &str, tree: &Dense, overlay: &Overlay, bound: &mut [bool]) {
        if self == Family::Other || overlay.kinds.iter().any(|kind| &**kind == "FOLD") {
            return;
        }
        for (parent, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.count > 0) {
            let top = node.parent == NONE || tree.nodes[node.parent as usize].parent == NONE && node.overlay == 0;
            let around = overlay.kind(node.overlay as usize);
            let mut before = Before::Nothing;
            for child in tree.children(parent as u32) {
                let at = tree.nodes[*child as usize];
                if at.is_gap() {
                    let inside = trim(text.get(at.start as usize..at.end as usize).unwrap_or_default());
                    before = if inside.is_empty() { before } else { Before::Text(inside) };
                    continue;
                }
                let kind = overlay.kind(at.overlay as usize);
                if kind.ends_with("comment") || kind == "attribute_item" {
                    continue;
                }
                let item = match before {
                    Before::Item => true,
                    Before::Nothing => top,
                    Before::Text(text) => self.lists(text, kind, around, top),
                };
                if !item && let Some(bound) = bound.get_mut(*child as usize) {
                    *bound = true;
                }
                before = Before::Item;
            }
        }
    }

    /// Returns whether a list of items can begin or continue behind this text.
    fn lists(self, before: &str, kind: &str, around: &str, top: bool) -> bool {
        if around == "labeled_statement" {
            return false;
        }
        let last = before.chars().next_back().unwrap_or(' ');
        let directive = || before.rsplit(['\n', '\r']).next().is_some_and(|line| line.trim_start().starts_with('#'));
        let braces = matches!(last, '{' | '}' | '[' | ';' | ',' | ':') || directive();
        match self {
            Family::Script if kind.starts_with("jsx_") => matches!(last, '>' | '{' | '}'),
            Family::Script => braces,
            Family::Braces => braces || ["<?php", "?>", "<?="].iter().any(|tag| before.ends_with(tag)),
            Family::Go => braces || last == '(',
            // Statements follow a colon; the others are elements of literals.
            Family::Python => matches!(last, ':' | '{' | '[' | '(' | ',') || top,
            Family::Ruby => !matches!(last, '=' | '(' | ',' | '.' | '+' | '-' | '*' | '/' | '&' | '<' | '?' | '\\'),
            Family::Other => true,
        }
    }
}

/// What comes before a child.
#[derive(Clone, Copy)]
enum Before<'t> {
    Nothing,
    Text(&'t str),
    Item,
}
