/** The declarations of web-tree-sitter use this type without declaring it. */
type EmscriptenModule = {};
