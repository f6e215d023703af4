//! The known languages: their files, their comments, and the syntax nodes that make up the structure of a document.

use super::query::{Place, Query, Supertype};
use crate::error::Result;

/// The rules that decide the structure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Every unit of every language is captured.
    #[default]
    Default,
    /// Exactly what Copilot Chat (2026-03) captures: fewer languages and fewer kinds.
    Compatible,
}

/// A language with a grammar.
#[derive(Debug)]
pub struct Language {
    /// The identifier in editors, which is also the key of the language everywhere.
    pub name: &'static str,
    /// Other names, separated by blanks.
    pub aliases: &'static str,
    /// File extensions without the dot, separated by blanks.
    pub extensions: &'static str,
    /// The grammar. One grammar file can serve several languages.
    pub grammar: &'static str,
    /// The comment syntax.
    pub comments: Comments,
    /// What the compatible mode captures; `None` if it folds by indentation.
    compatible: Option<Table>,
    /// What the default mode captures in addition.
    more: Table,
    /// Texts that an expression must contain to be of interest; empty if no expression can be skipped.
    triggers: &'static [&'static str],
}

/// The comment syntax of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comments {
    /// The beginning of a comment that ends with its line.
    pub line: Option<&'static str>,
    /// The beginning and the end of a comment.
    pub block: Option<(&'static str, &'static str)>,
}

#[derive(Debug, Clone, Copy)]
struct Table {
    /// Kinds of nodes. Each is captured under its own name.
    kinds: &'static str,
    /// Patterns that need more than a kind.
    query: &'static str,
    /// Kinds that the grammar hides.
    supertypes: &'static [Supertype],
}

/// The rules of building an overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Whether a `method_definition` called `constructor` has a kind of its own.
    pub constructors: bool,
    /// Whether `;`, `,` and comments behind a node on the same line belong to the node.
    pub trailing: bool,
    /// Whether comments directly above a definition belong to the definition.
    pub leading: bool,
}

impl Rules {
    /// Returns whether a kind is a comment.
    pub fn is_comment(&self, kind: &str) -> bool {
        match self.leading {
            true => matches!(kind, "comment" | "line_comment" | "block_comment"),
            false => kind == "comment",
        }
    }
}

impl Language {
    /// Finds a language by its name or an alias.
    ///
    /// ```
    /// use espalier::document::language::Language;
    /// assert_eq!(Language::find("c#").unwrap().name, "csharp");
    /// assert!(Language::find("cobol").is_none());
    /// ```
    pub fn find(name: &str) -> Option<&'static Language> {
        let name = name.to_ascii_lowercase();
        LANGUAGES
            .iter()
            .find(|language| language.name == name || language.aliases.split_whitespace().any(|alias| alias == name))
    }

    /// Returns all languages.
    pub fn all() -> &'static [Language] {
        LANGUAGES
    }

    /// Returns the query of a mode; `None` if the mode captures nothing.
    ///
    /// # Errors
    /// Only if the built-in tables are inconsistent (a bug). A test reads all of them.
    pub fn query(&self, mode: Mode) -> Result<Option<(Query, Vec<Supertype>)>> {
        let tables: Vec<&Table> = match mode {
            Mode::Compatible => self.compatible.iter().collect(),
            Mode::Default => self.compatible.iter().chain([&self.more]).collect(),
        };
        if tables.is_empty() {
            return Ok(None);
        }
        let written: Vec<&str> = tables.iter().map(|table| table.query).collect();
        let mut query = Query::parse(&written.join("\n"))?;
        for kind in tables.iter().flat_map(|table| table.kinds.split_whitespace()) {
            query.capture_kinds(kind, [kind]);
        }
        Ok(Some((query, tables.iter().flat_map(|table| table.supertypes).copied().collect())))
    }

    /// Returns the rules of building overlays.
    pub fn rules(&self, mode: Mode) -> Rules {
        let script = matches!(self.grammar, "javascript" | "typescript" | "tsx");
        let default = mode == Mode::Default;
        Rules { constructors: script, trailing: script || self.grammar == "cpp" || default, leading: default }
    }

    /// Returns the kinds of nodes that are of no interest unless they contain one of the triggers, and the triggers.
    pub fn opaque(&self) -> (&'static str, &'static [&'static str]) {
        (if self.triggers.is_empty() { "" } else { EXPRESSIONS }, self.triggers)
    }
}

