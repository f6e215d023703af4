/** Finds the context of one completion, in one call. */

import { call } from "../engine/engine.ts";
import { coded, isEspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { INLINE_REQUEST } from "../options/schemas/inline-context.ts";
import { workspace } from "../engine/workspace.ts";
import { limitsOf } from "./options.ts";
import type { InlineContextResult, InlineRequest } from "./types.ts";
import { documentOf, editsOf, fileOf, filesOf, itemsOf, offsetOf, resultOf, timeOf } from "./wire.ts";

/**
 * Finds the context of one completion within a budget: text on both sides of the cursor, items of providers, similar
 * snippets of neighbour files, recent edits. Each candidate is reported, with the reason if it is not sent. Equal
 * requests have equal results; for an editor's session {@link InlineContext} keeps files and caches.
 *
 * ```ts
 * import { inlineContext } from "espalier/inline-context";
 *
 * const text = "import { total } from \"./stock\";\n\nconsole.log(total(\n\nexport const rate = 3;\n";
 * const cursor = text.indexOf("total(\n") + 6;
 * const { context, prefix, suffix, tokens } = inlineContext({
 *   file: { path: "src/main.ts", language: "typescript", text },
 *   cursor,
 *   neighbours: [{ path: "src/stock.ts", language: "typescript", text: "export function total(stock: number[]) {\n  return stock.length;\n}\n" }],
 *   budget: 1_000,
 * });
 * prefix.endsWith("console.log(total("); // => true
 * suffix; // => "export const rate = 3;\n"
 * context.includes("Compare this snippet from src/stock.ts:\nexport function total"); // => true
 * tokens.context + tokens.prefix + tokens.restOfLine + tokens.suffix + tokens.free; // => 1000
 * ```
 *
 * @throws EspalierError `bad_option`, `bad_input`, `encoding_not_loaded`, `not_initialized`
 */
export function inlineContext(request: InlineRequest): InlineContextResult {
  const {
    file: given,
    cursor: at,
    neighbours = [],
    items = [],
    edits = [],
    excluded,
    elapsedMs = 0,
    ...options
  } = check(request, INLINE_REQUEST, "request");
  const limits = inRequest(() => limitsOf(options, "request"));
  const file = fileOf(given, "request.file");
  const cursor = offsetOf(at, "request.cursor");
  const numbers = Float64Array.of(cursor, timeOf(elapsedMs, "request.elapsedMs"), Infinity);
  const [texts, focused] = filesOf(neighbours, "request.neighbours");
  const [itemTexts, itemNumbers] = itemsOf(items, "request.items");
  const [editTexts, times] = editsOf(edits, "request.edits");
  const others = [...neighbours, ...items, ...edits].flatMap(({ path }) => path ?? []);
  const document = documentOf(file, excluded, "request.excluded", others, limits.secrets);
  const json = inRequest(() =>
    call(() =>
      workspace().inlineContext(
        limits.json,
        limits.encoding,
        limits.tokenizer,
        document,
        numbers,
        file.text,
        texts,
        focused,
        itemTexts,
        itemNumbers,
        editTexts,
        times,
      ),
    ),
  );
  return resultOf(json, file.text, cursor);
}

/** Renames options in errors to their paths in the request. */
function inRequest<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isEspalierError(error) || !error.path?.startsWith("options.")) throw error;
    const { code, message, path, details, cause } = error;
    throw coded({
      code,
      message: message.replaceAll("options.", "request."),
      path: path!.replace("options.", "request."),
      details,
      cause,
    });
  }
}
