/**
 * Matches names and paths against patterns of `.gitignore`, as git's wildmatch does, in time proportional to the
 * product of their lengths.
 */

type Token =
  | { type: "literal"; letter: string }
  /** `?`, `[a-z]`: one letter, never a `/`. */
  | { type: "one"; matches: (letter: string) => boolean }
  /** `*`: any letters except `/`. */
  | { type: "some" }
  /** A `**` between slashes: folders, and the slash after them. */
  | { type: "folders" }
  /** A `**` at the end, after a slash: everything. */
  | { type: "all" };

/**
 * Returns a test for whole paths with `/`; `undefined` if the pattern matches nothing, such as one with an unclosed
 * class.
 */
export function glob(pattern: string): ((path: string) => boolean) | undefined {
  const tokens = tokensOf(pattern);
  if (!tokens) return undefined;
  const least = tokens.filter(({ type }) => type === "literal" || type === "one").length;
  return quickTest(tokens) ?? ((path) => least <= path.length && matches(tokens, path));
}

/** Returns a quick test for the usual patterns: a name without wildcards, or with a `*` at one end. */
function quickTest(tokens: readonly Token[]): ((path: string) => boolean) | undefined {
  const first = tokens[0]?.type === "some";
  const last = tokens.length > 1 && tokens.at(-1)?.type === "some";
  const letters = tokens.slice(first ? 1 : 0, last ? -1 : undefined);
  if ((first && last) || !letters.every(({ type }) => type === "literal")) return undefined;
  const text = letters.map((token) => (token as { letter: string }).letter).join("");
  if (first) return (path) => path.endsWith(text) && !path.slice(0, path.length - text.length).includes("/");
  if (last) return (path) => path.startsWith(text) && !path.includes("/", text.length);
  return (path) => path === text;
}

/**
 * Follows all ways through the pattern at once, as the set of places in it that the path so far can reach. A `*` never
 * backtracks.
 */
function matches(tokens: readonly Token[], path: string): boolean {
  let places = new Set<number>();
  const enter = (into: Set<number>, place: number) => {
    for (let at = place; !into.has(at); at++) {
      into.add(at);
      const type = tokens[at]?.type;
      // These can match nothing.
      if (type !== "some" && type !== "folders") return;
    }
  };
  enter(places, 0);
  const letters = [...path];
  for (const letter of letters) {
    const next = new Set<number>();
    for (const place of places) {
      if (place < 0) {
        // Inside the folders of the token at -place - 1: the next token begins after a slash.
        next.add(place);
        if (letter === "/") enter(next, -place);
        continue;
      }
      const token = tokens[place];
      if (token === undefined) continue;
      if (token.type === "literal" && token.letter === letter) enter(next, place + 1);
      else if (token.type === "one" && letter !== "/" && token.matches(letter)) enter(next, place + 1);
      else if (token.type === "some" && letter !== "/") enter(next, place);
      else if (token.type === "all") next.add(place);
      else if (token.type === "folders") next.add(-place - 1);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return [...places].some((place) => place === tokens.length || (tokens[place]?.type === "all" && path !== ""));
}

function tokensOf(pattern: string): Token[] | undefined {
  const out: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const letter = String.fromCodePoint(pattern.codePointAt(at)!);
    if (letter === "*") {
      const end = at + /^\*+/.exec(pattern.slice(at))![0].length;
      const isFree = end - at === 2 && (at === 0 || pattern[at - 1] === "/");
      if (isFree && pattern[end] === "/") {
        if (out.at(-1)?.type !== "folders") out.push({ type: "folders" });
        at = end + 1;
        continue;
      }
      out.push({ type: isFree && end === pattern.length ? "all" : "some" });
      at = end;
    } else if (letter === "?") {
      out.push({ type: "one", matches: () => true });
      at++;
    } else if (letter === "[") {
      const found = classAt(pattern, at + 1);
      if (!found) return undefined;
      out.push({ type: "one", matches: found.matches });
      at = found.end;
    } else if (letter === "\\") {
      // A backslash at the end of a pattern matches nothing.
      if (at + 1 === pattern.length) return undefined;
      const literal = String.fromCodePoint(pattern.codePointAt(at + 1)!);
      out.push({ type: "literal", letter: literal });
      at += 1 + literal.length;
    } else {
      out.push({ type: "literal", letter });
      at += letter.length;
    }
  }
  return out;
}

const NAMED: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/**
 * Reads the class that begins after a `[`. A `]` in first position is a letter of the class; a backslash escapes the
 * next letter.
 */
function classAt(pattern: string, from: number): { matches: (letter: string) => boolean; end: number } | undefined {
  let at = from;
  const isNegated = pattern[at] === "!" || pattern[at] === "^";
  if (isNegated) at++;
  const tests: ((letter: string) => boolean)[] = [];
  const first = at;
  const letterAt = (): string | undefined => {
    if (pattern[at] === "\\") at++;
    const code = pattern.codePointAt(at);
    if (code === undefined) return undefined;
    const letter = String.fromCodePoint(code);
    at += letter.length;
    return letter;
  };
  while (at < pattern.length) {
    if (pattern[at] === "]" && at > first) {
      return { end: at + 1, matches: (letter) => tests.some((test) => test(letter)) !== isNegated };
    }
    const named = /^\[:([a-z]*):\]/.exec(pattern.slice(at, at + 16));
    if (named) {
      const test = NAMED[named[1]!];
      if (!test) return undefined;
      tests.push((letter) => test.test(letter));
      at += named[0].length;
      continue;
    }
    const low = letterAt();
    if (low === undefined) return undefined;
    if (pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      at++;
      const high = letterAt();
      if (high === undefined) return undefined;
      const [from, to] = [low.codePointAt(0)!, high.codePointAt(0)!];
      tests.push((letter) => from <= letter.codePointAt(0)! && letter.codePointAt(0)! <= to);
    } else {
      tests.push((letter) => letter === low);
    }
  }
  return undefined;
}
