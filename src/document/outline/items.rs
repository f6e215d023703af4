//! The definitions of a document: their ranges, names, heads and ends.

use std::ops::Range;

use super::category::Category;
use crate::document::syntax::{Kinds, NONE, Node, NodeIndex, SyntaxTree};
use crate::document::{Overlay, OverlayNode, SECTION};

/// A definition. Offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its category.
    pub category: Category,
    /// Its start, with comments and attributes directly above it.
    pub start: u32,
    /// Its start without these, but with annotations that are part of it in the grammar.
    pub code: u32,
    /// Its start without any of these.
    pub declared: u32,
    /// The byte behind it.
    pub end: u32,
    /// Its name; empty if it has none.
    pub name: (u32, u32),
    /// The end of its head: behind the bracket that opens its body, or at the start of the body. Its end if it has no
    /// body.
    pub head: u32,
    /// The start of its closing part: at the bracket that closes the body, or behind the body.
    pub tail: u32,
    /// The definition around it, or [`NONE`].
    pub parent: u32,
    /// Whether it is in a function.
    pub local: bool,
}

/// Returns the definitions of a syntax tree in order. A parent comes before its children.
pub fn items(tree: &SyntaxTree, kinds: &Kinds, text: &str) -> Vec<Item> {
    Finder { tree, kinds, text, fields: Fields::new(kinds), items: Vec::new() }.find()
}

/// Returns the folds of a document as definitions, of a document with headings only its sections. The first line is the
/// head. The last line is the closing part, if it is outside the fold.
pub fn folds(overlay: &Overlay, text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    // The item of each node of the overlay.
    let mut numbers = vec![NONE; overlay.nodes.len()];
    let (kind, category) = match overlay.kinds.iter().any(|kind| **kind == *SECTION) {
        true => (SECTION, Category::Section),
        false => ("FOLD", Category::Block),
    };
    for (at, node) in overlay.nodes.iter().enumerate().skip(1) {
        if overlay.kind(at) != kind {
            continue;
        }
        let OverlayNode { start, end, parent, .. } = *node;
        let inside = text.get(start as usize..end as usize).unwrap_or_default();
        let head = start + inside.find('\n').map_or(inside.len(), |at| at + 1) as u32;
        let body = inside.trim_end();
        let last = start + body.rfind('\n').map_or(0, |at| at + 1) as u32;
        let closes = category == Category::Block
            && body[(last - start) as usize..].trim_start().starts_with(['}', ']', ')', '<']);
        let written = inside.trim_start();
        let code = start + (inside.len() - written.len()) as u32;
        let first = written.lines().next().unwrap_or_default().trim_end();
        let name = if category == Category::Section { title(first) } else { 0..first.len() };
        let tail = if closes { last.max(head) } else { end };
        numbers[at] = items.len() as u32;
        items.push(Item {
            category,
            start,
            code,
            declared: code,
            end,
            name: (code + name.start as u32, code + name.end as u32),
            head,
            tail,
            parent: numbers.get(parent as usize).copied().unwrap_or(NONE),
            local: false,
        });
    }
    items
}

/// Returns the range of a heading's text, without its marks.
fn title(heading: &str) -> Range<usize> {
    let start = heading.len() - heading.trim_start_matches('#').trim_start().len();
    let closed = heading.trim_end_matches('#');
    // `# C#` ends with no mark.
    let end = if closed.ends_with([' ', '\t']) { closed.trim_end().len() } else { heading.len() };
    start..end.max(start)
}

/// What a node defines: its category, its name and its body.
type Described = (Category, (u32, u32), Option<NodeIndex>);

/// The indices of the fields in use.
struct Fields {
    name: Option<u32>,
    body: Option<u32>,
    declarator: Option<u32>,
    value: Option<u32>,
    kind: Option<u32>,
    trait_: Option<u32>,
    left: Option<u32>,
    right: Option<u32>,
}

impl Fields {
    fn new(kinds: &Kinds) -> Fields {
        let field = |name| kinds.field(name);
        Fields {
            name: field("name"),
            body: field("body"),
            declarator: field("declarator"),
            value: field("value"),
            kind: field("type"),
            trait_: field("trait"),
            left: field("left"),
            right: field("right"),
        }
    }
}

struct Finder<'f> {
    tree: &'f SyntaxTree,
    kinds: &'f Kinds,
    text: &'f str,
    fields: Fields,
    items: Vec<Item>,
}

