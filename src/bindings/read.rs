//! Reads JavaScript values into types, and reports the path of an error.
//!
//! There is one deserializer with one kind of error, because a deserializer is compiled again for each type that it
//! reads: generic ones, with wrappers that track the path, took an eighth of the engine's size.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use js_sys::{Array, JsString, Object, Symbol};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Expected, Unexpected, Visitor};
use wasm_bindgen::prelude::*;

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

fn whole(value: &JsValue) -> Option<i64> {
    value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= SAFE).map(|number| number as i64)
}

struct Js(JsValue);

impl Js {
    fn is_nullish(&self) -> bool {
        self.0.is_undefined() || self.0.is_null()
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

    fn into_variant(self, is_tagged: bool, expected: &dyn Expected) -> Result<Variant> {
        if is_tagged {
            if !self.0.is_object() {
                return Err(self.wrong(expected));
            }
            let name = Js(self.0.unchecked_ref::<Named>().get(&js_name(TYPE)[0]));
            if name.0.is_undefined() {
                return Err(de::Error::missing_field(TYPE));
            }
            let name = name.0.as_string().ok_or_else(|| name.wrong(&"a name").under(TYPE))?;
            return Ok(Variant { name, value: self, is_tagged });
        }
        if let Some(name) = self.0.as_string() {
            return Ok(Variant { name, value: Js(JsValue::UNDEFINED), is_tagged });
        }
        let entries = if self.0.is_object() { Object::entries(self.0.unchecked_ref()) } else { Array::new() };
        let (name, value) = pair(&entries.get(0));
        match name.as_string() {
            Some(name) if entries.length() == 1 => Ok(Variant { name, value: Js(value), is_tagged }),
            _ => Err(self.wrong(expected)),
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, expected: &dyn Expected) -> Wrong {
        let text;
        let found = if self.is_nullish() {
            Unexpected::Unit
        } else if let Some(found) = self.0.as_bool() {
            Unexpected::Bool(found)
        } else if let Some(found) = self.0.as_f64() {
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

/// Each line: how a value is read, how it is visited, and the requests for it. The requested type checks the range of
/// whole numbers.
macro_rules! scalars {
    ($($read:path, $visit:ident: $($method:ident)*;)*) => {
        $($(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match $read(&self.0) {
                Some(value) => visitor.$visit(value),
                None => Err(self.wrong(&visitor)),
            }
        })*)*
    };
}

impl<'de> de::Deserializer<'de> for Js {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nullish() {
            visitor.visit_unit()
        } else if let Some(text) = self.0.as_string() {
            visitor.visit_string(text)
        } else if let Some(whole) = whole(&self.0) {
            visitor.visit_i64(whole)
        } else if let Some(number) = self.0.as_f64() {
            visitor.visit_f64(number)
        } else if let Some(is) = self.0.as_bool() {
            visitor.visit_bool(is)
        } else if Array::is_array(&self.0) {
            self.deserialize_seq(visitor)
        } else {
            self.deserialize_map(visitor)
        }
    }

    scalars! {
        JsValue::as_bool, visit_bool: deserialize_bool;
        whole, visit_i64: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64;
        whole, visit_i64: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64;
        JsValue::as_f64, visit_f64: deserialize_f32 deserialize_f64;
        JsValue::as_string, visit_string: deserialize_str deserialize_string deserialize_identifier;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nullish() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
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
                let pairs = Source::Pairs(Items { end: list.length(), at: 0, list });
                visitor.visit_map(Fields { source: pairs, name: Cow::Borrowed(""), value: JsValue::UNDEFINED })
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
        let named = Source::Named { object: self.0, fields, names: js_names(fields), next: 0 };
        visitor.visit_map(Fields { source: named, name: Cow::Borrowed(""), value: JsValue::UNDEFINED })
    }

    /// Reads `"name"`, or `{ name: value }`, or the fields of the variant that the field [`TYPE`] names.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let variant = self.into_variant(name == TYPE, &visitor)?;
        visitor.visit_enum(variant)
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

/// The fields of an object.
struct Fields {
    source: Source,
    /// The current field.
    name: Cow<'static, str>,
    value: JsValue,
}

enum Source {
    /// `next` is the index of the field after the current one.
    Named { object: JsValue, fields: &'static [&'static str], names: Names, next: usize },
    /// Pairs of key and value.
    Pairs(Items),
}

impl Fields {
    /// Advances to the next field that the object has. An undefined field of a named one counts as absent.
    fn advance(&mut self) -> Result<bool> {
        match &mut self.source {
            Source::Named { object, fields, names, next } => {
                while let Some(name) = names.get(*next) {
                    *next += 1;
                    self.value = object.unchecked_ref::<Named>().get(name);
                    if !self.value.is_undefined() {
                        self.name = Cow::Borrowed(fields[*next - 1]);
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Source::Pairs(items) => {
                let Some(entry) = items.next() else { return Ok(false) };
                let (key, value) = pair(&entry);
                self.name = Cow::Owned(key.as_string().ok_or_else(|| Js(key).wrong(&"a text as key"))?);
                self.value = value;
                Ok(true)
            }
        }
    }
}

impl<'de> de::MapAccess<'de> for Fields {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.advance()? { seed.deserialize(StrDeserializer::new(&self.name)).map(Some) } else { Ok(None) }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match seed.deserialize(Js(std::mem::take(&mut self.value))) {
            Ok(value) => Ok(value),
            Err(wrong) => Err(wrong.under(&self.name)),
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

/// A variant, by its own name or by the field [`TYPE`] of its object.
struct Variant {
    name: String,
    value: Js,
    is_tagged: bool,
}

impl Variant {
    /// Adds to an error in the value where that is.
    #[cold]
    #[inline(never)]
    fn place(name: &str, is_tagged: bool, wrong: Wrong) -> Wrong {
        if is_tagged { wrong } else { wrong.under(name) }
    }
}

impl<'de> de::EnumAccess<'de> for Variant {
    type Error = Wrong;
    type Variant = Variant;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Variant)> {
        match seed.deserialize(StrDeserializer::new(&self.name)) {
            Ok(variant) => Ok((variant, self)),
            Err(wrong) => Err(Variant::place(TYPE, !self.is_tagged, wrong)),
        }
    }
}

impl<'de> de::VariantAccess<'de> for Variant {
    type Error = Wrong;

    fn unit_variant(self) -> Result<()> {
        if self.value.is_nullish() { Ok(()) } else { Err(self.value.wrong(&"nothing").under(&self.name)) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.value).map_err(|wrong| Variant::place(&self.name, self.is_tagged, wrong))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_tuple(self.value, length, visitor).map_err(|wrong| wrong.under(&self.name))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_struct(self.value, "", fields, visitor)
            .map_err(|wrong| Variant::place(&self.name, self.is_tagged, wrong))
    }
}
