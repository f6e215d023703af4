/**
 * `espalier/core`: the glue that wasm-bindgen writes for the engine, reduced to the functions that hosts call directly,
 * with their generated declarations. Only the types of options are written by hand
 * (`src/bindings/functions/types.d.ts`); wasm-bindgen passes them through.
 */

import { anyModule } from "./glue.mjs";

/** The exported functions; `init` is the default export. */
const PUBLIC = ["count", "compact", "hasEncoding", "loadEncoding", "prune", "render"];

/** Functions that the package calls in another way. */
export const OWN = ["compact", "prune", "render"];

/** Returns the module, made from wasm-bindgen's glue for the web. */
export function functionsModule(code) {
  let out = anyModule(code)
    .replace(/^export (async function|function) (\w+)/gm, (whole, kind, name) =>
      PUBLIC.includes(name) ? whole : `${kind} ${name}`,
    )
    .replace(/new URL\('[^']*_bg\.wasm', import\.meta\.url\)/g, 'new URL("./espalier.wasm", import.meta.url)');
  const classes = [...code.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
  // Removes handles of operations, which only the package polls.
  for (const name of classes) {
    out = out
      .replace(new RegExp(`^export class ${name} \\{[^]*?^\\}\\n`, "m"), "")
      .replace(new RegExp(`^if \\(Symbol\\.dispose\\) ${name}\\..*\\n`, "m"), "")
      .replace(new RegExp(`^const ${name}Finalization = [^;]*;\\n`, "m"), "")
      // The engine imports the function that wraps a handle, but none of these functions calls it.
      .replace(new RegExp(`\\b${name}\\.__wrap\\(\\w+\\)`, "g"), "undefined");
  }
  const used = classes.find((name) => new RegExp(`\\b${name}(\\.|Finalization)`).test(out));
  if (used) throw new Error(`espalier/core cannot do without ${used}: see scripts/functions.mjs`);
  if (!out.includes('new URL("./espalier.wasm"'))
    throw new Error("wasm-bindgen's glue has an address that scripts/functions.mjs does not know");
  return out;
}

/** Returns the declarations of the functions, and those of `section`. */
export function functionsTypes(types, section) {
  const declared = PUBLIC.map((name) => declaration(types, name));
  return `${section}\n${declared.join("\n")}
type ModuleOf<Global> = Global extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;
/** A compiled \`WebAssembly.Module\`; the declarations of a Node project may not know that name. */
export type WasmModule = ModuleOf<typeof globalThis>;
export type InitInput = string | Request | URL | Response | ArrayBuffer | ArrayBufferView | WasmModule;

/** Loads the engine: the package's own \`espalier.wasm\` beside this module, or what the options name. */
export default function init(options?: { module_or_path: InitInput | Promise<InitInput> }): Promise<unknown>;

/** Loads the engine at once, from its bytes or from a compiled module. */
export function initSync(options: { module: ArrayBuffer | ArrayBufferView | WasmModule }): unknown;
`;
}

/** Returns the declarations of the package's glue, without these functions and their types. */
export function withoutFunctions(types, section) {
  // wasm-bindgen changes the indentation of the section.
  const words = section
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const own = types.match(new RegExp(words.join("\\s+")));
  if (!own) throw new Error("wasm-bindgen passes types through in a form that scripts/functions.mjs does not know");
  return OWN.reduce((left, name) => left.replace(declaration(left, name), ""), types.replace(own[0], ""));
}

function declaration(types, name) {
  const found = types.match(
    new RegExp(`(?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?^export function ${name}\\([^\\n]*\\n`, "m"),
  );
  if (!found) throw new Error(`wasm-bindgen declares no ${name}: see scripts/functions.mjs`);
  return found[0];
}
