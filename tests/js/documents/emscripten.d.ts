/** The declarations of web-tree-sitter name this type, but do not bring it. */
type EmscriptenModule = {};
