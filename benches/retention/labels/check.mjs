/**
 * Checks the scorers of the labelled cases with two views of known scores: a record written from the labels is always
 * right, and one that claims the opposite never.
 */

import { textOf } from "../transcripts.mjs";
import { constraintCases, constraintTranscripts, storyCases } from "./cases.mjs";

/** Throws with the figures that are wrong. @param score scores a view */
export async function checkScorers(score) {
  const wrong = [
    ...unexpected(await score(viewOf(true)), (name) => (name === "superseded" || name === "reads" ? 0 : 1)),
    ...unexpected(await score(viewOf(false)), (name) => (name === "superseded" || name === "reads" ? 1 : 0), [
      "inView",
      "at16k",
      "listed",
      "any",
      "shown",
    ]),
  ];
  if (wrong.length > 0) throw new Error(`the scorers of labelled cases are wrong: ${wrong.join(", ")}`);
}

/** Returns the paths of figures other than `wanted`; those of `apart` only count existing items. */
function unexpected(scores, wanted, apart = [], path = "") {
  return Object.entries(scores).flatMap(([name, value]) => {
    const at = `${path}/${name}`;
    if (!Array.isArray(value)) return unexpected(value, wanted, apart, at);
    const [part, whole] = value;
    return whole === 0 || apart.includes(name) || part / whole === wanted(name) ? [] : [`${at} ${part} of ${whole}`];
  });
}

/** Returns a view that is one record, made from the labels of the case that the history begins with. */
function viewOf(isRight) {
  const [sentences, ranges, stories] = [constraintCases(), constraintTranscripts(), storyCases()];
  const find = (cases, history) =>
    cases.find(({ messages }) => messages.every((message, at) => at in history && isSame(message, history[at])));
  return async (history) => {
    const blocks = [find(sentences, history), find(ranges, history), find(stories, history)].map(
      (found, kind) => found && [sentenceBlocks, rangeBlocks, storyBlocks][kind](found, isRight),
    );
    const text = blocks.filter(Boolean).join("");
    return [{ role: "user", content: `<conversation-summary covers="9">\n${text}</conversation-summary>` }];
  };
}

const isSame = (one, other) => textOf(one) === textOf(other);
const block = (name, lines) => `<${name}>\n${lines.join("\n")}\n</${name}>\n`;

function sentenceBlocks({ sentences }, isRight) {
  const replaced = new Set(sentences.map(({ replaces }) => replaces));
  const isListed = ({ text, label }) =>
    label === "constraint" ? !replaced.has(text) === isRight : !isRight && label !== "either";
  const lines = sentences.filter(isListed).map(({ message, text }) => `- m${message}: ${text.replaceAll("<", "&lt;")}`);
  return block("constraints", lines);
}

function rangeBlocks({ constraints, shift }, isRight) {
  const line = ({ message, text }) => `- m${message - shift}: ${isRight ? text : "Nothing that anybody wrote."}`;
  return block("constraints", constraints.map(line));
}

function storyBlocks({ messages, outcomes, states, actions, shift = 0 }, isRight) {
  const asked = ({ message, accepted }) => [
    `[m${message - shift}] ${textOf(messages[message - shift])
      .slice(0, 60)
      .replaceAll("\n", " ")}`,
    `  => ${isRight ? accepted[0] : "Nobody knows."}`,
  ];
  const claims = states.filter(({ state }) => state !== "either" && !(isRight && state === "none"));
  const error = ({ message = 0, line, state }) =>
    `- m${message - shift}: ${line}${(state === "solved") === isRight ? " [solved]" : ""}`;
  const listed = actions.filter(({ result }) => !isRight || result !== "reads");
  const action = ({ message, name, key, result }) =>
    `- m${message - shift}: ${name} ${key} -> ${(result === "failed") === isRight ? "failed" : "done"}`;
  const blocks = { "user-messages": outcomes.flatMap(asked), errors: claims.map(error), actions: listed.map(action) };
  return Object.entries(blocks)
    .map(([name, lines]) => block(name, lines))
    .join("");
}
