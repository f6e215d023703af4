/** The goals of the board, and the default profile's distance from them. */

import { WITH_MODEL } from "./views.mjs";

const at = (values) => Object.entries(values);
const BUDGETS = [8_000, 16_000, 32_000];
const each = (values) => BUDGETS.map((budget, index) => [budget, values[index]]);

/** `[{ name, now, goal, isMet }]`, without figures that the board lacks. */
export function goals({ needed, facts, chain, labels, memory, kit }) {
  const found = [];
  const least = (name, now, goal) => {
    if (typeof now === "number") found.push({ name, now, goal, isMet: now >= goal - 0.0005 });
  };
  const most = (name, now, goal) => {
    if (typeof now === "number") found.push({ name, now, goal, isMost: true, isMet: now <= goal + 0.0005 });
  };
  for (const [budget, [lines, names, before]] of each([
    [0.05, 0.9, 0.194],
    [0.08, 0.97, 0.282],
    [0.08, 0.98, 0.604],
  ])) {
    const [ours, prune] = [needed?.compact?.[budget], needed?.prune?.[budget]];
    least(`budget used, ${budget}`, ours?.fill, 0.95);
    most(`left out with room, ${budget} (views)`, ours?.leftOut, 0);
    if (prune) least(`lines needed next, ${budget}: prune and ${100 * lines} points`, ours?.lines, prune.lines + lines);
    least(`names needed next, ${budget}`, ours?.names, names);
    const withModel = needed?.[WITH_MODEL]?.[budget];
    for (const figure of ["lines", "names"])
      if (ours) least(`${figure} needed next, ${budget}, with a model: as without`, withModel?.[figure], ours[figure]);
    least(`lines needed next, ${budget}, prune as it was`, prune?.lines, before);
  }
  const kinds = {
    "user messages": [0.6, 0.9, 0.98],
    "files read": [0.5, 0.75, 0.9],
    commands: [0.6, 0.8, 0.9],
    "error lines": [0.4, 0.6, 0.8],
    "files modified": [1, 1, 1],
  };
  for (const [kind, values] of at(kinds))
    for (const [budget, goal] of each(values)) least(`${kind}, ${budget}`, facts?.compact?.[budget]?.[kind], goal);
  least("identifiers, 3000", facts?.compact?.[3_000]?.identifiers, 0.36);
  for (const [kind, share] of at(chain?.compact?.once ?? {}))
    least(`${kind} after a chain: once less 3 points`, chain.compact.chain[kind], share - 0.03);
  labelGoals(labels?.compact?.judge, least);
  for (const [size, goal] of at({ 0.1: 0.45, 0.25: 0.75, 0.4: 0.88 }))
    least(`answers of long talks at ${100 * size} %`, memory?.compact?.[size], goal);
  for (const [size, goal] of at({ 0.1: 0.45, 0.2: 0.85 }))
    least(`kit at ${100 * size} %`, kit?.compact?.[size]?.survival, goal);
  for (const size of [0.1, 0.2, 0.3]) most(`kit, stale values at ${100 * size} %`, kit?.compact?.[size]?.stale, 0);
  return found;
}

function labelGoals(labels, least) {
  if (labels === undefined) return;
  least("kept requests with an outcome", labels.outcomes.any, 1);
  least("calls that change the world in view at 16k", labels.actions.at16k, 0.95);
  least("states right", labels.states.right, 0.95);
  const languages = Object.entries(labels.languages);
  for (const figure of ["precision", "recall"]) {
    const mean = languages.reduce((sum, [, figures]) => sum + (figures[figure] ?? 0), 0) / languages.length;
    least(`constraints, ${figure} over languages`, mean, 0.8);
    least(`constraints, ${figure} in transcripts`, labels.transcripts[figure], 0.8);
    for (const [language, { [figure]: share }] of languages)
      least(`constraints, ${figure}, ${language}`, share ?? 0, 0.7);
  }
}
