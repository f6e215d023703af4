//! Reads JavaScript values into types, and reports the path of an error.
//!
//! There is one deserializer with one kind of error, because a deserializer is compiled again for each type that it
//! reads: generic ones, with wrappers that track the path, took an eighth of the engine's size.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use js_sys::{Array, JsString, Object, Symbol};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Expected, Unexpected, Visitor};
use wasm_bindgen::prelude::*;

use super::host;

/// An error in a value.
#[derive(Debug)]
pub struct Wrong(Box<Report>);

#[derive(Debug)]
struct Report {
    message: String,
    /// The path, as `to[3].field`; empty for the value itself. Grows from the inside outwards.
    path: String,
}

impl Wrong {
    fn new(message: String) -> Wrong {
        Wrong(Box::new(Report { message, path: String::new() }))
    }

    /// Adds the enclosing field `name` to the path.
    #[cold]
    #[inline(never)]
    pub fn under(mut self, name: &str) -> Wrong {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// Returns the message and the path.
    pub fn into_parts(self) -> (String, String) {
        let report = *self.0;
        (report.message, report.path)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Wrong {
        Wrong::new(message.to_string())
    }
}

type Result<T> = std::result::Result<T, Wrong>;

/// Reads a value.
///
/// # Errors
/// The error of the innermost wrong value, with its path.
pub fn read<T: DeserializeOwned>(value: JsValue) -> Result<T> {
    T::deserialize(Js(value))
}

#[wasm_bindgen]
extern "C" {
    /// An object whose fields are read by cached names.
    type Named;

    #[wasm_bindgen(method, indexing_getter)]
    fn get(this: &Named, name: &JsString) -> JsValue;
}

/// The maximum whole number below which all are exact.
const SAFE: f64 = 9_007_199_254_740_991.0;

struct Js(JsValue);

impl Js {
    fn is_nullish(&self) -> bool {
        self.0.is_undefined() || self.0.is_null()
    }

    fn number(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn whole(&self) -> Option<i64> {
        self.number().filter(|number| number.fract() == 0.0 && number.abs() <= SAFE).map(|number| number as i64)
    }

    /// Returns lists unchanged, and other iterable values (sets, maps) as lists.
    fn list(&self) -> Option<Array> {
        if Array::is_array(&self.0) {
            return Some(self.0.clone().unchecked_into());
        }
        let walks = self.0.is_object() && Symbol::iterator().js_in(&self.0);
        walks.then(|| Array::from(&self.0))
    }

    /// Returns pairs of key and value.
    fn entries(&self) -> Option<Array> {
        if let Some(list) = self.list() {
            return Some(list);
        }
        self.0.is_object().then(|| Object::entries(self.0.unchecked_ref()))
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, expected: &dyn Expected) -> Wrong {
        let text;
        let found = if self.is_nullish() {
            Unexpected::Unit
        } else if let Some(found) = self.0.as_bool() {
            Unexpected::Bool(found)
        } else if let Some(found) = self.number() {
            Unexpected::Float(found)
        } else if let Some(found) = self.0.as_string() {
            text = found;
            Unexpected::Str(&text)
        } else if Array::is_array(&self.0) {
            Unexpected::Seq
        } else if self.0.is_object() {
            Unexpected::Map
        } else {
            Unexpected::Other("something that is no data")
        };
        de::Error::invalid_type(found, expected)
    }
}

/// Numbers: the requested type checks the range of whole numbers.
macro_rules! whole {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.whole() {
                Some(number) => visitor.visit_i64(number),
                None => Err(self.wrong(&visitor)),
            }
        })*
    };
}

impl<'de> de::Deserializer<'de> for Js {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nullish() {
            visitor.visit_unit()
        } else if let Some(text) = self.0.as_string() {
            visitor.visit_string(text)
        } else if let Some(whole) = self.whole() {
            visitor.visit_i64(whole)
        } else if let Some(number) = self.number() {
            visitor.visit_f64(number)
        } else if let Some(is) = self.0.as_bool() {
            visitor.visit_bool(is)
        } else if Array::is_array(&self.0) {
            self.deserialize_seq(visitor)
        } else {
            self.deserialize_map(visitor)
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.as_bool() {
            Some(is) => visitor.visit_bool(is),
            None => Err(self.wrong(&visitor)),
        }
    }

