//! Prompt trees as JSON, read into the elements of the core. The counterpart in the package is
//! `js/prompt/flatten/index.ts`.

use js_sys::{Array, JSON, JsString, Map};
use wasm_bindgen::prelude::*;

use super::super::prompt::role as role_of;
use super::plain::{Items, Value};
use super::value::{Result, coded, get, is_nullish, list, object, set};
use crate::message::{Part, Role};
use crate::prompt::{Call, Element, Leaf, LeafKind, Literal, MAX_PRIORITY, MessageShape, Op, Reserve, Shape, Wording};
use crate::tokens::document_of;

/// The `type` of a node.
const PIECE: f64 = 1.0;
const TEXT: f64 = 2.0;
const OPAQUE: f64 = 3.0;
const BREAKPOINT: f64 = 4.0;
/// Maximum nesting.
const MAX_DEPTH: usize = 200_000;
/// The first base64 characters of the usual picture formats.
const PICTURES: [(&str, &str); 4] =
    [("/9j/", "image/jpeg"), ("iVBOR", "image/png"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];
/// Base64 characters of a picture that include its header; the rest does not affect its size.
const HEADER: usize = 131_072;

/// The meaning of a node of the tree for the host.
pub enum Node {
    Container,
    Message {
        props: Value,
        calls: Option<Array>,
    },
    /// The part of a raw message that it becomes.
    Part(JsValue),
    /// Start and end of its text among those of the tree.
    Text(u32, u32),
    /// A text that only the host can represent, for example one with a lone surrogate.
    HostText(JsString),
    /// An element whose content the host makes: its name and props.
    Component(JsValue, JsValue),
}

/// The nodes in the order of their numbers in the core.
pub struct Tree {
    nodes: Vec<Node>,
    /// For each node the one around it, and its name if it is an element.
    places: Vec<(Option<u32>, Option<String>)>,
    /// All texts, concatenated.
    texts: String,
    kept: Map,
    /// True if the host makes content: then elements are laid out, so that each component gets its budget.
    is_live: bool,
}

impl Tree {
    /// Reads a tree in the form of `renderElementJSON`.
    ///
    /// # Errors
    /// `bad_element` with the path of the element.
    pub fn read(tree: &JsValue, is_live: bool) -> Result<(Tree, Vec<Op>)> {
        let node = get(tree, "node")?;
        if !node.is_object() {
            return Err(coded("bad_element", "tree must be { node }, as renderElementJSON gives it", "tree").into());
        }
        let (nodes, places, texts) = (vec![], vec![], String::new());
        let mut tree = Tree { nodes, places, texts, kept: Map::new(), is_live };
        let mut ops = vec![Op::Open(Box::default())];
        tree.add(None, Some("LogicalWrapper".to_owned()), Node::Container);
        tree.children(0, Box::new(std::iter::once(Value::read(node))), &mut ops)?;
        ops.push(Op::Close);
        Ok((tree, ops))
    }

    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// Returns a text of [`Node::Text`].
    pub fn words(&self, start: u32, end: u32) -> &str {
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Returns the names from the root to an element, or to the one around a node.
    fn path(&self, id: u32) -> String {
        self.joined(id, " > ", |_, name| if name.is_empty() { "<anonymous>" } else { name })
    }

    /// Returns the path for errors about budgets, in which messages are named by their role.
    pub fn readable(&self, id: u32) -> String {
        self.joined(id, " -> ", |node, name| match node {
            Node::Message { props, .. } => display(props),
            _ if name.is_empty() => "(anonymous)",
            _ => name,
        })
    }

    fn joined<'a>(&'a self, id: u32, with: &str, shown: fn(&'a Node, &'a str) -> &'a str) -> String {
        let up = std::iter::successors(Some(id as usize), |at| self.places[*at].0.map(|parent| parent as usize));
        let mut names: Vec<&str> =
            up.filter_map(|at| Some(shown(&self.nodes[at], self.places[at].1.as_deref()?))).collect();
        names.reverse();
        names.join(with)
    }

    fn add(&mut self, parent: Option<u32>, name: Option<String>, node: Node) -> u32 {
        self.nodes.push(node);
        self.places.push((parent, name));
        (self.nodes.len() - 1) as u32
    }

    /// Returns an error about an element, or about that around a node.
    pub fn refuse(&self, id: u32, code: &str, why: &str) -> JsValue {
        let path = self.path(id);
        coded(code, &format!("{why} (at tsx element {path})"), &path).into()
    }

    /// Reads children of an element and their descendants.
    pub fn children(&mut self, parent: u32, children: Items, ops: &mut Vec<Op>) -> Result<()> {
        let mut frames = vec![(parent, children)];
        while let Some((parent, items)) = frames.last_mut() {
            let Some(item) = items.next() else {
                frames.pop();
                if !frames.is_empty() {
                    ops.push(Op::Close);
                }
                continue;
            };
            let parent = *parent;
            if let Some(inner) = self.child(parent, &item, ops)? {
                if frames.len() == MAX_DEPTH {
                    return Err(self.refuse(
                        parent,
                        "bad_element",
                        "Children are nested too deeply, or hold themselves",
                    ));
                }
                frames.push(inner);
            }
        }
        Ok(())
    }

    /// Reads one node. Returns the children of an element.
    fn child(&mut self, parent: u32, json: &Value, ops: &mut Vec<Op>) -> Result<Option<(u32, Items)>> {
        if !json.is_object() {
            return Ok(None);
        }
        let kind = json.field("type")?.number();
        if kind == Some(PIECE) {
            return self.piece(parent, json, ops).map(Some);
        }
        if kind == Some(TEXT) {
            let (priority, new_line) = (priority(json)?, json.field("lineBreakBefore")?.is_truthy());
            self.text(parent, &json.field("text")?, priority, new_line, ops)?;
        } else if kind == Some(OPAQUE) {
            let value = get(&json.host()?, "value")?;
            let usage = json.field("tokenUsage")?.number();
            let said = JSON::stringify(&value).ok().and_then(|text| text.as_string()).unwrap_or_default();
            let part = Part::Opaque {
                json: said,
                tokens: usage.map(|usage| usage.max(0.0).ceil() as u64),
                sealed: None,
                call_id: None,
            };
            let leaf = Leaf {
                kind: LeafKind::Opaque,
                priority: priority(json)?,
                tokens: usage.unwrap_or(0.0),
                part: Some(part),
            };
            self.add(Some(parent), None, Node::Part(raw(2, "value", value)));
            ops.push(Op::Leaf(Box::new(leaf)));
        } else if kind == Some(BREAKPOINT) && matches!(self.nodes[parent as usize], Node::Message { .. }) {
            let part = raw(3, "cacheType", json.field("cacheType")?.host()?);
            self.add(Some(parent), None, Node::Part(part));
            let leaf = Leaf { kind: LeafKind::Breakpoint, priority: MAX_PRIORITY, tokens: 0.0, part: None };
            ops.push(Op::Leaf(Box::new(leaf)));
        }
        // Other versions may have more kinds.
        Ok(None)
    }

    pub fn text(&mut self, parent: u32, text: &Value, priority: f64, new_line: bool, ops: &mut Vec<Op>) -> Result<()> {
        let (known, node) = match text.text() {
            Some(text) => {
                let start = self.texts.len() as u32;
                self.texts.push_str(&text);
                (text.into_owned(), Node::Text(start, self.texts.len() as u32))
            }
            None => {
                let text = text.written()?;
                (String::from(&text), Node::HostText(text))
            }
        };
        ops.push(Op::Text { text: Wording::Known(known), priority, new_line, literal: Literal::Whole });
        self.add(Some(parent), None, node);
        Ok(())
    }

    fn piece(&mut self, parent: u32, json: &Value, ops: &mut Vec<Op>) -> Result<(u32, Items)> {
        let props = json.field("props")?;
        let component = match json.field("component")? {
            Value::Absent => None,
            component => Some(component.host()?),
        };
        let name = json.field("ctorName")?.string();
        let name = name.or_else(|| component.as_ref().and_then(|component| component.as_string()));
        let id = self.add(Some(parent), Some(name.unwrap_or_default()), Node::Container);
        let flags = json.field("flags")?.number().unwrap_or_default() as u32;
        let number = |tree: &Tree, name: &'static str| -> Result<Option<f64>> {
            let value = props.field(name)?;
            match value.number().filter(|number| !number.is_nan()) {
                Some(number) => Ok(Some(number + 0.0)),
                None if value.is_nullish() => Ok(None),
                None => Err(tree.refuse(id, "bad_element", &format!("{name} must be a number"))),
            }
        };
        let own = number(self, "priority")?;
        let shape = match json.field("ctor")?.number() {
            Some(1.0) => self.message(id, json, &props)?,
            Some(3.0) => self.picture(id, &props.host()?, own)?,
            Some(4.0) => self.document(id, &props.host()?, own)?,
            _ => Shape::Container,
        };
        let keep_with = json.field("keepWithId")?.number().map(|id| self.keep(id));
        if let Some(component) = &component {
            if !self.is_live {
                return Err(self.refuse(id, "bad_element", "A component needs host.render, which makes its content"));
            }
            self.nodes[id as usize] = Node::Component(component.clone(), props.host()?);
        }
        ops.push(Op::Open(Box::new(Element {
            shape,
            priority: own,
            legacy: flags & 1 != 0,
            chunk: flags & 2 != 0,
            pass_priority: flags & 4 != 0,
            alternate: flags & 8 != 0,
            basis: number(self, "flexBasis")?.unwrap_or(1.0),
            grow: number(self, "flexGrow")?.unwrap_or(f64::INFINITY),
            reserve: self.reserve(id, &props.field("flexReserve")?)?,
            limit: json.field("tokenLimit")?.number(),
            keep_with,
            dynamic: component.is_some(),
            expandable: component.is_some() && json.field("expandable")?.host()? == true,
            spliced: !self.is_live,
        })));
        let children = if component.is_some() { None } else { json.field("children")?.items() };
        Ok((id, children.unwrap_or_else(|| Box::new(std::iter::empty()))))
    }

    fn reserve(&self, id: u32, reserve: &Value) -> Result<Option<Reserve>> {
        if let Some(tokens) = reserve.number().filter(|tokens| !tokens.is_nan()) {
            return Ok((tokens != 0.0).then_some(Reserve::Tokens(tokens)));
        }
        if reserve.is_nullish() {
            return Ok(None);
        }
        let share = reserve.string().filter(|share| share.starts_with('/'));
        // JavaScript converts numbers in texts: code for that in the wasm takes 5 kB.
        let share = share.and_then(|share| f64::try_from(JsValue::from(&share[1..])).ok());
        share.filter(|share| !share.is_nan()).map(Reserve::Share).map(Some).ok_or_else(|| {
            self.refuse(id, "bad_element", "flexReserve must be a number of tokens or a share such as \"/3\"")
        })
    }

    fn message(&mut self, id: u32, json: &Value, props: &Value) -> Result<Shape> {
        let Some(role) = props.field("role")?.number() else {
            return Err(self.refuse(id, "bad_element", "Invalid ChatMessage!"));
        };
        let role = role_of(role);
        let calls = list(&props.field("toolCalls")?.host()?);
        let kept = if calls.is_some() { list(&json.field("callsKeptWith")?.host()?) } else { None };
        let written = |value: Value| -> Result<String> {
            match value.text() {
                Some(text) => Ok(text.into_owned()),
                None => Ok(js_text(&value.host()?).into()),
            }
        };
        let (own_name, call_id) = (props.field("name")?, props.field("toolCallId")?);
        let mut shape = MessageShape {
            role,
            name: Some(own_name).filter(Value::is_truthy).map(written).transpose()?,
            calls: vec![],
            call_id: Some(call_id).filter(|id| !matches!(id, Value::Absent)).map(written).transpose()?,
            in_layout: self.is_live && role.is_some_and(|role| role != Role::Tool),
        };
        for (at, call) in calls.iter().flat_map(Array::iter).enumerate() {
            let function = get(&call, "function")?;
            let text = |object: &JsValue, name: &'static str| -> Result<String> {
                let value = get(object, name)?;
                Ok(if is_nullish(&value) { String::new() } else { js_text(&value).into() })
            };
            shape.calls.push(Call {
                call_id: text(&call, "id")?,
                name: text(&function, "name")?,
                arguments: text(&function, "arguments")?,
                keep_with: kept.as_ref().and_then(|kept| kept.get(at as u32).as_f64()).map(|id| self.keep(id)),
            });
        }
        self.nodes[id as usize] = Node::Message { props: props.clone(), calls };
        Ok(Shape::Message(shape))
    }

    fn picture(&mut self, id: u32, props: &JsValue, priority: Option<f64>) -> Result<Shape> {
        let src = js_text(&get(props, "src")?);
        let text = String::from(&src);
        let kind = PICTURES.iter().find(|(start, _)| text.starts_with(start));
        let url = kind.map_or_else(|| text.clone(), |(_, kind)| format!("data:{kind};base64,{text}"));
        let (detail, mime) = (get(props, "detail")?, get(props, "mimeType")?);
        let said = |value: &JsValue| Some(value).filter(|value| value.is_truthy()).map(|value| js_text(value).into());
        let data = url.starts_with("data:").then(|| {
            let start = url.find(',').map_or(0, |comma| comma + 1);
            url.get(start..HEADER.min(url.len())).unwrap_or_default().to_owned()
        });
        let part = Part::Image {
            url: if data.is_some() { None } else { Some(url.clone()) },
            data,
            media_type: said(&mime),
            detail: said(&detail),
        };
        let shown = if detail.is_null() { JsValue::UNDEFINED } else { detail };
        let reference = object(&[("url", url.into()), ("detail", shown)]);
        if mime.is_truthy() {
            set(&reference, "mediaType", mime);
        }
        self.nodes[id as usize] = Node::Part(raw(0, "imageUrl", reference.into()));
        Ok(leaf(LeafKind::Image, priority, part))
    }

    fn document(&mut self, id: u32, props: &JsValue, priority: Option<f64>) -> Result<Shape> {
        let (data, kind) = (get(props, "data")?, get(props, "mediaType")?);
        let text = |value: &JsValue| if is_nullish(value) { String::new() } else { js_text(value).into() };
        let part = document_of(&text(&data), &text(&kind));
        let reference = object(&[("data", data), ("mediaType", kind)]);
        self.nodes[id as usize] = Node::Part(raw(4, "documentData", reference.into()));
        Ok(leaf(LeafKind::Document, priority, part))
    }

    /// Returns our number for a group that is kept together.
    fn keep(&mut self, id: f64) -> u32 {
        let next = self.kept.size();
        if let Some(known) = self.kept.get(&id.into()).as_f64() {
            return known as u32;
        }
        self.kept.set(&id.into(), &next.into());
        next
    }
}

fn leaf(kind: LeafKind, priority: Option<f64>, part: Part) -> Shape {
    Shape::Leaf(Leaf { kind, priority: priority.unwrap_or(MAX_PRIORITY), tokens: 0.0, part: Some(part) })
}

fn priority(json: &Value) -> Result<f64> {
    let own = json.field("priority")?.number().filter(|priority| !priority.is_nan());
    Ok(own.map_or(MAX_PRIORITY, |priority| priority + 0.0))
}

/// Returns a part of a raw message.
fn raw(kind: u32, name: &'static str, value: JsValue) -> JsValue {
    object(&[("type", kind.into()), (name, value)]).into()
}

/// Returns a value as a text, as JavaScript writes it.
fn js_text(value: &JsValue) -> JsString {
    match value.dyn_ref::<JsString>() {
        Some(text) => text.clone(),
        // Joining a list converts each item to a text.
        None => Array::of1(value).join(""),
    }
}

fn display(props: &Value) -> &'static str {
    let role = props.field("role").ok().and_then(|role| role.number()).map_or(usize::MAX, |role| role as usize);
    ["system", "user", "assistant", "tool"].get(role).unwrap_or(&"")
}
