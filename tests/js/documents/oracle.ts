/**
 * A second implementation of the compatible overlay, on web-tree-sitter with real tree-sitter queries (including
 * supertypes), from the written rules: slow, and independent of the engine.
 */

import { createRequire } from "node:module";
import { Language, Parser, Query } from "web-tree-sitter";
import type { Node, Tree } from "web-tree-sitter";

export type Recorded = [kind: string, start: number, end: number, children: Recorded[]];

const require = createRequire(import.meta.url);
export const grammarFile = (grammar: string): string =>
  grammar === "c"
    ? require.resolve("@repomix/tree-sitter-wasms/out/tree-sitter-c.wasm")
    : require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);

const each = (kinds: string) =>
  kinds
    .split(/\s+/)
    .map((kind) => `(${kind}) @${kind}`)
    .join("\n");
const script =
  "comment declaration method_definition import_statement export_statement expression_statement for_in_statement break_statement continue_statement " +
  "do_statement if_statement switch_statement switch_case try_statement throw_statement debugger_statement return_statement";
const typescript = `${each(`${script} public_field_definition abstract_method_signature enum_assignment`)}
  (class_declaration (_ (method_signature) @method_signature))
  (interface_declaration (_ (method_signature) @method_signature))
  (interface_declaration (_ (property_signature) @property_signature))
  (for_statement condition: (_) @for.exclude_captures) @for_statement
  (if_statement consequence: [(expression_statement) (if_statement)] @if.exclude_captures)
  (else_clause [(expression_statement) (if_statement)] @else.exclude_captures)`;
const javascript = `${each(`${script} field_definition`)} (for_statement condition: (_) @for.exclude_captures) @for_statement`;

/** Grammar and query by language. */
const LANGUAGES: Record<string, [grammar: string, query: string]> = {
  typescript: ["typescript", typescript],
  typescriptreact: [
    "tsx",
    `${typescript} (jsx_element) @jsx_element (jsx_element (_ (jsx_expression) @jsx_expression))`,
  ],
  javascript: ["javascript", javascript],
  javascriptreact: ["javascript", javascript],
  go: [
    "go",
    `(_statement) @statement ${each("function_declaration method_declaration import_declaration package_clause expression_case")}
    (if_statement initializer: (_) @if.exclude_captures) @for_statement`,
  ],
  java: [
    "java",
    `(statement) @statement
    ${each("line_comment block_comment class_declaration constructor_declaration field_declaration method_declaration")}
    (for_statement init: (_) @for.exclude_captures) (block) @block.exclude_captures`,
  ],
  python: [
    "python",
    each(
      "comment assert_statement break_statement continue_statement delete_statement exec_statement expression_statement " +
        "future_import_statement global_statement import_from_statement import_statement nonlocal_statement pass_statement print_statement " +
        "raise_statement return_statement type_alias_statement class_definition decorated_definition function_definition for_statement " +
        "if_statement try_statement while_statement with_statement expression_list",
    ),
  ],
  ruby: ["ruby", each("comment assignment if call case when while for method class module begin")],
  csharp: [
    "c-sharp",
    each(
      "comment class_declaration constructor_declaration method_declaration delegate_declaration enum_declaration " +
        "interface_declaration namespace_declaration file_scoped_namespace_declaration record_declaration struct_declaration " +
        "extern_alias_directive global_attribute global_statement using_directive local_declaration_statement expression_statement " +
        "for_statement foreach_statement continue_statement break_statement throw_statement return_statement try_statement",
    ),
  ],
  cpp: [
    "cpp",
    `${each(
      "preproc_ifdef preproc_call preproc_def preproc_include declaration expression_statement comment namespace_definition " +
        "enum_specifier struct_specifier class_specifier template_declaration function_definition return_statement try_statement " +
        "throw_statement for_range_loop while_statement do_statement if_statement labeled_statement goto_statement break_statement",
    )}
    (type_definition type: (_) @type.exclude_captures) @type_definition
    (for_statement) @for_statement (for_statement initializer: (_) @for.exclude_captures)`,
  ],
};

export const compatibleLanguages = Object.keys(LANGUAGES);
const loaded = new Map<string, Promise<{ parser: Parser; query: Query }>>();

async function load(language: string): Promise<{ parser: Parser; query: Query }> {
  const [grammar, query] = LANGUAGES[language] as [string, string];
  const parser = await parserOf(grammar);
  return { parser, query: new Query(parser.language as Language, query) };
}

