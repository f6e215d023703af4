/**
 * The lines of a log as they are stored: in order, and by their type, so that no question walks the whole log twice.
 */

/** A part in a line of the log; what texts say is quoted otherwise. */
const MEDIA = /"type":"(?:image|document)"/;
const TYPE = ',"type":"';
const MESSAGE = "message";

export class Lines {
  /** Models count pictures and documents each in their way, even with the same encoding. */
  hasMedia = false;
  private readonly list: string[];
  /** Positions by the type of the entry, of the first `sorted` lines. */
  private readonly places = new Map<string, number[]>();
  private sorted = 0;

  /** Takes the list over. */
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

  /** The lines from a position on, each with its line break. */
  from(position: number): string {
    return this.list
      .slice(position)
      .map((line) => `${line}\n`)
      .join("");
  }

  /** All lines, as one text. */
  text(): string {
    return this.list.join("\n");
  }

  /** The lines of entries of a type, in order. Sorts what was added since the last time; the rest is sorted already. */
  of(type: string): string[] {
    for (; this.sorted < this.list.length; this.sorted += 1) {
      const is = typeOf(this.list[this.sorted]!);
      const places = this.places.get(is);
      if (places) places.push(this.sorted);
      else this.places.set(is, [this.sorted]);
    }
    return (this.places.get(type) ?? []).map((at) => this.list[at]!);
  }

  /** The messages of the log in the neutral form. */
  messages<M>(): M[] {
    return this.of(MESSAGE).map((line) => messageOf<M>(line));
  }
}

/** The message in the line of one. */
export function messageOf<M>(line: string): M {
  return (JSON.parse(line) as { message: M }).message;
}

/** What a host recorded in a line. */
export function recordOf(line: string): { id: string; data: unknown } {
  const { seq, json } = JSON.parse(line) as { seq: number; json: string };
  return { id: `e${seq}`, data: JSON.parse(json) as unknown };
}

/**
 * The type of an entry: of lines as the core writes them it stands behind the head, in front of everything that a host
 * says.
 */
function typeOf(line: string): string {
  const at = line.indexOf(TYPE) + TYPE.length;
  return line.slice(at, line.indexOf('"', at));
}
