//! Plain data of the host, read in one crossing as its JSON text, which is parsed in place.
//!
//! One crossing per field costs more than everything else that is done with a tree of a thousand texts. The host's own
//! object supplies what JSON cannot represent (`undefined` in lists, NaN, lone surrogates), and a whole value that has
//! no JSON text: one that contains itself, throws, or is nested deeply.

use std::borrow::Cow;
use std::rc::Rc;

use js_sys::{Array, JSON, JsString, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use super::value::{self, Result, get, is_nullish, list};

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
    /// An item of a text; neither null nor a text with a lone surrogate.
    Plain(Rc<Plain>, u32),
    Host(JsValue),
}

/// JSON text with the positions of its values.
pub struct Plain {
    text: String,
    items: Vec<Item>,
    host: JsValue,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    List,
    Text,
    /// A text with escapes.
    Escaped,
    Number,
    True,
    False,
    /// Must be read from the host: JSON writes null for a value that it cannot represent, and an escape for half of a
    /// surrogate pair.
    Lossy,
}

struct Item {
    kind: Kind,
    /// Its text, without the quotes.
    start: u32,
    end: u32,
    /// Index of the first item outside this one.
    next: u32,
    parent: u32,
    /// Start and end of its name, or its index in a list.
    name: (u32, u32),
}

/// The items of a list, in order.
pub enum Items {
    Plain(Rc<Plain>, u32, u32),
    Host(Array, u32),
    One(Option<Value>),
}

impl Iterator for Items {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Items::Plain(plain, at, end) => (at < end).then(|| {
                let value = plain.value(*at);
                *at = plain.items[*at as usize].next;
                value
            }),
            Items::Host(list, at) => (*at < list.length()).then(|| {
                *at += 1;
                Value::Host(list.get(*at - 1))
            }),
            Items::One(one) => one.take(),
        }
    }
}

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
            Value::Plain(plain, at) => plain.field(*at, name).map_or(Value::Absent, |at| plain.value(at)),
            Value::Host(host) => {
                let value = get(host, name)?;
                if value.is_undefined() { Value::Absent } else { Value::Host(value) }
            }
        })
    }

    pub fn is_object(&self) -> bool {
        match self {
            Value::Absent => false,
            Value::Plain(plain, at) => matches!(plain.kind(*at), Kind::Object | Kind::List),
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
            Value::Plain(plain, at) => match plain.kind(*at) {
                Kind::False => false,
                Kind::Text => !plain.raw(*at).is_empty(),
                Kind::Number => self.number() != Some(0.0),
                _ => true,
            },
            Value::Host(host) => host.is_truthy(),
        }
    }

    /// Returns the value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Absent => None,
            Value::Plain(plain, at) => (plain.kind(*at) == Kind::Number).then(|| number(plain.raw(*at))),
            Value::Host(host) => host.as_f64(),
        }
    }

    /// Returns the value as a text, if it is one and has no lone surrogates.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Plain(plain, at) => match plain.kind(*at) {
                Kind::Text => Some(Cow::Borrowed(plain.raw(*at))),
                Kind::Escaped => Some(Cow::Owned(unescaped(plain.raw(*at)))),
                _ => None,
            },
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
            Value::Plain(plain, at) => (plain.kind(*at) == Kind::List)
                .then(|| Items::Plain(Rc::clone(plain), at + 1, plain.items[*at as usize].next)),
            Value::Host(host) => list(host).map(|list| Items::Host(list, 0)),
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
        let items = items(text.as_bytes())?;
        Some(Plain { text, items, host: host.clone() })
    }

    fn kind(&self, at: u32) -> Kind {
        self.items[at as usize].kind
    }

    fn raw(&self, at: u32) -> &str {
        let item = &self.items[at as usize];
        self.text.get(item.start as usize..item.end as usize).unwrap_or_default()
    }

    fn value(self: &Rc<Plain>, at: u32) -> Value {
        if self.kind(at) == Kind::Lossy {
            // A getter that throws only at the second reading has no value.
            return self
                .host(at)
                .map_or(Value::Absent, |host| if host.is_undefined() { Value::Absent } else { Value::Host(host) });
        }
        Value::Plain(Rc::clone(self), at)
    }

    fn field(&self, object: u32, name: &str) -> Option<u32> {
        let Item { kind: Kind::Object, next: end, .. } = self.items[object as usize] else { return None };
        let mut at = object + 1;
        while at < end {
            let item = &self.items[at as usize];
            if self.text.as_bytes().get(item.name.0 as usize..item.name.1 as usize) == Some(name.as_bytes()) {
                return Some(at);
            }
            at = item.next;
        }
        None
    }

    /// Returns the host's own value by its path from the root.
    fn host(&self, at: u32) -> Result {
        let mut way: Vec<u32> = std::iter::successors(Some(at), |at| Some(self.items[*at as usize].parent))
            .take_while(|at| *at > 0)
            .collect();
        way.reverse();
        let mut host = self.host.clone();
        for at in way {
            let item = &self.items[at as usize];
            host = match self.kind(item.parent) {
                Kind::List => Reflect::get_u32(&host, item.name.0)?,
                _ => Reflect::get(&host, &self.text[item.name.0 as usize..item.name.1 as usize].into())?,
            };
        }
        Ok(host)
    }
}

