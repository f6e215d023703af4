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
use crate::tagged::TYPE;

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

    /// Returns lists unchanged, and other iterable values (sets, maps) as lists; the value itself if it is neither.
    fn into_list(self) -> std::result::Result<Array, Js> {
        if Array::is_array(&self.0) {
            return Ok(self.0.unchecked_into());
        }
        let walks = self.0.is_object() && Symbol::iterator().js_in(&self.0);
        if walks { Ok(Array::from(&self.0)) } else { Err(self) }
    }

    /// Returns pairs of key and value.
    fn into_entries(self) -> std::result::Result<Array, Js> {
        self.into_list().or_else(|value| {
            if value.0.is_object() { Ok(Object::entries(value.0.unchecked_ref())) } else { Err(value) }
        })
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
        match self.into_list() {
            Ok(list) => visitor.visit_seq(Items { end: list.length(), at: 0, list }),
            Err(value) => Err(value.wrong(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.into_entries() {
            Ok(list) => {
                let items = Items { end: list.length(), at: 0, list };
                visitor.visit_map(Entries { items, key: String::new(), value: JsValue::UNDEFINED })
            }
            Err(value) => Err(value.wrong(&visitor)),
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
        let names = js_names(fields);
        visitor.visit_map(Fields { object: self.0, fields, names, next: 0, value: JsValue::UNDEFINED })
    }

    /// Reads `"name"`, or `{ name: value }`, or the fields of the variant that the field [`TYPE`] names.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if name == TYPE {
            if !self.0.is_object() {
                return Err(self.wrong(&visitor));
            }
            let name = self.0.unchecked_ref::<Named>().get(&js_name(TYPE)[0]);
            return visitor.visit_enum(Tagged { name, object: self });
        }
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

    /// Fields are looked up by name, see [`crate::tagged`].
    fn is_human_readable(&self) -> bool {
        false
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
    fields: &'static [&'static str],
    names: Names,
    /// Index of the field after the current one.
    next: usize,
    value: JsValue,
}

impl Fields {
    /// Advances to the next field that the object has, and returns its name. An undefined field counts as absent.
    fn next(&mut self) -> Option<&'static str> {
        while let Some(name) = self.names.get(self.next) {
            self.next += 1;
            self.value = self.object.unchecked_ref::<Named>().get(name);
            if !self.value.is_undefined() {
                return Some(self.fields[self.next - 1]);
            }
        }
        None
    }
}

impl<'de> de::MapAccess<'de> for Fields {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some(name) = self.next() else { return Ok(None) };
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match seed.deserialize(Js(std::mem::take(&mut self.value))) {
            Ok(value) => Ok(value),
            Err(wrong) => Err(wrong.under(self.fields[self.next - 1])),
        }
    }
}

/// JavaScript strings. Shared, because a copy of a JavaScript value is another value.
type Names = Rc<[JsString]>;

thread_local! {
    /// JavaScript strings of field names, by the place of their name or list of names in the program.
    static NAMES: RefCell<Vec<((usize, usize), Names)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the JavaScript strings of a list of names, created once.
fn js_names(names: &'static [&'static str]) -> Names {
    created_once((names.as_ptr() as usize, names.len()), names)
}

/// Returns the JavaScript string of a name, created once, as the only item.
pub(super) fn js_name(name: &'static str) -> Names {
    created_once((name.as_ptr() as usize, name.len()), &[name])
}

fn created_once(place: (usize, usize), names: &[&'static str]) -> Names {
    NAMES.with_borrow_mut(|known| {
        let at = match known.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => at,
            Err(at) => {
                known.insert(at, (place, names.iter().map(|name| JsString::from(*name)).collect()));
                at
            }
        };
        Rc::clone(&known[at].1)
    })
}

/// An object whose field [`TYPE`] names its variant.
struct Tagged {
    name: JsValue,
    object: Js,
}

impl<'de> de::EnumAccess<'de> for Tagged {
    type Error = Wrong;
    type Variant = Js;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Js)> {
        if self.name.is_undefined() {
            return Err(de::Error::missing_field(TYPE));
        }
        match seed.deserialize(Js(self.name)) {
            Ok(value) => Ok((value, self.object)),
            Err(wrong) => Err(wrong.under(TYPE)),
        }
    }
}

impl<'de> de::VariantAccess<'de> for Js {
    type Error = Wrong;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_tuple(self, length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_struct(self, "", fields, visitor)
    }
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
