//! Plain data of the host, read in one crossing as its JSON text, which is used in place (see
//! [`tape`](crate::tool_result::tape)).
//!
//! One crossing per field costs more than everything else that is done with a tree of a thousand texts. The host's own
//! object supplies what JSON cannot represent (`undefined` in lists, NaN, lone surrogates), and a whole value that has
//! no JSON text: one that contains itself, throws, or is nested deeply.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use js_sys::{JSON, JsString, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use super::value::{self, Result, get, is_nullish, list};
use crate::tool_result::tape::{self, Kind, Node, read_within};

#[wasm_bindgen]
extern "C" {
    type TextEncoder;

    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;

    /// Ten times as fast as the glue's copy of a text, character by character.
    #[wasm_bindgen(method)]
    fn encode(this: &TextEncoder, text: &JsString) -> Uint8Array;
}

/// Maximum nesting that is read as JSON, because a value of the host is found by walking from the root.
const MAX_DEPTH: usize = 250;

/// A value of the host.
#[derive(Clone)]
pub enum Value {
    Absent,
    /// A node of a text; neither null nor a text with a lone surrogate.
    Plain(Rc<Plain>, u32),
    Host(JsValue),
}

/// JSON text with the positions of its values.
pub struct Plain {
    text: String,
    nodes: Vec<Node>,
    /// For each node the one around it, and its index there or the node of its name. Only values of the host need them.
    places: OnceCell<Vec<(u32, u32)>>,
    host: JsValue,
}

/// The items of a list, in order.
pub type Items = Box<dyn Iterator<Item = Value>>;

impl Value {
    /// Reads a value of the host without changing it.
    pub fn read(host: JsValue) -> Value {
        match Plain::read(&host) {
            Some(plain) => Rc::new(plain).value(0),
            None => Value::Host(host),
        }
    }

    /// Returns a field of an object; any other value has no fields.
    ///
    /// # Errors
    /// Any value that a getter of the host throws.
    pub fn field(&self, name: &'static str) -> Result<Value> {
        Ok(match self {
            Value::Absent => Value::Absent,
            Value::Plain(plain, at) => tape::field(&plain.text, &plain.nodes, *at as usize, name)
                .map_or(Value::Absent, |at| plain.value(at as u32)),
            Value::Host(host) => {
                let value = get(host, name)?;
                if value.is_undefined() { Value::Absent } else { Value::Host(value) }
            }
        })
    }

    pub fn is_object(&self) -> bool {
        match self {
            Value::Absent => false,
            Value::Plain(plain, at) => matches!(plain.node(*at).kind, Kind::Object | Kind::List),
            Value::Host(host) => host.is_object(),
        }
    }

    pub fn is_nullish(&self) -> bool {
        match self {
            Value::Absent => true,
            Value::Plain(..) => false,
            Value::Host(host) => is_nullish(host),
        }
    }

    pub fn is_truthy(&self) -> bool {
        match self {
            Value::Absent => false,
            Value::Plain(plain, at) => match (plain.node(*at).kind, plain.raw(*at)) {
                (Kind::Text, text) => !text.is_empty(),
                (Kind::Other, word) => word != "false" && self.number() != Some(0.0),
                _ => true,
            },
            Value::Host(host) => host.is_truthy(),
        }
    }

    /// Returns the value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Absent => None,
            Value::Plain(plain, at) => plain.number(*at),
            Value::Host(host) => host.as_f64(),
        }
    }

    /// Returns the value as a text, if it is one and has no lone surrogates.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Plain(plain, at) if plain.node(*at).kind == Kind::Text => {
                let has_escapes = plain.node(*at).items > 0;
                Some(if has_escapes { Cow::Owned(plain.unescaped(*at)) } else { Cow::Borrowed(plain.raw(*at)) })
            }
            _ => None,
        }
    }

    /// Returns the value as a text, with a replacement for each lone surrogate.
    pub fn string(&self) -> Option<String> {
        match self {
            Value::Host(host) => host.as_string(),
            _ => self.text().map(Cow::into_owned),
        }
    }

    /// Returns the items of a list; `None` for anything else.
    pub fn items(&self) -> Option<Items> {
        match self {
            Value::Absent => None,
            Value::Plain(plain, at) => {
                let (plain, mut at, end) = (Rc::clone(plain), *at + 1, plain.node(*at).next);
                let is_list = plain.node(at - 1).kind == Kind::List;
                let items = std::iter::from_fn(move || {
                    let item = ((at as usize) < end).then(|| plain.value(at))?;
                    at = plain.node(at).next as u32;
                    Some(item)
                });
                is_list.then(|| Box::new(items) as Items)
            }
            Value::Host(host) => {
                let list = list(host)?;
                Some(Box::new((0..list.length()).map(move |at| Value::Host(list.get(at)))))
            }
        }
    }

    /// Returns the host's own value.
    ///
    /// # Errors
    /// Any value that a getter of the host throws.
    pub fn host(&self) -> Result {
        match self {
            Value::Absent => Ok(JsValue::UNDEFINED),
            Value::Plain(plain, at) => plain.host(*at),
            Value::Host(host) => Ok(host.clone()),
        }
    }

    /// Returns the value as a text, as JavaScript writes it.
    ///
    /// # Errors
    /// Any value that a getter of the host throws.
    pub fn written(&self) -> Result<JsString> {
        let host = self.host()?;
        Ok(match host.dyn_into::<JsString>() {
            Ok(text) => text,
            Err(other) => value::string(&other).unwrap_or_default().into(),
        })
    }
}