/** A parser of web-tree-sitter. */
export async function parserOf(grammar: string): Promise<Parser> {
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammarFile(grammar)));
  return parser;
}

const GRAMMARS: Record<string, string> = { javascriptreact: "javascript", typescriptreact: "tsx", csharp: "c-sharp" };
const parsers = new Map<string, Promise<Parser>>();

/** Returns the number of errors in a document: unreadable nodes, and missing ones. */
export async function errorsOf(language: string, text: string): Promise<number> {
  const grammar = GRAMMARS[language] ?? language;
  if (!parsers.has(grammar)) parsers.set(grammar, parserOf(grammar));
  const tree = (await parsers.get(grammar)!).parse(text) as Tree;
  const waiting: (Node | null)[] = [tree.rootNode];
  let errors = 0;
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.isError || node.isMissing) errors += 1;
    if (node.hasError) waiting.push(...node.children);
  }
  tree.delete();
  return errors;
}

/** Returns the overlay of a document, as the reference would make it. */
export async function oracle(language: string, text: string): Promise<Recorded> {
  if (!loaded.has(language)) loaded.set(language, load(language));
  const { parser, query } = await (loaded.get(language) as Promise<{ parser: Parser; query: Query }>);
  const tree = parser.parse(text) as Tree;
  try {
    return overlay(language, text, tree, query);
  } finally {
    tree.delete();
  }
}

function overlay(language: string, text: string, tree: Tree, query: Query): Recorded {
  const range = ({ startIndex, endIndex }: Node) => `${startIndex}:${endIndex}`;
  const excluded = new Set<string>();
  const seen = new Set<string>();
  const nodes: Node[] = [];
  for (const { name, node } of query.matches(tree.rootNode).flatMap(({ captures }) => captures)) {
    if (name.endsWith(".exclude_captures")) excluded.add(range(node));
    else if (!seen.has(`${node.id} ${name}`)) nodes.push(node);
    seen.add(`${node.id} ${name}`);
  }
  nodes.sort((a, b) => a.startIndex - b.startIndex || b.endIndex - a.endIndex);
  const isScript = /script/.test(language);
  const root: Recorded = ["root", 0, text.length, []];
  const open = [root];
  for (const node of nodes) {
    if (excluded.has(range(node))) continue;
    while (open.length > 1 && !(open.at(-1)![1] <= node.startIndex && node.endIndex <= open.at(-1)![2])) open.pop();
    const parent = open.at(-1)!;
    const isConstructor =
      isScript &&
      node.type === "method_definition" &&
      node.children.some((child) => child?.type === "property_identifier" && child.text === "constructor");
    const kind = isConstructor ? "constructor" : node.type;
    if (parent[0] === "export_statement" || parent[0] === "ambient_declaration") {
      parent[0] = kind;
      continue;
    }
    const previous = sibling(node, "previousSibling");
    const start = previous
      ? (behindLine(text, previous.endIndex, node.startIndex) ?? previous.endIndex)
      : node.startIndex;
    let [end, row] = [node.endIndex, node.endPosition.row];
    let next = sibling(node, "nextSibling");
    while (
      (isScript || language === "cpp") &&
      next &&
      [";", ",", "comment"].includes(next.type) &&
      next.startPosition.row === row
    ) {
      excluded.add(range(next));
      [end, row] = [next.endIndex, next.endPosition.row];
      next = sibling(next, "nextSibling");
    }
    if (next) end = behindLine(text, end, next.startIndex) ?? end;
    const made: Recorded = [kind, start, end, []];
    parent[3].push(made);
    open.push(made);
  }
  return root;
}

/** Newer grammars of Go wrap the statements of a block once more; the recorded one did not. */
function sibling(node: Node, side: "previousSibling" | "nextSibling"): Node | null {
  const found = node[side];
  const list = node.parent;
  if (found || list?.type !== "statement_list") return found;
  if (side === "previousSibling") return list.previousSibling;
  const around = list.parent?.children ?? [];
  const behind = around.slice(around.findIndex((child) => child?.id === list.id) + 1);
  return behind.find((child) => child && child.endIndex > node.endIndex) ?? null;
}

function behindLine(text: string, start: number, end: number): number | undefined {
  const at = text.slice(start, end).indexOf("\n");
  return at < 0 ? undefined : start + at + 1;
}
