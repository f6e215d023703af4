/**
 * Cuts the engine in two: what everybody loads, and what only changed code, outlines and maps need, which comes when one of those is first
 * asked for. Both are of one build, and share memory and function table as the engine does with grammars.
 *
 * In: the text form of the whole, with names. What goes are the functions that nothing but the named ones reaches. Those of the core that
 * they call are exported under short names; their own places in the function table stay empty until they are there.
 */

import { createHash } from "node:crypto";

/** The questions that come late, by the names of their functions: see `documents` in src/bindings/document.rs. */
const LATE = /^\$espalier::bindings::(changed::(ours|as_copilot_chat)|outline::(prepare|outline|map))::h[0-9a-f]+$/;
const LATE_COUNT = 5;
/** What else is theirs alone and is called by its address. */
const THEIRS = /bindings::changed::Characters as/;

const NAME = String.raw`(\$"(?:[^"\\]|\\.)*"|\$[^\s()]+)`;
const DEFINED = new RegExp(String.raw`^ \(func ${NAME}`);
const CALLED = new RegExp(String.raw`\((?:call|return_call|ref\.func) ${NAME}`, "g");

/** @returns {{ core: string, late: string }} two modules in text form */
export function split(text) {
  const forms = topLevel(text);
  const of = (kind) => forms.filter((form) => form.startsWith(` (${kind} `));
  const functions = new Map(forms.flatMap((form) => (DEFINED.test(form) ? [[DEFINED.exec(form)[1], form]] : [])));
  const calls = (name) => [...(functions.get(name) ?? "").matchAll(CALLED)].map(([, called]) => called);
  const reached = (roots) => {
    const [seen, open] = [new Set(), [...roots]];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name) || !functions.has(name)) continue;
      seen.add(name);
      open.push(...calls(name));
    }
    return seen;
  };

  const elements = of("elem");
  const [, table, first, list] = /^ \(elem \$\S+ \(table (\$\S+)\) \(i32\.const (\d+)\) func (.*)\)$/.exec(elements[0] ?? "") ?? [];
  if (elements.length !== 1 || !list) throw new Error("the engine's function table is not as scripts/split.mjs knows it");
  const slots = [...list.matchAll(new RegExp(NAME, "g"))].map(([name]) => name);
  const roots = slots.filter((name) => LATE.test(name) || THEIRS.test(name));
  if (slots.filter((name) => LATE.test(name)).length !== LATE_COUNT) throw new Error("scripts/split.mjs names functions that there are not");

  const exported = of("export").flatMap((form) => new RegExp(String.raw`\(func ${NAME}\)`).exec(form)?.[1] ?? []);
  const early = reached([...exported, ...slots.filter((name) => !roots.includes(name))]);
  const late = new Set([...reached(roots)].filter((name) => !early.has(name)));
  const bodies = [...late].map((name) => functions.get(name)).join("\n");
  if (/\(table\.|\(memory\.(init|grow)|\(data\.drop|\(elem\.drop/.test(bodies)) throw new Error("what comes late does what scripts/split.mjs does not know");

  const needed = new Map([...new Set([...late].flatMap(calls))].filter((name) => !late.has(name)).map((name, at) => [name, `~${at.toString(36)}`]));
  const globals = of("global").filter((form) => bodies.includes(` ${nameOf(form)})`) || bodies.includes(` ${nameOf(form)}\n`));
  const [memory] = of("memory");
  // Short names mean other functions in another build: halves of two builds, from a cache for one, must not be joined.
  const build = `~build-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;

  const at = (place) => Number(first) + place;
  const elem = (place, names) => ` (elem (table ${table}) (i32.const ${at(place)}) func ${names.join(" ")})`;
  // Those that stay, in runs: between them are the places of the others.
  const runs = [];
  slots.forEach((name, place) => {
    if (late.has(name)) return;
    if (place > 0 && !late.has(slots[place - 1])) runs.at(-1).names.push(name);
    else runs.push({ place, names: [name] });
  });
  const core = [
    ...forms.filter((form) => !elements.includes(form) && !late.has(DEFINED.exec(form)?.[1])),
    ...runs.map(({ place, names }) => elem(place, names)),
    ...[...needed].map(([name, as]) => ` (export "${as}" (func ${name}))`),
    ...globals.map((form, place) => ` (export "~global${place}" (global ${nameOf(form)}))`),
    ` (export "${build}" (table ${table}))`,
  ];
  const rest = [
    ...of("type"),
    ...[...needed].map(([name, as]) => ` (import "core" "${as}" (func ${name} ${signature(name, functions)}))`),
    ...globals.map((form, place) => ` (import "core" "~global${place}" (global ${nameOf(form)} ${/\(global \S+ (\(mut \w+\)|\w+)/.exec(form)[1]}))`),
    ` (import "core" "memory" (memory ${/\(memory (\$\S+) (\d+)/.exec(memory).slice(1).join(" ")}))`,
    ` (import "core" "${build}" (table ${table} ${at(slots.length)} funcref))`,
    ...slots.flatMap((name, place) => (late.has(name) ? [elem(place, [name])] : [])),
    bodies,
  ];
  const module = (forms) => `(module\n${forms.join("\n")}\n)\n`;
  return { core: module(core), late: module(rest) };
}

/** The forms of a module, each with its lines. */
function topLevel(text) {
  const forms = [];
  for (const line of text.split("\n").slice(1)) {
    if (line === ")") break;
    if (/^ [(;]/.test(line)) forms.push([line]);
    else forms.at(-1)?.push(line);
  }
  return forms.map((lines) => lines.join("\n"));
}

function nameOf(form) {
  return new RegExp(String.raw`^ \(\w+ ${NAME}`).exec(form)[1];
}

/** Parameters and results of a function, without their names. */
function signature(name, functions) {
  if (!functions.has(name)) throw new Error(`what comes late calls JavaScript itself (${name})`);
  const head = functions.get(name).split("\n", 1)[0];
  return [...head.slice(head.indexOf(name) + name.length).matchAll(/\((?:type|param|result) [^()]*\)/g)].map(([part]) => part.replace(/\(param \$\S+ /, "(param ")).join(" ");
}
