//! Categories of definitions by the kind of their syntax node. Grammars agree on most names, so one table serves all of
//! them.

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// A module, namespace or block of foreign declarations.
    Module,
    /// A class, or the implementation of one.
    Class,
    /// An interface or trait.
    Interface,
    /// A struct, record or union.
    Struct,
    /// An enumeration.
    Enum,
    /// A case of an enumeration.
    Variant,
    /// A type alias.
    Type,
    /// A function.
    Function,
    /// A method of a class, an interface or an implementation.
    Method,
    /// A constructor.
    Constructor,
    /// A field or property.
    Property,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A macro.
    Macro,
    /// A fold of a document without a syntax tree.
    Block,
    /// A section of a document with headings.
    Section,
}

impl Category {
    /// Returns the name in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Module => "module",
            Category::Class => "class",
            Category::Interface => "interface",
            Category::Struct => "struct",
            Category::Enum => "enum",
            Category::Variant => "variant",
            Category::Type => "type",
            Category::Function => "function",
            Category::Method => "method",
            Category::Constructor => "constructor",
            Category::Property => "property",
            Category::Constant => "constant",
            Category::Variable => "variable",
            Category::Macro => "macro",
            Category::Block => "block",
            Category::Section => "section",
        }
    }

    /// Returns whether it is executable, so that definitions in it are local.
    pub fn runs(self) -> bool {
        matches!(self, Category::Function | Category::Method | Category::Constructor | Category::Macro)
    }

    /// Returns whether it contains definitions that can be understood one by one.
    pub fn holds(self) -> bool {
        matches!(self, Category::Module | Category::Class | Category::Section)
    }

    /// Returns whether it is read as a whole: a field means little without the others.
    pub fn is_data(self) -> bool {
        matches!(self, Category::Struct | Category::Enum | Category::Type | Category::Interface)
    }

    /// Returns the category of a kind of syntax node. [`Item`](super::Item) corrects the kinds that need more than
    /// their name.
    pub(super) fn of(kind: &str) -> Option<Category> {
        let at = KINDS.binary_search_by(|(known, _)| (*known).cmp(kind)).ok()?;
        KINDS.get(at).map(|(_, category)| *category)
    }
}

/// Returns the category of a kind by its name.
static KINDS: &[(&str, Category)] = &[
    ("abstract_class_declaration", Category::Class),
    ("abstract_method_signature", Category::Method),
    ("alias_declaration", Category::Type),
    ("annotation_type_declaration", Category::Interface),
    ("annotation_type_element_declaration", Category::Method),
    ("associated_type", Category::Type),
    ("class", Category::Class),
    ("class_declaration", Category::Class),
    ("class_definition", Category::Class),
    ("class_specifier", Category::Class),
    ("compact_constructor_declaration", Category::Constructor),
    ("concept_definition", Category::Type),
    ("const_declaration", Category::Constant),
    ("const_item", Category::Constant),
    ("const_spec", Category::Constant),
    ("constant_declaration", Category::Constant),
    ("constructor_declaration", Category::Constructor),
    ("conversion_operator_declaration", Category::Method),
    ("declaration", Category::Variable),
    ("delegate_declaration", Category::Type),
    ("destructor_declaration", Category::Method),
    ("enum_assignment", Category::Variant),
    ("enum_case", Category::Variant),
    ("enum_constant", Category::Variant),
    ("enum_declaration", Category::Enum),
    ("enum_item", Category::Enum),
    ("enum_member_declaration", Category::Variant),
    ("enum_specifier", Category::Enum),
    ("enum_variant", Category::Variant),
    ("enumerator", Category::Variant),
    ("event_declaration", Category::Property),
    ("event_field_declaration", Category::Property),
    ("field_declaration", Category::Property),
    ("field_definition", Category::Property),
    ("file_scoped_namespace_declaration", Category::Module),
    ("foreign_mod_item", Category::Module),
    ("function_declaration", Category::Function),
    ("function_definition", Category::Function),
    ("function_item", Category::Function),
    ("function_signature", Category::Function),
    ("function_signature_item", Category::Function),
    ("generator_function_declaration", Category::Function),
    ("impl_item", Category::Class),
    ("indexer_declaration", Category::Property),
    ("interface_declaration", Category::Interface),
    ("internal_module", Category::Module),
    ("lexical_declaration", Category::Variable),
    ("local_function_statement", Category::Function),
    ("macro_definition", Category::Macro),
    ("method", Category::Method),
    ("method_declaration", Category::Method),
    ("method_definition", Category::Method),
    ("method_elem", Category::Method),
    ("method_signature", Category::Method),
    ("method_spec", Category::Method),
    ("mod_item", Category::Module),
    ("module", Category::Module),
    ("namespace_declaration", Category::Module),
    ("namespace_definition", Category::Module),
    ("operator_declaration", Category::Method),
    ("preproc_def", Category::Constant),
    ("preproc_function_def", Category::Macro),
    ("property_declaration", Category::Property),
    ("property_signature", Category::Property),
    ("public_field_definition", Category::Property),
    ("record_declaration", Category::Struct),
    ("singleton_class", Category::Class),
    ("singleton_method", Category::Method),
    ("static_item", Category::Constant),
    ("struct_declaration", Category::Struct),
    ("struct_item", Category::Struct),
    ("struct_specifier", Category::Struct),
    ("trait_declaration", Category::Interface),
    ("trait_item", Category::Interface),
    ("type_alias", Category::Type),
    ("type_alias_declaration", Category::Type),
    ("type_alias_statement", Category::Type),
    ("type_definition", Category::Type),
    ("type_item", Category::Type),
    ("type_spec", Category::Type),
    ("union_item", Category::Struct),
    ("union_specifier", Category::Struct),
    ("var_spec", Category::Variable),
    ("variable_declaration", Category::Variable),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_in_order() {
        assert!(KINDS.is_sorted_by(|one, other| one.0 < other.0));
        assert_eq!(Category::of("impl_item"), Some(Category::Class));
        assert_eq!(Category::of("comment"), None);
    }
}
