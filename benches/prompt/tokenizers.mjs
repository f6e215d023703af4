// Tokenizers, each with a tally of its questions.

const MODE_RAW = 1;
const KIND_TEXT = 1;

/** Costs almost nothing, so that only the renderer is measured. */
function quarters() {
  const count = (text) => Math.ceil(text.length / 4);
  return {
    mode: MODE_RAW,
    tokenLength: (part) => (part.type === KIND_TEXT ? count(part.text) : 0),
    countMessageTokens({ content, toolCalls = [] }) {
      let tokens = 3;
      for (const part of content) if (part.type === KIND_TEXT) tokens += count(part.text);
      for (const call of toolCalls) tokens += 3 + count(call.function.name) + count(call.function.arguments);
      return tokens;
    },
  };
}

/** The same, with promises. */
function quartersLater() {
  const { mode, tokenLength, countMessageTokens } = quarters();
  return {
    mode,
    tokenLength: async (part) => tokenLength(part),
    countMessageTokens: async (message) => countMessageTokens(message),
  };
}

/** The package's own o200k_base. The reference calls it like any other; ours counts inside the engine. */
function builtin(espalier) {
  const tokenizer = new espalier.BuiltinTokenizer({ mode: MODE_RAW, encoding: "o200k_base" });
  // Loads the vocabulary, which is not part of the measurement.
  tokenizer.tokenLength({ type: KIND_TEXT, text: "" });
  return tokenizer;
}

export const tokenizers = { quarters, quartersLater, builtin };

/** Adds a tally to a tokenizer. A wrapped tokenizer is a host's tokenizer to our own module, too. */
export function tallied(tokenizer) {
  const tally = { tokenLength: 0, countMessageTokens: 0, characters: 0 };
  return {
    tally,
    mode: tokenizer.mode,
    tokenLength(part) {
      tally.tokenLength++;
      if (part.type === KIND_TEXT) tally.characters += part.text.length;
      return tokenizer.tokenLength(part);
    },
    countMessageTokens(message) {
      tally.countMessageTokens++;
      for (const part of message.content) if (part.type === KIND_TEXT) tally.characters += part.text.length;
      return tokenizer.countMessageTokens(message);
    },
  };
}