/// Returns whether a language has no closing brackets, so that blank lines end a fold.
pub fn is_off_side(language: &str) -> bool {
    matches!(language, "clojure" | "coffeescript" | "fsharp" | "latex" | "markdown" | "pug" | "python" | "sql" | "yaml")
}

/// Nodes of these kinds contain no statement if they contain no braces.
const EXPRESSIONS: &str = "expression_statement lexical_declaration variable_declaration variable_declarator return_statement \
    throw_statement import_statement call_expression member_expression arguments argument_list assignment_expression \
    augmented_assignment_expression binary_expression unary_expression ternary_expression parenthesized_expression string \
    template_string type_annotation formal_parameters type_parameters public_field_definition field_definition \
    property_signature method_signature enum_assignment import_declaration assignment_statement short_var_declaration \
    selector_expression parameter_list local_variable_declaration method_invocation field_access object_creation_expression \
    local_declaration_statement invocation_expression member_access_expression using_directive let_declaration use_declaration \
    field_expression parameters macro_invocation namespace_use_declaration member_call_expression scoped_call_expression \
    function_call_expression echo_statement attribute_item token_tree modifiers attribute_list";

const SLASHES: Comments = Comments { line: Some("//"), block: Some(("/*", "*/")) };
const HASH: Comments = Comments { line: Some("#"), block: None };
const BRACES: &[&str] = &["{", "//", "/*"];
const NOTHING: Table = Table { kinds: "", query: "", supertypes: &[] };

const DECLARATIONS: Supertype = Supertype {
    capture: "declaration",
    kinds: "function_declaration generator_function_declaration class_declaration lexical_declaration variable_declaration \
        using_declaration function_signature abstract_class_declaration module internal_module type_alias_declaration \
        enum_declaration interface_declaration import_alias ambient_declaration",
    // `namespace N {}` is an expression in this grammar, and the head of a `for` is not a declaration of it.
    place: Place::NotUnder("for_statement for_in_statement expression_statement"),
};

const TYPESCRIPT: Table = Table {
    kinds: "comment public_field_definition method_definition abstract_method_signature enum_assignment import_statement \
        export_statement expression_statement for_in_statement for_statement break_statement continue_statement do_statement \
        if_statement switch_statement switch_case try_statement throw_statement debugger_statement return_statement",
    query: "
        (class_declaration (_ (method_signature) @method_signature))
        (interface_declaration (_ (method_signature) @method_signature))
        (interface_declaration (_ (property_signature) @property_signature))
        (for_statement condition: (_) @condition.exclude_captures)
        (if_statement consequence: [(expression_statement) (if_statement)] @branch.exclude_captures)
        (else_clause [(expression_statement) (if_statement)] @branch.exclude_captures)",
    supertypes: &[DECLARATIONS],
};

const TSX: Table = Table {
    kinds: "comment public_field_definition method_definition abstract_method_signature enum_assignment import_statement \
        export_statement expression_statement for_in_statement for_statement break_statement continue_statement do_statement \
        if_statement switch_statement switch_case try_statement throw_statement debugger_statement return_statement jsx_element",
    query: "
        (class_declaration (_ (method_signature) @method_signature))
        (interface_declaration (_ (method_signature) @method_signature))
        (interface_declaration (_ (property_signature) @property_signature))
        (for_statement condition: (_) @condition.exclude_captures)
        (if_statement consequence: [(expression_statement) (if_statement)] @branch.exclude_captures)
        (else_clause [(expression_statement) (if_statement)] @branch.exclude_captures)
        (jsx_element (_ (jsx_expression) @jsx_expression))",
    supertypes: &[DECLARATIONS],
};

const MORE_TYPESCRIPT: Table = Table {
    kinds: "while_statement switch_default labeled_statement class_static_block jsx_element jsx_self_closing_element",
    query: "
        (type_alias_declaration (object_type
            [(property_signature) (method_signature) (call_signature) (construct_signature) (index_signature)] @member))
        (object_type [(property_signature) (method_signature) (call_signature) (construct_signature)] @member.lines)
        (object [(pair) (spread_element)] @member.lines) (array (_) @member.lines)
        (interface_declaration (_ [(call_signature) (construct_signature) (index_signature)] @member))
        (enum_body (property_identifier) @member)",
    supertypes: &[],
};

const JAVASCRIPT: Table = Table {
    kinds: "comment field_definition method_definition import_statement export_statement expression_statement \
        for_in_statement for_statement break_statement continue_statement do_statement if_statement switch_statement \
        switch_case try_statement throw_statement debugger_statement return_statement",
    query: "(for_statement condition: (_) @condition.exclude_captures)",
    supertypes: &[DECLARATIONS],
};

