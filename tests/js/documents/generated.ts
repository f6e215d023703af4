/** Sources with blocks, calls over several rows and bodies without braces, and which of their rows need one another. */

type Pick = <T>(...of: T[]) => T;

/** A generated source: its lines, and for a row without braces around it the row that it hangs on. */
export interface Generated {
  lines: string[];
  /** Pairs of rows: the first may only show if the second does. */
  needs: [row: number, head: number][];
  /** The first and the last rows of texts of several rows. */
  texts: [first: number, last: number][];
}

interface Words {
  indent: string;
  comment: (text: string) => string[];
  /** Rows around all code of a function: before and behind. */
  file: [before: string[], behind: string[], depth: number];
  fn: (name: string) => [head: string, tail: string];
  /** Heads of blocks with their tails. */
  block: (name: string) => [head: string, tail: string];
  /** Heads of statements whose body has no braces; none if the language has no such statements. */
  bare?: (name: string) => string;
  /** What goes behind the body of a bare `if`. */
  otherwise?: string;
  end: string;
  /** First and last rows of a statement over several rows, without the end. */
  open: (name: string) => [head: string, item: (at: number) => string, tail: string];
  chain?: string;
  /** The head of a block whose condition has rows of its own. */
  condition?: [head: string, item: (name: string) => string, tail: string];
  /** A text of several rows with brackets in it. */
  text?: [head: (name: string) => string, tail: string];
}

const script = (type: string): Words => ({
  indent: "  ",
  comment: (text) => [`// ${text} (of it`],
  file: [['import { a } from "a";', ""], [], 0],
  fn: (name) => [`export function ${name}(one${type}, two${type}) {`, "}"],
  block: (name) => [`if (${name}(one) > 1) {`, "}"],
  bare: (name) => `if (${name}(one))`,
  otherwise: "else",
  end: ";",
  open: (name) => [`throw new Problem({`, (at) => `${name}${at}: "why ) ${at}",`, "})"],
  chain: ".then((it) => it.of(1))",
  condition: ["if (", (name) => `${name}(one) > 1 &&`, "two > 3"],
  text: [(name) => `const ${name} = \`${name} (`, "it's { in ${one}`"],
});

export const LANGUAGES: Record<string, Words> = {
  javascript: script(""),
  typescript: script(": number"),
  rust: {
    indent: "    ",
    comment: (text) => [`// ${text} (of it`],
    file: [["use a::b;", ""], [], 0],
    fn: (name) => [`pub fn ${name}(one: u32, two: u32) -> u32 {`, "}"],
    block: (name) => [`if ${name}(one) > 1 {`, "}"],
    end: ";",
    open: (name) => [`${name}(Problem {`, (at) => `${name}${at}: "why ) ${at}",`, "})"],
    chain: ".then(|it| it.of(1))",
  },
  python: {
    indent: "    ",
    comment: (text) => [`# ${text} (of it`],
    file: [["import a", ""], [], 0],
    fn: (name) => [`def ${name}(one, two):`, ""],
    block: (name) => [`if ${name}(one) > 1:`, ""],
    end: "",
    open: (name) => [`raise Problem({`, (at) => `"${name}${at}": "why ) ${at}",`, "})"],
  },
  go: {
    indent: "\t",
    comment: (text) => [`// ${text} (of it`],
    file: [["package a", ""], [], 0],
    fn: (name) => [`func ${name}(one int, two int) int {`, "}"],
    block: (name) => [`if ${name}(one) > 1 {`, "}"],
    end: "",
    open: (name) => [`${name}(&Problem{`, (at) => `${name}${at}: "why ) ${at}",`, "})"],
  },
  java: {
    indent: "    ",
    comment: (text) => [`// ${text} (of it`],
    file: [["import a.b;", "", "class A {"], ["}"], 1],
    fn: (name) => [`int ${name}(int one, int two) {`, "}"],
    block: (name) => [`if (${name}(one) > 1) {`, "}"],
    bare: (name) => `if (${name}(one))`,
    otherwise: "else",
    end: ";",
    open: (name) => [`throw new Problem(of(`, (at) => `${name}(${at}, "why ) ${at}"),`, "null))"],
    chain: ".then(it -> it.of(1))",
  },
  cpp: {
    indent: "    ",
    comment: (text) => [`// ${text} (of it`],
    file: [["#include <a>", ""], [], 0],
    fn: (name) => [`int ${name}(int one, int two) {`, "}"],
    block: (name) => [`while (${name}(one) > 1) {`, "}"],
    bare: (name) => `if (${name}(one))`,
    otherwise: "else",
    end: ";",
    open: (name) => [`throw Problem({`, (at) => `${name}(${at}, "why ) ${at}"),`, "})"],
    chain: ".then(1)",
  },
};

