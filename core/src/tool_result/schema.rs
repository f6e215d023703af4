//! Describes the shape of a large JSON result, so that a model can query it without reading it.
//!
//! The document is parsed once and no tree is built: every value is merged into a [`Shape`] as the parser reads it.
//! Items of a list are merged into one shape, in which the fields that all items have are required; alternatives are in
//! the order of their first appearance, objects last.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use crate::tokens::Tokenizer;

/// Maximum keys of a record; objects with more keys whose values all have the same shape are maps.
const MAP_KEYS: usize = 50;
/// Maximum depth of a description.
const MAX_DEPTH: usize = 8;
/// Maximum tokens of a schema; deeper levels are removed until it fits.
const MAX_TOKENS: u64 = 1_500;

/// The merged shape of all values at one position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    /// Kinds in the order of their first appearance.
    kinds: Vec<Kind>,
    items: Option<Box<Items>>,
    fields: Option<Box<Fields>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    Array,
    Object,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Items {
    /// Minimum and maximum number of items of a list at this position.
    lengths: Option<(usize, usize)>,
    shape: Shape,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Fields {
    /// Number of merged objects.
    objects: usize,
    names: Vec<(String, usize, Shape)>,
    places: crate::map::HashMap<String, usize>,
}

/// The form of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// With the lengths of lists as `x-count`, objects used as maps as `additionalProperties`.
    Espalier,
    /// Copilot Chat's form.
    CopilotChat,
}

impl Shape {
    /// Returns the shape of a JSON text; `None` if it is not JSON.
    ///
    /// ```
    /// use espalier::tool_result::schema::{Shape, Style};
    /// let shape = Shape::of(r#"[{"id": 1, "name": "A"}, {"id": 2}]"#).unwrap();
    /// assert_eq!(
    ///     shape.schema(Style::CopilotChat, 8)["items"].to_string(),
    ///     r#"{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}"#
    /// );
    /// assert!(Shape::of("{} and more").is_none());
    /// ```
    pub fn of(text: &str) -> Option<Shape> {
        let mut shape = Shape::default();
        let mut reader = serde_json::Deserializer::from_str(text);
        Into(&mut shape).deserialize(&mut reader).ok()?;
        reader.end().ok()?;
        Some(shape)
    }

    /// Returns the merged shape of all lines, if there are several and each is JSON (JSON Lines).
    pub fn of_lines(text: &str) -> Option<Shape> {
        let mut shape = Shape::default();
        let mut lines = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let mut reader = serde_json::Deserializer::from_str(line);
            Into(&mut shape).deserialize(&mut reader).ok()?;
            reader.end().ok()?;
            lines += 1;
        }
        (lines > 1).then_some(shape)
    }

    fn see(&mut self, kind: Kind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Returns `depth` levels of the shape as JSON Schema.
    pub fn schema(&self, style: Style, depth: usize) -> Value {
        let last = |kind: &&Kind| **kind == Kind::Object;
        let ordered = self.kinds.iter().filter(|kind| !last(kind)).chain(self.kinds.iter().filter(last));
        let mut alternatives: Vec<Value> = ordered.map(|kind| self.alternative(*kind, style, depth)).collect();
        match alternatives.len() {
            0 => json!({}),
            1 => alternatives.swap_remove(0),
            _ => json!({ "oneOf": alternatives }),
        }
    }

    /// Returns the deepest schema with at most `max` tokens.
    pub fn within(&self, style: Style, max: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
        (1..=MAX_DEPTH)
            .rev()
            .map(|depth| self.schema(style, depth).to_string())
            .find(|text| tokenizer.count(text) <= max)
    }

    /// Returns the schema for a separate file.
    pub fn file(&self, style: Style, tokenizer: &dyn Tokenizer) -> String {
        match style {
            Style::CopilotChat => self.schema(style, usize::MAX).to_string(),
            Style::Espalier => {
                self.within(style, MAX_TOKENS, tokenizer).unwrap_or_else(|| self.schema(style, 1).to_string())
            }
        }
    }

    fn alternative(&self, kind: Kind, style: Style, depth: usize) -> Value {
        let name = match kind {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::Text => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        };
        let mut out = Map::new();
        out.insert("type".into(), name.into());
        match (kind, &self.items, &self.fields) {
            (Kind::Array, Some(items), _) => {
                if depth > 0 && !items.shape.kinds.is_empty() {
                    out.insert("items".into(), items.shape.schema(style, depth - 1));
                }
                if let (Style::Espalier, Some((min, max))) = (style, items.lengths) {
                    out.insert("x-count".into(), if min == max { max.into() } else { format!("{min}..{max}").into() });
                }
            }
            (Kind::Object, _, Some(fields)) if depth > 0 => fields.write(&mut out, style, depth - 1),
            _ => {}
        }
        Value::Object(out)
    }
}

impl Fields {
    fn write(&self, out: &mut Map<String, Value>, style: Style, depth: usize) {
        let schemas: Vec<Value> = self.names.iter().map(|(_, _, shape)| shape.schema(style, depth)).collect();
        if style == Style::Espalier && schemas.len() > MAP_KEYS && schemas.windows(2).all(|two| two[0] == two[1]) {
            out.insert("additionalProperties".into(), schemas[0].clone());
            out.insert("x-count".into(), schemas.len().into());
            return;
        }
        let required: Vec<Value> = self
            .names
            .iter()
            .filter(|(_, seen, _)| *seen == self.objects)
            .map(|(name, ..)| name.as_str().into())
            .collect();
        let properties = self.names.iter().map(|(name, ..)| name.clone()).zip(schemas).collect();
        out.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            out.insert("required".into(), Value::Array(required));
        }
    }

    fn place(&mut self, name: &str) -> &mut Shape {
        let at = match self.places.get(name) {
            Some(at) => *at,
            None => {
                self.names.push((name.to_string(), 0, Shape::default()));
                self.places.insert(name.to_string(), self.names.len() - 1);
                self.names.len() - 1
            }
        };
        self.names[at].1 += 1;
        &mut self.names[at].2
    }
}

/// Merges the values that it reads into a shape.
struct Into<'a>(&'a mut Shape);

impl<'de> DeserializeSeed<'de> for Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Into<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.see(Kind::Null);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.0.see(Kind::Boolean);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.0.see(Kind::Integer);
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.0.see(Kind::Integer);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.0.see(if value.fract() == 0.0 { Kind::Integer } else { Kind::Number });
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.0.see(Kind::Text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.see(Kind::Array);
        let items = self.0.items.get_or_insert_default();
        let mut count = 0;
        while list.next_element_seed(Into(&mut items.shape))?.is_some() {
            count += 1;
        }
        let (min, max) = items.lengths.unwrap_or((count, count));
        items.lengths = Some((min.min(count), max.max(count)));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        self.0.see(Kind::Object);
        let fields = self.0.fields.get_or_insert_default();
        fields.objects += 1;
        while let Some(name) = object.next_key::<std::borrow::Cow<'de, str>>()? {
            object.next_value_seed(Into(fields.place(&name)))?;
        }
        Ok(())
    }
}