const MORE_JAVASCRIPT: Table = Table {
    kinds: "while_statement switch_default labeled_statement class_static_block jsx_element jsx_self_closing_element",
    query: "
        (object [(pair) (spread_element)] @member.lines) (array (_) @member.lines)
        (if_statement consequence: [(expression_statement) (if_statement)] @branch.exclude_captures)
        (else_clause [(expression_statement) (if_statement)] @branch.exclude_captures)",
    supertypes: &[],
};

const JSX_TRIGGERS: &[&str] = &["{", "//", "/*", "<"];
/// A type can be named without its body.
const C_TRIGGERS: &[&str] = &["{", "//", "/*", "struct", "class", "enum", "union"];

/// A `static`, since each crate that reads a `const` would have a copy.
static LANGUAGES: &[Language] = &[
    Language {
        name: "javascript",
        aliases: "js",
        extensions: "js mjs cjs",
        grammar: "javascript",
        comments: SLASHES,
        compatible: Some(JAVASCRIPT),
        more: MORE_JAVASCRIPT,
        triggers: JSX_TRIGGERS,
    },
    Language {
        name: "javascriptreact",
        aliases: "jsx",
        extensions: "jsx",
        grammar: "javascript",
        comments: SLASHES,
        compatible: Some(JAVASCRIPT),
        more: MORE_JAVASCRIPT,
        triggers: JSX_TRIGGERS,
    },
    Language {
        name: "typescript",
        aliases: "ts",
        extensions: "ts mts cts",
        grammar: "typescript",
        comments: SLASHES,
        compatible: Some(TYPESCRIPT),
        more: MORE_TYPESCRIPT,
        triggers: BRACES,
    },
    Language {
        name: "typescriptreact",
        aliases: "tsx",
        extensions: "tsx",
        grammar: "tsx",
        comments: SLASHES,
        compatible: Some(TSX),
        more: MORE_TYPESCRIPT,
        triggers: JSX_TRIGGERS,
    },
    Language {
        name: "python",
        aliases: "py",
        extensions: "py pyi pyw",
        grammar: "python",
        comments: HASH,
        compatible: Some(Table {
            kinds: "comment assert_statement break_statement continue_statement delete_statement exec_statement \
                expression_statement future_import_statement global_statement import_from_statement import_statement \
                nonlocal_statement pass_statement print_statement raise_statement return_statement type_alias_statement \
                class_definition decorated_definition function_definition for_statement if_statement try_statement \
                while_statement with_statement expression_list",
            ..NOTHING
        }),
        more: Table {
            kinds: "match_statement case_clause",
            query: "
                (dictionary [(pair) (dictionary_splat)] @member.lines)
                (list (_) @member.lines) (set (_) @member.lines) (tuple (_) @member.lines)
                (argument_list (keyword_argument) @member.lines)",
            supertypes: &[],
        },
        triggers: &[],
    },
    Language {
        name: "ruby",
        aliases: "rb",
        extensions: "rb rake gemspec ru",
        grammar: "ruby",
        comments: HASH,
        compatible: Some(Table {
            kinds: "comment assignment if call case when while for method class module begin",
            ..NOTHING
        }),
        more: Table {
            kinds: "unless until singleton_method singleton_class ensure rescue operator_assignment return yield",
            query: "(hash (pair) @member.lines) (array (_) @member.lines)",
            supertypes: &[],
        },
        triggers: &[],
    },
    Language {
        name: "rust",
        aliases: "rs",
        extensions: "rs",
        grammar: "rust",
        comments: SLASHES,
        compatible: None,
        more: Table {
            kinds: "line_comment block_comment attribute_item inner_attribute_item use_declaration \
                extern_crate_declaration const_item static_item type_item associated_type struct_item field_declaration \
                enum_item enum_variant union_item trait_item impl_item function_item function_signature_item mod_item \
                foreign_mod_item macro_definition let_declaration expression_statement match_arm",
            query: "
                (source_file (macro_invocation) @item) (declaration_list (macro_invocation) @item)
                (array_expression !length (_) @member.lines)
                (field_initializer_list (field_initializer) @member.lines)",
            supertypes: &[],
        },
        triggers: BRACES,
    },
    Language {
        name: "go",
        aliases: "golang",
        extensions: "go",
        grammar: "go",
        comments: SLASHES,
        compatible: Some(Table {
            kinds: "function_declaration method_declaration import_declaration package_clause expression_case",
            query: "
                (if_statement initializer: (_) @initializer.exclude_captures) @for_statement
                (communication_case communication: (_) @communication.exclude_captures)",
            supertypes: &[
                Supertype {
                    capture: "statement",
                    kinds: "break_statement const_declaration continue_statement defer_statement empty_statement \
                        expression_switch_statement fallthrough_statement for_statement go_statement goto_statement \
                        if_statement labeled_statement return_statement select_statement type_declaration \
                        type_switch_statement var_declaration",
                    place: Place::Under(
                        "source_file block statement_list expression_case default_case type_case communication_case \
                         labeled_statement ERROR",
                    ),
                },
                // In a region with syntax errors, the parser has not made these statements yet.
                Supertype {
                    capture: "statement",
                    kinds: "assignment_statement block dec_statement expression_statement inc_statement send_statement \
                        short_var_declaration",
                    place: Place::Under(
                        "source_file block statement_list expression_case default_case type_case communication_case \
                         labeled_statement",
                    ),
                },
            ],
        }),
        more: Table {
            kinds: "comment type_spec const_spec var_spec method_elem type_case communication_case default_case",
            query: "
                (struct_type (field_declaration_list (field_declaration) @field))
                (literal_value [(keyed_element) (literal_element)] @member.lines)",
            supertypes: &[],
        },
        triggers: BRACES,
    },
    Language {
        name: "java",
        aliases: "",
        extensions: "java",
        grammar: "java",
        comments: SLASHES,
        compatible: Some(Table {
            kinds: "line_comment block_comment class_declaration constructor_declaration field_declaration \
                method_declaration",
            query: "(for_statement init: (_) @init.exclude_captures) (block) @block.exclude_captures",
            supertypes: &[
                Supertype {
                    capture: "statement",
                    kinds: "assert_statement break_statement continue_statement do_statement enhanced_for_statement \
                        expression_statement for_statement if_statement labeled_statement local_variable_declaration \
                        return_statement synchronized_statement throw_statement try_statement \
                        try_with_resources_statement while_statement yield_statement import_declaration \
                        package_declaration",
                    place: Place::NotUnder(
                        "class_body interface_body enum_body_declarations annotation_type_body switch_rule",
                    ),
                },
                Supertype {
                    capture: "statement",
                    kinds: "annotation_type_declaration class_declaration enum_declaration interface_declaration \
                        module_declaration record_declaration",
                    place: Place::NotUnder(
                        "class_body interface_body enum_body_declarations annotation_type_body ERROR",
                    ),
                },
                // A statement that consists of its end only.
                Supertype {
                    capture: "statement",
                    kinds: ";",
                    place: Place::Under(
                        "program block constructor_body switch_block_statement_group if_statement while_statement \
                         enhanced_for_statement labeled_statement",
                    ),
                },
                Supertype {
                    capture: "statement",
                    kinds: "switch_expression",
                    place: Place::Under(
                        "program block constructor_body switch_block_statement_group if_statement while_statement \
                         for_statement enhanced_for_statement do_statement labeled_statement ERROR",
                    ),
                },
            ],
        }),
        more: Table {
            kinds: "package_declaration import_declaration interface_declaration enum_declaration record_declaration \
                annotation_type_declaration annotation_type_element_declaration enum_constant static_initializer \
                compact_constructor_declaration constant_declaration module_declaration switch_rule \
                switch_block_statement_group",
            query: "(array_initializer (_) @member.lines)",
            supertypes: &[],
        },
        triggers: BRACES,
    },
    Language {
        name: "c",
        aliases: "",
        // `js/documents/headers.ts` finds the headers that are C++. The grammar of C++ reads the others as well, but
        // names fewer nodes.
        extensions: "c h",
        grammar: "c",
        comments: SLASHES,
        compatible: None,
        more: Table {
            kinds: "preproc_include preproc_def preproc_function_def preproc_call preproc_if preproc_ifdef declaration \
                type_definition function_definition struct_specifier union_specifier enum_specifier enumerator \
                field_declaration comment expression_statement return_statement for_statement while_statement \
                do_statement if_statement labeled_statement goto_statement break_statement continue_statement \
                switch_statement case_statement linkage_specification",
            query: C_QUERY,
            supertypes: &[],
        },
        triggers: C_TRIGGERS,
    },
    Language {
        name: "cpp",
        aliases: "c++ cxx",
        extensions: "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl",
        grammar: "cpp",
        comments: SLASHES,
        compatible: Some(Table {
            kinds: "preproc_ifdef preproc_call preproc_def preproc_include type_definition declaration \
                expression_statement comment namespace_definition enum_specifier struct_specifier class_specifier \
                template_declaration function_definition return_statement try_statement throw_statement for_statement \
                for_range_loop while_statement do_statement if_statement labeled_statement goto_statement \
                break_statement",
            query: "
                (type_definition type: (_) @type.exclude_captures)
                (for_statement initializer: (_) @initializer.exclude_captures)",
            supertypes: &[],
        }),
        more: Table {
            kinds: "preproc_if preproc_function_def access_specifier alias_declaration using_declaration \
                field_declaration switch_statement case_statement union_specifier enumerator continue_statement \
                concept_definition friend_declaration static_assert_declaration namespace_alias_definition \
                linkage_specification template_instantiation",
            query: C_QUERY,
            supertypes: &[],
        },
        triggers: C_TRIGGERS,
    },
    Language {
        name: "csharp",
        aliases: "c# cs",
        extensions: "cs csx",
        grammar: "c-sharp",
        comments: SLASHES,
        compatible: Some(Table {
            kinds: "comment class_declaration constructor_declaration method_declaration delegate_declaration \
                enum_declaration interface_declaration namespace_declaration file_scoped_namespace_declaration \
                record_declaration struct_declaration extern_alias_directive global_attribute global_statement \
                using_directive local_declaration_statement expression_statement for_statement foreach_statement \
                continue_statement break_statement throw_statement return_statement try_statement",
            ..NOTHING
        }),
        more: Table {
            kinds: "if_statement switch_statement while_statement do_statement using_statement lock_statement \
                yield_statement switch_section property_declaration field_declaration event_declaration \
                event_field_declaration indexer_declaration operator_declaration conversion_operator_declaration \
                destructor_declaration enum_member_declaration local_function_statement preproc_region \
                preproc_endregion checked_statement unsafe_statement fixed_statement goto_statement labeled_statement",
            query: "
                (initializer_expression (_) @member.lines) (collection_expression (_) @member.lines)
                (if_statement consequence: [(expression_statement) (if_statement)] @branch.exclude_captures)
                (if_statement alternative: [(expression_statement) (if_statement)] @branch.exclude_captures)",
            supertypes: &[],
        },
        triggers: BRACES,
    },
    Language {
        name: "php",
        aliases: "",
        extensions: "php phtml php8 inc",
        grammar: "php",
        comments: SLASHES,
        compatible: None,
        more: Table {
            kinds: "comment namespace_definition namespace_use_declaration class_declaration trait_declaration \
                interface_declaration enum_declaration enum_case method_declaration function_definition \
                property_declaration const_declaration use_declaration expression_statement echo_statement if_statement \
                for_statement foreach_statement while_statement do_statement switch_statement case_statement \
                default_statement try_statement return_statement break_statement continue_statement exit_statement \
                unset_statement global_declaration function_static_declaration declare_statement goto_statement",
            query: "
                (array_creation_expression (array_element_initializer) @member.lines)
                (match_block [(match_conditional_expression) (match_default_expression)] @arm)
                (if_statement body: [(expression_statement) (if_statement)] @branch.exclude_captures)
                (else_clause [(expression_statement) (if_statement)] @branch.exclude_captures)",
            supertypes: &[],
        },
        triggers: &["{", "//", "/*", "#", "?>"],
    },
];

const C_QUERY: &str = "
    (initializer_list (_) @member.lines)
    (type_definition type: (_) @type.exclude_captures)
    (for_statement initializer: (_) @initializer.exclude_captures)
    (declaration type: [(struct_specifier) (union_specifier) (enum_specifier) (class_specifier)] @type.exclude_captures)
    (function_definition type: [(struct_specifier) (union_specifier) (enum_specifier) (class_specifier)] @type.exclude_captures)
    (struct_specifier !body) @name.exclude_captures (union_specifier !body) @name.exclude_captures
    (enum_specifier !body) @name.exclude_captures (class_specifier !body) @name.exclude_captures
    (field_declaration type: [(struct_specifier) (union_specifier) (enum_specifier)] @type.exclude_captures)
    (if_statement consequence: (expression_statement) @branch.exclude_captures)
    (else_clause [(expression_statement) (if_statement)] @branch.exclude_captures)";