/** Generates a source from random numbers in [0, 1). */
export function generate(language: string, random: () => number): Generated {
  const words = LANGUAGES[language]!;
  const pick: Pick = (...of) => of[Math.floor(random() * of.length)]!;
  const made: Generated = { lines: [], needs: [], texts: [] };
  let names = 0;
  const name = () => `${pick("take", "make", "read", "send", "hold")}${pick("Row", "Word", "Page")}${++names}`;
  const row = (depth: number, text: string) => {
    made.lines.push(text && words.indent.repeat(depth) + text);
    return made.lines.length - 1;
  };
  const bound = (head: number, body: () => void) => {
    const first = made.lines.length;
    body();
    for (let at = first; at < made.lines.length; at++) made.needs.push([at, head]);
  };
  const long = (depth: number) => {
    const [head, item, tail] = words.open(name());
    row(depth, head);
    const count = pick(1, 2, 4, 12);
    for (let at = 0; at < count; at++) row(depth + 1, item(at));
    row(depth, tail + words.end);
  };
  const simple = (depth: number) => row(depth, `${name()}(one, ${pick("two", '"("', "3")})${words.end}`);
  const statement = (depth: number, nested: number, min = 0): void => {
    const kind = min + random() * (1 - min);
    if (kind < 0.3) simple(depth);
    else if (kind < 0.4) words.comment(name()).forEach((text) => row(depth, text));
    else if (kind < 0.55) long(depth);
    else if (kind < 0.62 && words.chain) {
      const head = row(depth, `${name()}(one)`);
      bound(head, () => {
        for (let at = pick(1, 3, 6); at > 0; at--) row(depth + 1, words.chain + (at === 1 ? words.end : ""));
      });
    } else if (kind < 0.8 && words.bare && nested < 4) {
      const head = row(depth, words.bare(name()));
      const body = () =>
        random() < 0.25 ? statement(depth + 1, nested + 1, 0.4) : pick(long, simple)(depth + pick(0, 1, 1, 1));
      bound(head, body);
      if (words.otherwise && random() < 0.3) {
        bound(head, () => {
          const other = row(depth, words.otherwise!);
          // Without the end of the first body, its head would have none.
          made.needs.push([other, other - 1]);
          bound(other, () => pick(long, simple)(depth + 1));
        });
      }
    } else if (words.condition && kind < 0.84 && nested < 4) {
      const [head, item, tail] = words.condition;
      const first = row(depth, head);
      bound(first, () => {
        for (let at = pick(1, 3); at > 0; at--) row(depth + 1, item(name()));
        row(depth + 1, tail);
        const end = row(depth, pick(")", ") {"));
        if (made.lines[end]!.endsWith("{")) {
          body(depth + 1, nested + 1, pick(1, 3));
          row(depth, "}");
        } else long(depth + 1);
      });
    } else if (words.text && kind < 0.88) {
      const [head, tail] = words.text;
      const first = row(depth, head(name()));
      bound(first, () => {
        for (let at = pick(0, 2, 9); at > 0; at--) row(pick(0, depth), `a row ) of "text`);
        made.texts.push([first, row(depth, tail + words.end)]);
      });
    } else if (nested < 4) {
      const [head, tail] = words.block(name());
      row(depth, head);
      body(depth + 1, nested + 1, pick(1, 2, 4));
      if (tail) row(depth, tail);
    } else simple(depth);
  };
  const body = (depth: number, nested: number, count: number) => {
    for (let at = 0; at < count; at++) statement(depth, nested);
    // A comment alone is no body.
    simple(depth);
  };
  const [before, behind, depth] = words.file;
  before.forEach((text) => row(0, text));
  for (let at = pick(1, 2, 4); at > 0; at--) {
    const [head, tail] = words.fn(name());
    row(depth, head);
    body(depth + 1, 0, pick(2, 5, 9));
    if (tail) row(depth, tail);
    row(depth, "");
  }
  behind.forEach((text) => row(0, text));
  return made;
}

/** Finds the rows that open and close the same bracket or text, comments aside. Pairs of one row are left out. */
export function brackets({ lines, texts }: Generated): [open: number, close: number][] {
  const pairs: [number, number][] = [...texts];
  const open: number[] = [];
  lines.forEach((line, row) => {
    if (texts.some(([first, last]) => first < row && row < last)) return;
    const code = line
      .replace(texts.some(([first]) => first === row) ? /`.*/ : /^$/, "")
      .replace(texts.some(([, last]) => last === row) ? /.*`/ : /^$/, "")
      .replace(/"[^"]*"/g, "")
      .replace(/(\/\/|#).*/, "");
    for (const letter of code) {
      if ("([{".includes(letter)) open.push(row);
      if (!")]}".includes(letter)) continue;
      const from = open.pop();
      if (from === undefined) throw new Error(`line ${row + 1} closes what nothing opens`);
      if (from < row) pairs.push([from, row]);
    }
  });
  if (open.length > 0) throw new Error(`line ${open[0]! + 1} is never closed`);
  return pairs;
}