    whole! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.number() {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.as_string() {
            Some(text) => visitor.visit_string(text),
            None => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nullish() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if name == host::FUNCTION {
            return if host::pass(&self.0) { visitor.visit_unit() } else { Err(self.wrong(&visitor)) };
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.list() {
            Some(list) => visitor.visit_seq(Items { end: list.length(), at: 0, list }),
            None => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.entries() {
            Some(list) => {
                let items = Items { end: list.length(), at: 0, list };
                visitor.visit_map(Entries { items, key: String::new(), value: JsValue::UNDEFINED })
            }
            None => Err(self.wrong(&visitor)),
        }
    }

    /// Reads fields by name: other fields of an object are ignored.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if !self.0.is_object() {
            return Err(self.wrong(&visitor));
        }
        visitor.visit_map(Fields { object: self.0, rest: fields.iter(), name: "", value: JsValue::UNDEFINED })
    }

    /// Reads `"name"`, or `{ name: value }`.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(name) = self.0.as_string() {
            return visitor.visit_enum(Variant { name, value: JsValue::UNDEFINED });
        }
        let entries = if self.0.is_object() { Object::entries(self.0.unchecked_ref()) } else { Array::new() };
        let (name, value) = pair(&entries.get(0));
        match name.as_string() {
            Some(name) if entries.length() == 1 => visitor.visit_enum(Variant { name, value }),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nullish() { visitor.visit_unit() } else { Err(self.wrong(&visitor)) }
    }

    serde::forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit_struct }
}

fn pair(pair: &JsValue) -> (JsValue, JsValue) {
    let pair: &Array = pair.unchecked_ref();
    if Array::is_array(pair) { (pair.get(0), pair.get(1)) } else { (JsValue::UNDEFINED, JsValue::UNDEFINED) }
}

struct Items {
    list: Array,
    at: u32,
    end: u32,
}

impl Items {
    fn next(&mut self) -> Option<JsValue> {
        if self.at >= self.end {
            return None;
        }
        self.at += 1;
        Some(self.list.get(self.at - 1))
    }

    /// Adds the index of the last item to an error.
    #[cold]
    #[inline(never)]
    fn wrong(&self, wrong: Wrong) -> Wrong {
        wrong.under(&format!("[{}]", self.at - 1))
    }
}

impl<'de> de::SeqAccess<'de> for Items {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(item) = self.next() else { return Ok(None) };
        match seed.deserialize(Js(item)) {
            Ok(value) => Ok(Some(value)),
            Err(wrong) => Err(self.wrong(wrong)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some((self.end - self.at) as usize)
    }
}

struct Entries {
    items: Items,
    key: String,
    value: JsValue,
}

impl Entries {
    fn next(&mut self) -> Result<bool> {
        let Some(entry) = self.items.next() else { return Ok(false) };
        let (key, value) = pair(&entry);
        self.key = key.as_string().ok_or_else(|| Js(key).wrong(&"a text as key"))?;
        self.value = value;
        Ok(true)
    }
}

impl<'de> de::MapAccess<'de> for Entries {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next()? {
            return Ok(None);
        }
        seed.deserialize(StrDeserializer::new(&self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match seed.deserialize(Js(std::mem::take(&mut self.value))) {
            Ok(value) => Ok(value),
            Err(wrong) => Err(wrong.under(&self.key)),
        }
    }
}

struct Fields {
    object: JsValue,
    rest: std::slice::Iter<'static, &'static str>,
    name: &'static str,
    value: JsValue,
}

impl Fields {
    /// Advances to the next field that the object has. An undefined field counts as absent.
    fn next(&mut self) -> bool {
        for name in &mut self.rest {
            let value = self.object.unchecked_ref::<Named>().get(&js_name(name));
            if !value.is_undefined() {
                (self.name, self.value) = (name, value);
                return true;
            }
        }
        false
    }
}

impl<'de> de::MapAccess<'de> for Fields {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next() {
            return Ok(None);
        }
        seed.deserialize(StrDeserializer::new(self.name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match seed.deserialize(Js(std::mem::take(&mut self.value))) {
            Ok(value) => Ok(value),
            Err(wrong) => Err(wrong.under(self.name)),
        }
    }
}

thread_local! {
    /// JavaScript strings of field names, by their address in the program.
    static NAMES: RefCell<Vec<(&'static str, Rc<JsString>)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the JavaScript string of a field name, created once. Shared, because a copy of a JavaScript value is another
/// value.
pub(super) fn js_name(name: &'static str) -> Rc<JsString> {
    let place = |name: &'static str| (name.as_ptr() as usize, name.len());
    NAMES.with_borrow_mut(|names| {
        let at = match names.binary_search_by_key(&place(name), |(known, _)| place(known)) {
            Ok(at) => at,
            Err(at) => {
                names.insert(at, (name, Rc::new(JsString::from(name))));
                at
            }
        };
        Rc::clone(&names[at].1)
    })
}

struct Variant {
    name: String,
    value: JsValue,
}

impl<'de> de::EnumAccess<'de> for Variant {
    type Error = Wrong;
    type Variant = Variant;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Variant)> {
        Ok((seed.deserialize(StrDeserializer::new(&self.name))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant {
    type Error = Wrong;

    fn unit_variant(self) -> Result<()> {
        let value = Js(self.value);
        if value.is_nullish() { Ok(()) } else { Err(value.wrong(&"nothing").under(&self.name)) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(Js(self.value)).map_err(|wrong| wrong.under(&self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_tuple(Js(self.value), length, visitor).map_err(|wrong| wrong.under(&self.name))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_struct(Js(self.value), "", fields, visitor)
            .map_err(|wrong| wrong.under(&self.name))
    }
}
