/**
 * Turns the glue that wasm-bindgen writes (one instance for each import of the file) into a factory. A second call
 * replaces a crashed instance, and old handles stay bound to the old one.
 *
 * `retire` marks a crashed instance: finalizers then free none of its handles, since that would trap where nothing can
 * catch it.
 *
 * The default address of the wasm is removed. With it, bundlers emit the file twice, or fail where `import.meta.url` is
 * empty.
 *
 * A wrong argument must not crash the instance. A value that is not a text is refused before it is written into the
 * engine's memory. Errors show a value in a few words, since printing all of it can exhaust the stack.
 *
 * `INLINE_ENTRY` is the entry of the package that contains this engine. Errors name it as a solution.
 */

const TEXT_ONLY = `if (typeof arg !== "string") throw new TypeError(\`the engine was given \${debugString(arg)} where a text is needed\`);`;

/**
 * Encodes long texts at once: wasm-bindgen's loop over code units takes ten times as long. Very long texts are
 * excluded, because a second copy may not fit into memory.
 */
const AT_ONCE = "if (arg.length > 256 && arg.length < 1e7) realloc = undefined;";

/** Accepts compiled modules of another realm, such as those that Next.js imports for its edge runtime. */
export const anyModule = (code) =>
  code.replace(
    /(\w+) instanceof WebAssembly\.Module\b/g,
    (_, name) => `Object.prototype.toString.call(${name}) === "[object WebAssembly.Module]"`,
  );

const DEBUG_STRING = `function debugString(val) {
    if (typeof val === "string") return JSON.stringify(val.length > 60 ? val.slice(0, 60) + "…" : val);
    if (typeof val === "symbol") return "a symbol";
    if (typeof val === "function") return "a function";
    if (typeof val !== "object" || val === null) return String(val);
    try {
        return Array.isArray(val) ? "a list" : val instanceof Error ? "an error" : "an object";
    } catch (_) {
        return "an object";
    }
}`;

/** @param hidden Names of functions that the package does not call */
export function glueFactory(code, types, inlineEntry, hidden = []) {
  const names = [];
  const body = anyModule(code)
    .replace(
      /^export (async function|function|class) (\w+)/gm,
      (_, kind, name) => (hidden.includes(name) || names.push(name), `${kind} ${name}`),
    )
    .replace(/^export \{[^}]*\};?$/gm, "")
    .replace(/new FinalizationRegistry\((ptr|state) => /g, "new FinalizationRegistry($1 => isRetired || ")
    .replace(/new URL\([^)]*import\.meta\.url\)/g, "undefined")
    .replace(/^function debugString\(val\) \{[^]*?^\}/m, "")
    .replace(
      /^function passStringToWasm0\(arg, malloc, realloc\) \{/m,
      (head) => `${head}\n    ${TEXT_ONLY}\n    ${AT_ONCE}`,
    );
  if (!body.includes(TEXT_ONLY) || !/if \(realloc === undefined\)/.test(body))
    throw new Error("wasm-bindgen's glue has helpers that scripts/glue.mjs does not know");
  if (/^\s*(import|export)\b/m.test(body))
    throw new Error("wasm-bindgen's glue has an import or export that scripts/glue.mjs does not know");
  if (!/function initSync\b/.test(body)) throw new Error("wasm-bindgen's glue has no initSync");
  const exported = [...new Set([...names, "initSync", "retire"])];
  return {
    code: `export const INLINE_ENTRY = "${inlineEntry}";\nexport function createGlue() {\nlet isRetired = false;\nfunction retire() { isRetired = true; }\n${DEBUG_STRING}\n${body}\nreturn { ${exported.join(", ")} };\n}\n`,
    types:
      `${types.replace(/^export default function[^;]*;$/gm, "")}\n` +
      "export const INLINE_ENTRY: string;\nexport function retire(): void;\n" +
      `export function createGlue(): { ${exported.map((name) => `${name}: typeof ${name}`).join("; ")} };\n`,
  };
}
