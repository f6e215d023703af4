// Prompts to measure: the same plain data for both modules. Texts and priorities come from one generator with a fixed
// seed.

const CHUNKS_IN_MESSAGE = 10;
const WORDS_IN_CHUNK = 36;
const WORDS = (
  "the of and to in is for that with on as by this be from are at or an it not which was all can will has have more one if new other but use " +
  "function return value string number array object file line error result message token budget prompt element render layout priority limit " +
  "container history summary request answer version property example package module import export interface generate between different possible"
).split(" ");

function randomness(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Returns a text of this number of words. */
export function text(words, random = randomness(7)) {
  return Array.from({ length: words }, () => WORDS[random(WORDS.length)]).join(" ");
}

const piece = (ctorName, props, children, more = {}) => ({
  type: 1,
  ctor: 2,
  ctorName,
  children,
  props,
  references: [],
  ...more,
});
const message = (role, props, children) => piece("BaseChatMessage", { ...props, role }, children, { ctor: 1 });
const PASS_PRIORITY = 4;
const USER = 1;

/**
 * The structure of each shape. `make` gets chunks and returns children of the root, as JSON; `tools` needs elements,
 * since JSON has no calls.
 */
export const shapes = {
  balanced: (chunks, random) => grouped(chunks, (part) => message(USER, { priority: random(1000) }, part)),
  tied: (chunks) => grouped(chunks, (part) => message(USER, {}, part)),
  flat: (chunks) => [message(USER, {}, chunks)],
  emptied: (chunks) => [
    message(
      USER,
      {},
      chunks.map((chunk, at) => (at % 10 === 0 ? chunk : emptied(chunk))),
    ),
  ],
  nested: (chunks, random) => wrapped(chunks, random, {}),
  pass: (chunks, random) => wrapped(chunks, random, { passPriority: true }),
  history: (chunks) => grouped(chunks, (part, at) => message(USER, { priority: at }, part)),
  tools: undefined,
};

/** Returns a chunk whose text was cut to nothing. */
const emptied = (chunk) => ({ ...chunk, children: chunk.children.map((part) => ({ ...part, text: "" })) });

/** Each message has two wrappers, each of which has two more with the chunks. */
function wrapped(chunks, random, props) {
  const flags = props.passPriority ? { flags: PASS_PRIORITY } : {};
  const priority = () => (props.passPriority ? props : { priority: random(1000) });
  const wrap = (part, each) => grouped(part, (inner) => piece("LogicalWrapper", priority(), inner, flags), each);
  return grouped(chunks, (part) => message(USER, { priority: random(1000) }, wrap(wrap(part, 3), 2)));
}

function grouped(list, make, size = CHUNKS_IN_MESSAGE) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    make(list.slice(at * size, (at + 1) * size), at),
  );
}

/** Returns the root element of a shape, for the given module, and the number of characters of its texts. */
export function promptOf(module, shape, count) {
  const random = randomness(42);
  let characters = 0;
  const chunks = Array.from({ length: count }, (_, at) => {
    const priority = shape === "history" ? at : random(1000);
    const words = text(WORDS_IN_CHUNK, random);
    characters += words.length;
    return piece("TextChunk", { priority }, [
      { type: 2, priority, text: words, references: [], lineBreakBefore: true },
    ]);
  });
  const children = shape === "tools" ? undefined : shapes[shape](chunks, random);
  const h = (ctor, props, ...inner) => ({ ctor, props, children: inner });
  const splice = (node) => h("elementJSON", { data: { node } });
  const rounds = () =>
    grouped(chunks, ([said, ...result], at) => {
      const Kept = module.useKeepWith();
      const priority = (at * 7919) % 1000;
      const toolCalls = [
        {
          id: `call${at}`,
          type: "function",
          function: { name: "read_file", arguments: `{"path":"src/part${at}.ts"}` },
          keepWith: Kept,
        },
      ];
      const answer = h(module.ToolMessage, { toolCallId: `call${at}` }, ...result.map(splice));
      return [h(module.AssistantMessage, { priority, toolCalls }, splice(said)), h(Kept, { priority }, answer)];
    }).flat();
  class Prompt extends module.PromptElement {
    render() {
      return children ? splice(piece("Prompt", {}, children)) : h(module.LogicalWrapper, {}, ...rounds());
    }
  }
  return { Prompt, characters };
}

/** Returns a prompt of one text that is cut at whitespace. */
export function breakingOf(module, words) {
  const long = text(words);
  class Prompt extends module.PromptElement {
    render() {
      const chunk = { ctor: module.TextChunk, props: { breakOnWhitespace: true }, children: [long] };
      return { ctor: module.UserMessage, props: {}, children: [chunk] };
    }
  }
  return { Prompt, characters: long.length };
}
