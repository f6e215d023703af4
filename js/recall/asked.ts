/**
 * Parses the arguments of the recall tool. Models err in form more often than in intent, so any unambiguous input is
 * accepted.
 */

/** Max ids and ranges in one call. */
const MOST = 50;
/** Max length of the arguments' text, in UTF-16 code units. */
const LONGEST = 100_000;

/**
 * The parsed request, or the answer for invalid arguments. `exact` is the id as the model wrote it, since a host's own
 * ids may contain anything.
 */
export type Asked =
  | { exact: string; ids: string[]; query?: string; offset?: number }
  | { query: string }
  | { wrong: string };

const EXAMPLES = 'Call it with {"id":"m17"}, {"id":"m10..m20"} or {"query":"words to search for"}.';

/** Reads the arguments of a call: JSON text, or the object itself. */
export function readAsked(input: unknown): Asked {
  let given = input;
  if (typeof given === "string") {
    try {
      given = JSON.parse(given.slice(0, LONGEST)) as unknown;
    } catch {
      return { wrong: `The arguments are not a JSON object. ${EXAMPLES}` };
    }
  }
  // Some models send only the id.
  if (typeof given === "string" || typeof given === "number") given = { id: given };
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { wrong: `The arguments are not a JSON object. ${EXAMPLES}` };
  const { id, query, offset } = given as Record<string, unknown>;
  const exact = typeof id === "string" ? id.trim() : "";
  const texts = (Array.isArray(id) ? (id as unknown[]).slice(0, MOST) : [id]).flatMap(textsOf);
  const ids = texts.length === 0 && exact !== "" ? [exact] : texts;
  const words = typeof query === "string" && query.trim() !== "" ? query.trim().slice(0, LONGEST) : undefined;
  if (ids.length > MOST)
    return { wrong: `These are ${ids.length} ids, but at most ${MOST} are accepted. Ask for fewer, or for a range.` };
  if (ids.length > 0) {
    const from = typeof offset === "string" ? Number(offset) : offset;
    const isOffset = typeof from === "number" && Number.isSafeInteger(from) && from > 0;
    return {
      exact: exact === "" ? ids.join(",") : exact,
      ids,
      ...(words !== undefined && { query: words }),
      ...(isOffset && { offset: from }),
    };
  }
  return words === undefined ? { wrong: `Neither an id nor a query was given. ${EXAMPLES}` } : { query: words };
}

/** Returns the ids in a text: `m17`, `[m17]`, `m1, m5`, `m10..m20`, `m10 to m20`. */
function textsOf(given: unknown): string[] {
  if (typeof given === "number") return [`m${given}`];
  if (typeof given !== "string") return [];
  // Each pattern takes linear time: a run of spaces or brackets is passed once.
  const ranges = given
    .slice(0, LONGEST)
    .replace(/\s+/g, " ")
    .replace(/ ?(?:\.\.+|…|–|—) ?| (?:to|-) /g, "..");
  return ranges
    .split(/[\s,;]+/)
    .map((id) => id.replace(/^[[("'`#]+/, "").replace(/(?<![\])"'`.:])[\])"'`.:]+$/, ""))
    .filter((id) => id !== "");
}