impl Plain {
    fn read(host: &JsValue) -> Option<Plain> {
        let text = JSON::stringify(host).ok()?.dyn_into::<JsString>().ok()?;
        let text = String::from_utf8(TextEncoder::new().encode(&text).to_vec()).ok()?;
        let nodes = read_within(&text, MAX_DEPTH)?;
        Some(Plain { text, nodes, places: OnceCell::new(), host: host.clone() })
    }

    fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// Returns the JSON text of a value, without the quotes of a text.
    fn raw(&self, at: u32) -> &str {
        let Node { kind, start, end, .. } = *self.node(at);
        let quote = usize::from(kind == Kind::Text);
        self.text.get(start + quote..end - quote).unwrap_or_default()
    }

    fn unescaped(&self, at: u32) -> String {
        let Node { start, end, .. } = *self.node(at);
        serde_json::from_str(&self.text[start..end]).unwrap_or_default()
    }

    /// Returns a number. JavaScript converts those with fractions: code for that in the wasm takes 5 kB.
    fn number(&self, at: u32) -> Option<f64> {
        let raw = self.raw(at);
        let is_number = self.node(at).kind == Kind::Other && !raw.starts_with(['t', 'f']);
        let by_host = |_| f64::try_from(JsValue::from(raw)).unwrap_or(f64::NAN);
        is_number.then(|| raw.parse::<i64>().map_or_else(by_host, |whole| whole as f64))
    }

    /// Returns true for a value that must be read from the host: JSON writes null for a value that it cannot represent,
    /// and an escape for half of a surrogate pair.
    fn is_lossy(&self, at: u32) -> bool {
        match *self.node(at) {
            Node { kind: Kind::Text, items: escapes, .. } => escapes > 0 && self.raw(at).contains("\\ud"),
            Node { kind: Kind::Other, .. } => self.raw(at) == "null",
            _ => false,
        }
    }

    fn value(self: &Rc<Plain>, at: u32) -> Value {
        if self.is_lossy(at) {
            // A getter that throws only at the second reading has no value.
            return self
                .host(at)
                .map_or(Value::Absent, |host| if host.is_undefined() { Value::Absent } else { Value::Host(host) });
        }
        Value::Plain(Rc::clone(self), at)
    }

    /// Returns the host's own value by its path from the root.
    fn host(&self, at: u32) -> Result {
        let places = self.places.get_or_init(|| places(&self.nodes));
        let around = |at: &u32| (*at > 0).then(|| places[*at as usize].0);
        let way: Vec<u32> = std::iter::successors(Some(at), around).filter(|at| *at > 0).collect();
        way.into_iter().rev().try_fold(self.host.clone(), |host, at| {
            let (around, place) = places[at as usize];
            match self.node(around).kind {
                Kind::List => Reflect::get_u32(&host, place),
                _ => Reflect::get(&host, &self.raw(place).into()),
            }
        })
    }
}

/// Returns for each node the one around it, and its index there or the node of its name.
fn places(nodes: &[Node]) -> Vec<(u32, u32)> {
    let mut places = vec![(0, 0); nodes.len()];
    for (around, node) in nodes.iter().enumerate() {
        let (mut at, mut index) = (around + 1, 0);
        while matches!(node.kind, Kind::List | Kind::Object) && at < node.next {
            if node.kind == Kind::Object {
                index = at as u32;
                at += 1;
            }
            places[at] = (around as u32, index);
            at = nodes[at].next;
            index += 1;
        }
    }
    places
}
