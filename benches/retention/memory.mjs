/**
 * Questions of BFCL's memory set (PyPI bfcl-eval, Apache-2.0) about long talks: how many of the answers a view
 * contains, as whole words. This is an upper bound of what a model can answer from the view.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "./transcripts.mjs";

const SCENARIOS = ["customer", "finance", "healthcare", "notetaker", "student"];
const lines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

/** `[{ name, messages, answers }]`; `answers` has a list of alternatives for each question. */
export function memoryTalks(folder) {
  const answers = new Map(
    lines(join(folder, "possible_answer", "BFCL_v4_memory.json")).map(({ id, ground_truth: given }) => [
      id,
      [given].flat().map(String),
    ]),
  );
  return SCENARIOS.map((name) => {
    const talks = lines(join(folder, "memory_prereq_conversation", `memory_${name}.json`));
    const messages = talks.flatMap(({ question }) => question.flat().map(({ content }) => ({ role: "user", content })));
    const asked = lines(join(folder, "BFCL_v4_memory.json")).filter(({ scenario }) => scenario === name);
    return { name, messages, answers: asked.map(({ id }) => answers.get(id) ?? []) };
  });
}

/** Returns the answers of which one alternative is in the view as whole words. */
export function answered(answers, view) {
  const text = plain(view.map(textOf).join("\n"));
  return answers.filter((alternatives) => alternatives.some((answer) => text.includes(plain(answer)))).length;
}

const plain = (text) => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