/// Returns the values of a text that `JSON.stringify` wrote, which has no white space and no mistakes; `None` if they
/// are nested too deeply.
fn items(text: &[u8]) -> Option<Vec<Item>> {
    let mut items: Vec<Item> = Vec::with_capacity(text.len() / 12);
    // Open lists and objects, with the number of their items.
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b',' {
            at += 1;
            continue;
        }
        if byte == b'}' || byte == b']' {
            at += 1;
            let (closed, _) = open.pop()?;
            let next = items.len() as u32;
            let item = items.get_mut(closed as usize)?;
            (item.end, item.next) = (at as u32, next);
            continue;
        }
        let mut name = (0, 0);
        let mut parent = 0;
        if let Some((around, count)) = open.last_mut() {
            parent = *around;
            if items.get(parent as usize)?.kind == Kind::Object {
                let (_, end) = quoted(text, at);
                name = (at as u32 + 1, end as u32);
                // After the quote and the colon.
                at = end + 2;
            } else {
                name.0 = *count;
            }
            *count += 1;
        }
        let (index, begin) = (items.len() as u32, at);
        let (kind, start, end, next) = match text.get(at)? {
            first @ (b'{' | b'[') => {
                if open.len() == MAX_DEPTH {
                    return None;
                }
                open.push((index, 0));
                (if *first == b'{' { Kind::Object } else { Kind::List }, begin, begin, at + 1)
            }
            b'"' => {
                let (kind, end) = quoted(text, at);
                (kind, begin + 1, end, end + 1)
            }
            first => {
                let length = text[at..].iter().position(|byte| matches!(byte, b',' | b'}' | b']'));
                let end = length.map_or(text.len(), |length| at + length);
                let kind = match first {
                    b't' => Kind::True,
                    b'f' => Kind::False,
                    b'n' => Kind::Lossy,
                    _ => Kind::Number,
                };
                (kind, begin, end, end)
            }
        };
        items.push(Item { kind, start: start as u32, end: end as u32, next: index + 1, parent, name });
        at = next;
    }
    (!items.is_empty()).then_some(items)
}

/// Returns the kind of the text that begins with the quote at `start`, and the position of its last quote.
fn quoted(text: &[u8], start: usize) -> (Kind, usize) {
    let mut kind = Kind::Text;
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => break,
            b'\\' => {
                if kind == Kind::Text {
                    kind = Kind::Escaped;
                }
                // Only lone surrogates are written as escapes; pairs are not.
                if text.get(at + 1..at + 3) == Some(b"ud") {
                    kind = Kind::Lossy;
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
    (kind, at)
}

fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut letters = escape.chars();
        text.push(match letters.next().unwrap_or_default() {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let code = letters.as_str().get(..4).unwrap_or_default();
                letters = letters.as_str().get(4..).unwrap_or_default().chars();
                u32::from_str_radix(code, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            itself => itself,
        });
        rest = letters.as_str();
    }
    text.push_str(rest);
    text
}

/// Reads a number in JSON. JavaScript converts numbers with fractions: code for that in the wasm takes 5 kB.
fn number(text: &str) -> f64 {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() > 15 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return f64::try_from(JsValue::from(text)).unwrap_or(f64::NAN);
    }
    let whole = digits.bytes().fold(0.0, |sum, byte| sum * 10.0 + f64::from(byte - b'0'));
    if digits.len() < text.len() { -whole } else { whole }
}