/// The maximum depth below a definition at which its name and its body are searched.
const DEEP: usize = 12;

impl Finder<'_> {
    fn find(mut self) -> Vec<Item> {
        let mut owners = vec![NONE; self.tree.nodes().len()];
        for at in 1..owners.len() {
            let node = self.tree.node(at as NodeIndex);
            let owner = owners.get(node.parent as usize).copied().unwrap_or(NONE);
            owners[at] = match self.item(at as NodeIndex, owner) {
                Some(item) => {
                    self.items.push(item);
                    self.items.len() as u32 - 1
                }
                None => owner,
            };
        }
        self.items
    }

    fn kind(&self, at: NodeIndex) -> &str {
        self.kinds.name(self.tree.node(at).kind)
    }

    fn child(&self, of: NodeIndex, field: Option<u32>) -> Option<NodeIndex> {
        let field = field?;
        self.tree.children(of).find(|child| self.tree.node(*child).field == field)
    }

    fn child_of_kind(&self, of: NodeIndex, wanted: &[&str]) -> Option<NodeIndex> {
        self.tree.children(of).find(|child| wanted.contains(&self.kind(*child)))
    }

    fn item(&self, at: NodeIndex, owner: u32) -> Option<Item> {
        let node = self.tree.node(at);
        if !self.kinds.is_named(node.kind) {
            return None;
        }
        let around = self.items.get(owner as usize);
        let local = around.is_some_and(|item| item.local || item.category.runs());
        let (category, name, body) = self.described(at, around, local)?;
        let outer = self.wrapper(at);
        let whole = *self.tree.node(outer);
        // A tree can end with an invisible line feed.
        let end = whole.start + self.slice(whole.start, whole.end).trim_end().len() as u32;
        let start = self.with_comments(outer);
        let (head, tail) = match body.map(|body| *self.tree.node(body)) {
            Some(body) if body.end > body.start => {
                let inside = self.slice(body.start, body.end);
                // `interface {` is a single node in Go.
                let word = inside.find('{').filter(|_| inside.starts_with("interface")).unwrap_or(0) as u32;
                let opened = word > 0 || inside.starts_with(['{', '(', '[']);
                let closed = inside.ends_with(['}', ')', ']']);
                (body.start + word + u32::from(opened), if opened && closed { body.end - 1 } else { body.end.min(end) })
            }
            _ => (end, end),
        };
        let (code, tail) = (whole.start, tail.max(head));
        let declared = self.declared(outer).min(head);
        Some(Item { category, start, code, declared, end, name, head, tail, parent: owner, local })
    }

    /// Returns the start of a definition behind its annotations, decorators and attributes.
    fn declared(&self, at: NodeIndex) -> u32 {
        let is_note = |kind: &str| {
            matches!(
                kind,
                "decorator"
                    | "annotation"
                    | "marker_annotation"
                    | "attribute"
                    | "attribute_list"
                    | "attribute_item"
                    | "attribute_declaration"
                    | "comment"
                    | "line_comment"
                    | "block_comment"
            )
        };
        let mut rest = self.tree.children(at).filter(|child| !is_note(self.kind(*child)));
        let modifiers = |child: NodeIndex| match self.kind(child) {
            "modifiers" => self.tree.children(child).find(|inner| !is_note(self.kind(*inner))),
            _ => Some(child),
        };
        rest.find_map(modifiers).map_or(self.tree.node(at).start, |first| self.tree.node(first).start)
    }

    /// Describes a node that defines something.
    fn described(&self, at: NodeIndex, around: Option<&Item>, local: bool) -> Option<Described> {
        match self.kind(at) {
            "expression_statement" if !local => self.assignment(at),
            "assignment" if !local => {
                let left = self.child(at, self.fields.left).filter(|left| self.kind(*left) == "constant")?;
                Some((Category::Constant, self.range(left), None))
            }
            "property_identifier" => {
                let parent = self.tree.node(at).parent;
                (parent != NONE && self.kind(parent) == "enum_body").then(|| (Category::Variant, self.range(at), None))
            }
            _ => {
                let name = self.name(at, DEEP);
                let category = self.category(at, name, around, local)?;
                Some((category, name.unwrap_or_default(), self.body(at, DEEP)))
            }
        }
    }

    /// Returns what an assignment at the top of a script defines: `exports.f = () => {}`, `LIMIT = 3`.
    fn assignment(&self, at: NodeIndex) -> Option<Described> {
        let inner = self.child_of_kind(at, &["assignment_expression", "assignment"])?;
        let (left, right) = (self.child(inner, self.fields.left)?, self.child(inner, self.fields.right));
        let category = if right.is_some_and(|right| self.is_function(right)) {
            Category::Function
        } else if self.kind(left) == "identifier" && self.kind(inner) == "assignment" {
            // Languages other than Python assign to variables that are declared elsewhere.
            Category::Variable
        } else {
            return None;
        };
        Some((category, self.range(left), self.body(at, DEEP)))
    }

    /// Returns the category of a definition by its kind, its name and what is around it.
    fn category(
        &self,
        at: NodeIndex,
        name: Option<(u32, u32)>,
        around: Option<&Item>,
        local: bool,
    ) -> Option<Category> {
        let kind = self.kind(at);
        let held = around.is_some_and(|item| item.category.holds() || item.category.is_data());
        let category = Category::of(kind)?;
        let is_definition = match category {
            Category::Variable if local => false,
            Category::Variable | Category::Property => {
                // A part of an item of the same kind, as in fields and events of C#.
                let is_part =
                    kind == "variable_declaration" && around.is_some_and(|item| item.category == Category::Property);
                name.is_some() && !is_part
            }
            // A mere use of the name of a type; `typedef struct { … } Name` is one definition.
            Category::Struct | Category::Enum | Category::Class if kind.ends_with("_specifier") => {
                self.child(at, self.fields.body).is_some() && (name.is_some() || category == Category::Class)
            }
            // A class without a name is an expression.
            Category::Class if kind == "class" => name.is_some(),
            // A declaration of PHP. In Go, the nodes within it count.
            Category::Constant if kind == "const_declaration" => self.child_of_kind(at, &["const_element"]).is_some(),
            _ => true,
        };
        is_definition.then(|| match category {
            Category::Variable | Category::Property if self.holds_function(at) || self.declares_function(at) => {
                if held { Category::Method } else { Category::Function }
            }
            Category::Type if kind == "type_spec" || kind == "type_definition" => {
                match self.child(at, self.fields.kind).map(|inner| self.kind(inner)) {
                    Some("struct_type" | "struct_specifier" | "union_specifier") => Category::Struct,
                    Some("interface_type") => Category::Interface,
                    Some("enum_specifier") => Category::Enum,
                    _ => Category::Type,
                }
            }
            Category::Method if kind == "method_definition" && self.is_text(name, "constructor") => {
                Category::Constructor
            }
            Category::Function if held && around.is_some_and(|item| item.category != Category::Module) => {
                Category::Method
            }
            category => category,
        })
    }

    fn is_text(&self, range: Option<(u32, u32)>, text: &str) -> bool {
        range.is_some_and(|(start, end)| self.slice(start, end) == text)
    }

    /// True for a variable with a function as its value.
    fn holds_function(&self, at: NodeIndex) -> bool {
        let declarator = self.child_of_kind(at, &["variable_declarator"]).unwrap_or(at);
        self.child(declarator, self.fields.value).is_some_and(|value| self.is_function(value))
    }

    fn is_function(&self, at: NodeIndex) -> bool {
        matches!(
            self.kind(at),
            "arrow_function" | "function_expression" | "function" | "generator_function" | "class" | "lambda"
        )
    }

    /// Returns whether a node is a declaration such as C's `int f(int);`.
    fn declares_function(&self, at: NodeIndex) -> bool {
        let mut inner = self.child(at, self.fields.declarator);
        for _ in 0..DEEP {
            let Some(at) = inner else { return false };
            if self.kind(at) == "function_declarator" {
                return true;
            }
            inner = self
                .child(at, self.fields.declarator)
                .or_else(|| self.tree.children(at).find(|child| self.kind(*child).ends_with("declarator")));
        }
        false
    }

    fn range(&self, at: NodeIndex) -> (u32, u32) {
        let node = self.tree.node(at);
        (node.start, node.end)
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn name(&self, at: NodeIndex, deep: usize) -> Option<(u32, u32)> {
        if self.kind(at) == "impl_item" {
            let kind = self.range(self.child(at, self.fields.kind)?);
            let first = self.child(at, self.fields.trait_).map_or(kind, |at| self.range(at));
            return Some((first.0, kind.1));
        }
        if let Some(name) = self.child(at, self.fields.name) {
            return Some(self.range(name));
        }
        let deeper = deep.checked_sub(1)?;
        let kind = self.kind(at);
        if let Some(declarator) = self.child(at, self.fields.declarator) {
            return self.name(declarator, deeper);
        }
        let holders = ["variable_declaration", "variable_declarator", "property_element", "const_element"];
        if let Some(inner) = self.child_of_kind(at, &holders) {
            return self.name(inner, deeper);
        }
        if kind.ends_with("declarator") || kind.ends_with("_element") {
            let inner = self.tree.children(at).find(|child| {
                let kind = self.kind(*child);
                kind.ends_with("declarator") || is_word(kind)
            });
            return inner.and_then(|inner| self.name(inner, deeper));
        }
        if is_word(kind) {
            return Some(self.range(at));
        }
        // In languages without a field for the name, it is the first word among the children.
        let takes = Category::of(kind).is_some() && !matches!(kind, "declaration" | "field_declaration");
        if takes {
            self.tree.children(at).find(|child| is_word(self.kind(*child))).map(|at| self.range(at))
        } else {
            None
        }
    }

    /// Returns the body of a definition: the field with that name, or a descendant that looks like a body.
    fn body(&self, at: NodeIndex, deep: usize) -> Option<NodeIndex> {
        if let Some(body) = self.child(at, self.fields.body) {
            return Some(body);
        }
        let deeper = deep.checked_sub(1)?;
        let mut last = None;
        for child in self.tree.children(at) {
            let kind = self.kind(child);
            if kind.ends_with("_list") && (kind.starts_with("field_declaration") || kind.starts_with("enum"))
                || matches!(
                    kind,
                    "declaration_list"
                        | "accessor_list"
                        | "object_type"
                        | "class_body"
                        | "statement_block"
                        | "block"
                        | "body_statement"
                        | "object"
                        | "array"
                        | "array_expression"
                        | "array_initializer"
                        | "initializer_list"
                        | "list"
                        | "dictionary"
                        | "set"
                        | "hash"
                        | "interface_type"
                )
            {
                return Some(child);
            }
            let field = self.tree.node(child).field;
            let leads =
                [self.fields.value, self.fields.kind, self.fields.right].contains(&Some(field)) && field != NONE;
            if leads
                || matches!(kind, "variable_declarator" | "init_declarator" | "struct_type" | "assignment_expression")
            {
                last = Some(child);
            }
        }
        self.body(last?, deeper)
    }

    /// Returns the outermost node that belongs to a definition: `export`, decorators, or the parameters of a template.
    fn wrapper(&self, at: NodeIndex) -> NodeIndex {
        let mut outer = at;
        for _ in 0..DEEP {
            let parent = self.tree.node(outer).parent;
            if parent == NONE || parent == 0 {
                break;
            }
            let alone = || {
                let kind = self.tree.node(outer).kind;
                self.tree.children(parent).filter(|child| self.tree.node(*child).kind == kind).count() == 1
            };
            match self.kind(parent) {
                "export_statement" | "decorated_definition" | "template_declaration" | "ambient_declaration" => {}
                "type_declaration" | "const_declaration" | "var_declaration" if alone() => {}
                // A namespace that is an expression.
                "expression_statement" if self.kind(outer) == "internal_module" => {}
                _ => break,
            }
            outer = parent;
        }
        outer
    }

    /// Returns the start of the comments and attributes directly above a node.
    fn with_comments(&self, at: NodeIndex) -> u32 {
        let mut node: &Node = self.tree.node(at);
        while let Some(previous) = self.tree.nodes().get(node.previous as usize) {
            let explains = matches!(
                self.kinds.name(previous.kind),
                "comment" | "line_comment" | "block_comment" | "attribute_item" | "decorator"
            );
            // Some grammars end a comment behind its line break.
            let written = self.slice(previous.start, previous.end).trim_end().len() as u32;
            let between = self.slice(previous.start + written, node.start);
            if !explains
                || between.matches('\n').count() > 1
                || !between.trim().is_empty()
                || !self.begins_line(previous.start)
            {
                break;
            }
            node = previous;
        }
        node.start
    }

    fn begins_line(&self, at: u32) -> bool {
        let before = self.text.get(..at as usize).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        before[line..].trim().is_empty()
    }
}

/// Returns whether nodes of a kind are names.
pub(super) fn is_word(kind: &str) -> bool {
    kind.ends_with("identifier")
        || matches!(kind, "constant" | "name" | "variable_name" | "destructor_name" | "operator_name")
}
