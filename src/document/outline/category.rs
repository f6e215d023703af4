//! What a definition is, told by the kind of its syntax node. Grammars agree on most names, so one table serves them all.

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
    /// One case of an enumeration.
    Variant,
    /// A name for a type.
    Type,
    /// A function.
    Function,
    /// A function of a class, interface or implementation.
    Method,
    /// What makes an object.
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
}

impl Category {
    /// The name that reaches JavaScript.
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
        }
    }

    /// True for what runs: what is defined inside is local to it.
    pub fn runs(self) -> bool {
        matches!(self, Category::Function | Category::Method | Category::Constructor | Category::Macro)
    }

    /// True for what holds other definitions side by side, so that one of them can be understood without the others.
    pub fn holds(self) -> bool {
        matches!(self, Category::Module | Category::Class)
    }

    /// True for what is read as a whole: a field says little without the others.
    pub fn is_data(self) -> bool {
        matches!(self, Category::Struct | Category::Enum | Category::Type | Category::Interface)
    }

    /// By the kind of a syntax node; [`Item`](super::Item)s that need a second look are told apart there.
    pub(super) fn of(kind: &str) -> Option<Category> {
        Some(match kind {
            "function_declaration"
            | "generator_function_declaration"
            | "function_definition"
            | "function_item"
            | "function_signature"
            | "function_signature_item"
            | "local_function_statement" => Category::Function,
            "method_definition"
            | "method_declaration"
            | "method_signature"
            | "abstract_method_signature"
            | "method_elem"
            | "method_spec"
            | "method"
            | "singleton_method"
            | "operator_declaration"
            | "conversion_operator_declaration"
            | "destructor_declaration"
            | "annotation_type_element_declaration" => Category::Method,
            "constructor_declaration" | "compact_constructor_declaration" => Category::Constructor,
            "class_declaration"
            | "abstract_class_declaration"
            | "class_definition"
            | "class"
            | "singleton_class"
            | "class_specifier"
            | "impl_item" => Category::Class,
            "interface_declaration" | "trait_declaration" | "trait_item" | "annotation_type_declaration" => {
                Category::Interface
            }
            "struct_declaration" | "struct_item" | "struct_specifier" | "union_item" | "union_specifier"
            | "record_declaration" => Category::Struct,
            "enum_declaration" | "enum_item" | "enum_specifier" => Category::Enum,
            "enum_variant"
            | "enum_assignment"
            | "enum_member_declaration"
            | "enum_case"
            | "enumerator"
            | "enum_constant" => Category::Variant,
            "module"
            | "internal_module"
            | "namespace_declaration"
            | "file_scoped_namespace_declaration"
            | "namespace_definition"
            | "mod_item"
            | "foreign_mod_item" => Category::Module,
            "type_alias_declaration"
            | "type_item"
            | "associated_type"
            | "type_spec"
            | "type_alias"
            | "type_definition"
            | "alias_declaration"
            | "delegate_declaration"
            | "type_alias_statement"
            | "concept_definition" => Category::Type,
            "property_declaration"
            | "property_signature"
            | "indexer_declaration"
            | "event_declaration"
            | "event_field_declaration"
            | "public_field_definition"
            | "field_definition"
            | "field_declaration" => Category::Property,
            "const_item"
            | "static_item"
            | "const_spec"
            | "constant_declaration"
            | "const_declaration"
            | "preproc_def" => Category::Constant,
            "lexical_declaration" | "variable_declaration" | "var_spec" | "declaration" => Category::Variable,
            "macro_definition" | "preproc_function_def" => Category::Macro,
            _ => return None,
        })
    }
}
