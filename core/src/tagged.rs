//! Reads enums whose variants differ in a field `type`.
//!
//! The code that serde derives for them buffers the whole value before it knows the variant, and then reads the fields
//! a second time from the buffer: that takes a tenth of the engine's code, and is slower. This macro reads the fields
//! of all variants directly, one variable per name, and skips fields of other variants as soon as the type is known.
//! Formats whose fields are looked up by name (not human-readable ones, in serde's words) read the type first, as an
//! enum called [`TYPE`], and then look up the fields of that variant only.

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

/// The field that names the variant, and the name of these enums for formats that look fields up.
pub const TYPE: &str = "type";

/// Reads one of several names as its index.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct OneOf {
    /// All accepted names.
    pub names: &'static [&'static str],
    /// True if any other name is an error; otherwise it is read as `None`.
    pub must: bool,
}

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for OneOf {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        let found = self.names.iter().position(|known| *known == name);
        if self.must && found.is_none() { Err(E::unknown_variant(name, self.names)) } else { Ok(found) }
    }
}

/// Returns a required field's value, or an error that names the field.
#[doc(hidden)]
pub fn needed<T, E: Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(name))
}

/// Reads an enum by its field `type`. The macro lists the fields of all variants, then for each type its fields and the
/// value made from them (each field is an `Option`, see [`needed`]).
#[doc(hidden)]
#[macro_export]
macro_rules! tagged {
    (
        $enum:ident { $($field:ident = $name:literal: $type:ty),* $(,)? }
        $($tag:literal [$($own:ident),*] => $make:expr),* $(,)?
    ) => {
        impl<'de> serde::Deserialize<'de> for $enum {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<$enum, D::Error> {
                // Formats that read fields in this order read the type first.
                const FIELDS: &[&str] = &["type", $($name),*];
                const TYPES: &[&str] = &[$($tag),*];
                #[allow(non_camel_case_types, clippy::enum_variant_names)]
                enum At { Type, $($field),* }
                const OWN: &[u32] = &[$(1 << At::Type as u32 $(| 1 << At::$own as u32)*),*];
                const OWN_FIELDS: &[&[&str]] = &[$(&[$(FIELDS[At::$own as usize]),*]),*];

                /// Holds the index of the type if it is known.
                struct Fields(Option<usize>);

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $enum;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object with a `type`")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<$enum, A::Error> {
                        use serde::de::Error;
                        use $crate::tagged::OneOf;
                        let mut is = self.0.map(|of| TYPES[of]);
                        let (mut wanted, mut seen) = (self.0.map_or(u32::MAX, |of| OWN[of]), 0);
                        $(let mut $field: Option<$type> = None;)*
                        while let Some(field) = map.next_key_seed(OneOf { names: FIELDS, must: false })? {
                            let bit = field.map_or(0, |at| 1_u32 << at);
                            if wanted & bit == 0 {
                                map.next_value::<serde::de::IgnoredAny>()?;
                                continue;
                            }
                            let at = field.unwrap_or_default();
                            if seen & bit != 0 {
                                return Err(A::Error::duplicate_field(FIELDS[at]));
                            }
                            seen |= bit;
                            if at == At::Type as usize {
                                let of = map.next_value_seed(OneOf { names: TYPES, must: true })?.unwrap_or_default();
                                (is, wanted) = (Some(TYPES[of]), OWN[of]);
                            }
                            $(if at == At::$field as usize {
                                $field = Some(map.next_value()?);
                            })*
                        }
                        match is {
                            $(Some($tag) => Ok($make),)*
                            _ => Err(A::Error::missing_field("type")),
                        }
                    }

                    fn visit_enum<A: serde::de::EnumAccess<'de>>(self, data: A) -> std::result::Result<$enum, A::Error> {
                        use serde::de::VariantAccess;
                        let (of, fields) = data.variant_seed($crate::tagged::OneOf { names: TYPES, must: true })?;
                        let of = of.unwrap_or_default();
                        fields.struct_variant(OWN_FIELDS[of], Fields(Some(of)))
                    }
                }

                if from.is_human_readable() {
                    from.deserialize_struct(stringify!($enum), FIELDS, Fields(None))
                } else {
                    from.deserialize_enum($crate::tagged::TYPE, TYPES, Fields(None))
                }
            }
        }
    };
}
