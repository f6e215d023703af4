/**
 * Builds histories from the labelled cases: each case comes first, followed by talk or work until it must be dropped.
 */

import { readFileSync } from "node:fs";
import { requestTokens } from "../tokens.mjs";
import { transcripts } from "../transcripts.mjs";

const read = (file) => JSON.parse(readFileSync(new URL(`./${file}`, import.meta.url), "utf8"));
const SPACELESS = new Set(["zh", "ja"]);

/** Words of a user who only wants to continue. */
const GO_ON = {
  en: ["Go on.", "And then?"],
  de: ["Weiter.", "Und dann?"],
  fr: ["Continue.", "Et ensuite ?"],
  es: ["Sigue.", "¿Y después?"],
  pt: ["Continua.", "E depois?"],
  ru: ["Дальше.", "А потом?"],
  zh: ["继续。", "然后呢？"],
  ja: ["続けて。", "それから？"],
  ko: ["계속.", "그다음은?"],
};
const SUBJECTS = ["The river", "A small harbour", "The old library", "This valley", "The train", "A street"];
const VERBS = ["crosses", "belongs to", "looks towards", "keeps the name of", "lies behind", "was drawn with"];
const OBJECTS = ["the northern hills", "a market of wool", "the first bridge", "two stone towers", "a garden of plums"];

/** `[{ id, language, domain, half, messages, sentences }]`; each sentence has the index of its message. */
export function constraintCases() {
  return read("constraints.json").conversations.map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map(({ role, content, sentences }) => ({
      role,
      content: content ?? joined(sentences, rest.language),
    })),
    sentences: messages.flatMap(({ sentences = [] }, message) =>
      sentences.map((sentence) => ({ ...sentence, message })),
    ),
  }));
}

/** Labelled messages of the public transcripts: `[{ name, half, messages, constraints, either, from, to }]`. */
export function constraintTranscripts() {
  return read("constraints.json").transcripts.map((entry) => ({ ...sliced(entry), ...entry }));
}

/** `[{ name, half, messages, states, outcomes, actions, isWhole }]`: own conversations, then public transcripts. */
export function storyCases() {
  const { conversations, transcripts: labelled } = read("story.json");
  const empty = { states: [], outcomes: [], actions: [] };
  const own = conversations.map(({ id, messages, ...rest }) => ({
    ...empty,
    ...rest,
    name: id,
    isOwn: true,
    messages: messages.map((message, at) => withCall(message, at, messages[at - 1])),
  }));
  return [...own, ...labelled.map((entry) => ({ ...empty, ...entry, ...sliced(entry) }))];
}

/** Returns the conversation, then rounds of work or talk until the history has `tokens`; a short request comes last. */
export function followed(messages, tokens, { isWork, language = "en" }) {
  const history = [...messages];
  const [go, then] = GO_ON[language];
  let size = requestTokens(history);
  for (let step = 0; size < tokens; step++) {
    const added = isWork ? work(step, go) : talk(step, step % 2 === 0 ? go : then);
    history.push(...added);
    size += requestTokens(added) - 3;
  }
  return [...history, { role: "user", content: then }];
}

function joined(sentences, language) {
  const space = SPACELESS.has(language) ? "" : " ";
  return sentences.reduce((text, { text: next, label }, at) => {
    const isApart = ["pasted", "harness"].includes(label) || ["pasted", "harness"].includes(sentences[at - 1]?.label);
    return text === "" ? next : `${text}${isApart ? "\n" : space}${next}`;
  }, "");
}

const callId = (at) => `call_${at}`;

function withCall({ role, content, call, arguments: given }, at) {
  if (role === "tool") return { role, tool_call_id: callId(at - 1), content };
  if (call === undefined) return { role, content };
  const asked = { id: callId(at), type: "function", function: { name: call, arguments: JSON.stringify(given) } };
  return { role, content: null, tool_calls: [asked] };
}

let loaded;

/** Returns the labelled range of a transcript, after its system message; labels count from the whole transcript. */
function sliced({ transcript, from = 0, to }) {
  loaded ??= new Map(transcripts().map(({ name, messages }) => [name, messages]));
  const all = loaded.get(transcript);
  const head = all[0].role === "system" ? [all[0]] : [];
  const start = Math.max(from, head.length);
  const shift = start - head.length;
  return { name: transcript, messages: [...head, ...all.slice(start, (to ?? all.length - 1) + 1)], shift };
}

function talk(step, asked) {
  const pick = (words, at) => words[at % words.length];
  const sentence = (at) => `${pick(SUBJECTS, at)} ${pick(VERBS, at * 5 + step)} ${pick(OBJECTS, at * 3 + step)}.`;
  const answer = Array.from({ length: 12 }, (_, at) => sentence(step * 7 + at)).join(" ");
  return [
    { role: "user", content: asked },
    { role: "assistant", content: answer },
  ];
}

function work(step, asked) {
  const id = `read_${step}`;
  const path = `src/table/part${step}.js`;
  const lines = Array.from({ length: 24 }, (_, at) => `let cell${step}x${at} = row${at} + column${(at * 7) % 13};`);
  const call = { id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } };
  return [
    ...(step % 6 === 0 ? [{ role: "user", content: asked }] : []),
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: lines.join("\n") },
  ];
}
