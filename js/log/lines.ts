/** The lines of a log as they are stored: in order, and by type, so that no query scans the whole log twice. */

/** A part in a line of the log; the same text inside a string is escaped. */
const MEDIA = /"type":"(?:image|document)"/;
const TYPE = ',"type":"';
const MESSAGE = "message";

export class Lines {
  /** True if there are pictures or documents: models count them differently, even with the same encoding. */
  hasMedia = false;
  private readonly list: string[];
  /** Positions by the type of the entry, for the first `sorted` lines. */
  private readonly places = new Map<string, number[]>();
  private sorted = 0;

  /** Takes ownership of the list. */
  constructor(list: string[] = []) {
    this.list = list;
    this.hasMedia = this.of(MESSAGE).some((line) => MEDIA.test(line));
  }

  /** Number of lines. */
  get length(): number {
    return this.list.length;
  }

  push(line: string): void {
    this.list.push(line);
    this.hasMedia ||= typeOf(line) === MESSAGE && MEDIA.test(line);
  }

  /** Returns the lines from a position on, each with its line break. */
  from(position: number): string {
    return this.list
      .slice(position)
      .map((line) => `${line}\n`)
      .join("");
  }

  /** Returns all lines as one text. */
  text(): string {
    return this.list.join("\n");
  }

  /** Returns the lines of entries of a type, in order. */
  of(type: string): string[] {
    this.sort();
    return (this.places.get(type) ?? []).map((at) => this.list[at]!);
  }

  /** Sorts the lines added since the last call by type. */
  private sort(): void {
    for (; this.sorted < this.list.length; this.sorted += 1) {
      const is = typeOf(this.list[this.sorted]!);
      const places = this.places.get(is);
      if (places) places.push(this.sorted);
      else this.places.set(is, [this.sorted]);
    }
  }

  /** Returns the newest line of a type. */
  newest(type: string): string | undefined {
    this.sort();
    const at = this.places.get(type)?.at(-1);
    return at === undefined ? undefined : this.list[at];
  }

  /** Returns the messages of the log in the neutral form. */
  messages<M>(): M[] {
    return this.of(MESSAGE).map((line) => messageOf<M>(line));
  }
}

/** Returns the lines before a message, the number of its line from 1, and the number of lines from it on. */
export function beforeMessage(text: string, number: number): { before: string; line: number; after: number } {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  let messages = 0;
  const at = lines.findIndex((line) => typeOf(line) === MESSAGE && messages++ === number);
  const before = lines.slice(0, at).map((line) => `${line}\n`);
  return { before: before.join(""), line: at + 1, after: lines.length - at };
}

/** Returns the message in a line. */
export function messageOf<M>(line: string): M {
  return (JSON.parse(line) as { message: M }).message;
}

/** Returns the host's record in a line. */
export function recordOf(line: string): { id: string; data: unknown } {
  const { seq, json } = JSON.parse(line) as { seq: number; json: string };
  return { id: `e${seq}`, data: JSON.parse(json) as unknown };
}

/** Returns the type of an entry: in the core's lines it follows the head and precedes all host data. */
function typeOf(line: string): string {
  const at = line.indexOf(TYPE) + TYPE.length;
  return line.slice(at, line.indexOf('"', at));
}
