/** Finds the option that an unknown name probably means. */

/**
 * Names of options in other libraries and in earlier versions, in lower case without separators, with our names. The
 * first of them that the call has is suggested.
 */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  maxtokens: ["budget"],
  maxinputtokens: ["budget", "model"],
  maxprompttokens: ["budget", "model"],
  maxcontextwindowtokens: ["model"],
  contextwindow: ["model", "budget"],
  tokenlimit: ["budget", "maxTokens"],
  tokenbudget: ["budget"],
  targettokens: ["budget"],
  max: ["budget", "maxTokens", "maxMarks", "maxResults"],
  limit: ["budget", "maxTokens", "maxResults"],
  budget: ["maxTokens"],
  maxoutputtokens: ["maxTokens", "outputReserve"],
  maxcompletiontokens: ["maxTokens"],
  encodingname: ["encoding"],
  enc: ["encoding"],
  tokenizer: ["encoding"],
  tokencounter: ["encoding"],
  modelname: ["model"],
  modelid: ["model"],
  abortsignal: ["signal"],
  abort: ["signal"],
  token: ["signal"],
  cancellationtoken: ["signal"],
  client: ["llm", "model"],
  summarize: ["llm"],
  summarizer: ["llm"],
  callback: ["llm"],
  instruction: ["instructions", "focus"],
  prompt: ["focus", "instructions"],
  systemprompt: ["system"],
  systeminstruction: ["system"],
  maxretries: ["retries"],
  timeout: ["timeoutMs"],
  requesttimeout: ["timeoutMs"],
  baseurl: ["baseUrl"],
  endpoint: ["baseUrl"],
  key: ["apiKey"],
  functions: ["tools"],
  tooldefinitions: ["tools"],
  pinned: ["keep"],
  pins: ["keep"],
  preserve: ["keep"],
  lang: ["language"],
  filename: ["path"],
  filepath: ["path"],
  cursor: ["selection"],
  selections: ["selection"],
  strategy: ["order", "profile"],
  onprogress: ["onEvent"],
  onevent: ["onProgress"],
};

/** Max number of wrong letters in a slip. */
const SLIP = 2;

/** Returns true if `name` looks like a slip of one of `names`. */
export function isSlip(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.length > 6 && distance(name, one, SLIP) <= SLIP);
}

/**
 * Returns the name that was probably meant: by a name of another library, else the one with the fewest wrong letters,
 * at most a third of them.
 */
export function nearest(name: string, right: readonly string[]): string | undefined {
  const plain = simple(name);
  const same = right.find((one) => simple(one) === plain);
  if (same !== undefined) return same;
  const foreign = (Object.hasOwn(FOREIGN, plain) ? FOREIGN[plain]! : []).find((one) => right.includes(one));
  if (foreign !== undefined) return foreign;
  const max = Math.min(3, Math.floor(plain.length / 3));
  let [best, min]: [string | undefined, number] = [undefined, max + 1];
  for (const one of right) {
    const wrong = distance(plain, simple(one), max);
    if (wrong < min) [best, min] = [one, wrong];
  }
  return (
    best ?? right.find((one) => plain.length > 3 && (simple(one).startsWith(plain) || plain.startsWith(simple(one))))
  );
}

function simple(name: string): string {
  return name.replace(/[-_. ]/g, "").toLowerCase();
}

/**
 * Returns the number of letters to insert, delete, replace or swap with their neighbour to turn one word into the
 * other; `max + 1` for anything above `max`.
 */
function distance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let [older, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = above[column - 1]! + Number(a[row - 1] !== b[column - 1]);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(replaced, above[column]! + 1, line[column - 1]! + 1, isSwap ? older[column - 2]! + 1 : Infinity),
      );
    }
    [older, above] = [above, line];
  }
  return above[b.length]!;
}
