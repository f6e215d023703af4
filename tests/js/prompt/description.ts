/** Trees described without the classes of either module, so that both can render exactly the same. */

import { component, fragment, h } from "./pieces.ts";
import type { Subject } from "./subject.ts";

export type Props = Record<string, unknown>;

/** The reaction of a test's component to its budget. */
export type Habit = "children" | "write" | "count" | "state" | "nothing" | "throw" | "throwInPrepare" | "cancel";

export type Description =
  | { kind: "text"; text: string | number }
  /** The values that conditional JSX leaves behind. */
  | { kind: "nothing"; value: undefined | boolean }
  | { kind: "fragment" | "iterable"; children: Description[] }
  /** An element of the module by its exported name. */
  | {
      kind: "element";
      name: string;
      props: Props;
      children: Description[];
      alt?: Description[];
      calls?: CallDescription[];
    }
  | {
      kind: "component";
      id: string;
      habit: Habit;
      slowPrepare: boolean;
      slowRender: boolean;
      props: Props;
      children: Description[];
    }
  | { kind: "expandable"; id: string; share: number; later: boolean; props: Props; children: [] }
  | { kind: "keepWith"; group: number; props: Props; children: Description[] }
  | { kind: "intrinsic"; name: string; props: Props; children: [] }
  | { kind: "meta"; tag: string; local: boolean; children: [] }
  | { kind: "references"; names: string[]; children: [] }
  /** A tree that was rendered elsewhere; `data` is made before the test. */
  | { kind: "json"; tool: boolean; data?: any; props: Props; children: Description[] };

export interface CallDescription {
  id: string;
  group: number | undefined;
}

/** One call of a component with a budget. */
export interface Heard {
  id: string;
  phase: "prepare" | "render" | "value";
  budget: number;
}

/** The shared state of one build of a description. */
export interface Workshop {
  heard: Heard[];
  build(description: Description): any;
  /** The module's metadata class that `meta` uses. */
  Tag: any;
}

const WORD = "lorem ipsum ";

/** Builds descriptions with the classes of one module. */
export function workshop(s: Subject): Workshop {
  const heard: Heard[] = [];
  const groups = new Map<number, any>();
  const groupOf = (group: number): any => {
    if (!groups.has(group)) groups.set(group, s.useKeepWith());
    return groups.get(group);
  };
  class Tag extends s.PromptMetadata {
    readonly tag: string;
    constructor(tag: string) {
      super();
      this.tag = tag;
    }
  }
  const many = (children: Description[]): any[] => children.map(build);

  function build(description: Description): any {
    switch (description.kind) {
      case "text":
        return description.text;
      case "nothing":
        return description.value;
      case "fragment":
        return h(fragment, {}, ...many(description.children));
      case "iterable":
        return new Set(many(description.children));
      case "element": {
        const props: Props = { ...description.props };
        if (description.alt) props.alt = h(fragment, {}, ...many(description.alt));
        if (description.calls) {
          props.toolCalls = description.calls.map(({ id, group }) => {
            const call = { id, type: "function", function: { name: "look", arguments: `{"at":"${id}"}` } };
            return group === undefined ? call : { ...call, keepWith: groupOf(group) };
          });
        }
        return { ctor: s[description.name], props, children: many(description.children) };
      }
      case "component":
        return { ctor: habitual(description), props: { ...description.props }, children: many(description.children) };
      case "expandable": {
        const { id, share, later } = description;
        const value = (sizing: any): string | Promise<string> => {
          heard.push({ id, phase: "value", budget: sizing.tokenBudget });
          const text = filler(sizing.tokenBudget * share);
          return later ? Promise.resolve(text) : text;
        };
        return { ctor: s.Expandable, props: { ...description.props, value }, children: [] };
      }
      case "keepWith":
        return {
          ctor: groupOf(description.group),
          props: { ...description.props },
          children: many(description.children),
        };
      case "intrinsic":
        return { ctor: description.name, props: { ...description.props }, children: [] };
      case "meta":
        return { ctor: "meta", props: { value: new Tag(description.tag), local: description.local }, children: [] };
      case "references":
        return {
          ctor: "references",
          props: { value: description.names.map((name) => reference(s, name)) },
          children: [],
        };
      case "json":
        if (description.tool)
          return {
            ctor: s.ToolResult,
            props: {
              ...description.props,
              data: { content: [{ value: description.data }, { value: "and text" }, { other: 1 }] },
            },
            children: [],
          };
        return { ctor: "elementJSON", props: { data: description.data }, children: [] };
    }
  }

  function habitual({ id, habit, slowPrepare, slowRender }: Description & { kind: "component" }): any {
    const hear = (phase: Heard["phase"], sizing: any): void =>
      void heard.push({ id, phase, budget: sizing.tokenBudget });
    const make = (props: any, state: unknown, sizing: any): any => {
      if (habit === "throw") throw new RangeError(`${id} fails`);
      if (habit === "cancel") throw new CancellationError();
      if (habit === "nothing") return undefined;
      const words = habit === "write" ? [filler(sizing.tokenBudget / 3)] : habit === "state" ? [state] : [];
      return h(fragment, {}, ...words, props.children);
    };
    const Habitual = component(s, id);
    Habitual.prototype.prepare = async (sizing: any): Promise<unknown> => {
      hear("prepare", sizing);
      if (slowPrepare) await new Promise((resolve) => setImmediate(resolve));
      if (habit === "throwInPrepare") throw new TypeError(`${id} is not prepared`);
      return `state of ${id}`;
    };
    Habitual.prototype.render = function (state: unknown, sizing: any): any {
      hear("render", sizing);
      if (habit === "count")
        return Promise.resolve(sizing.countTokens(WORD.repeat(3))).then((tokens: number) =>
          h(fragment, {}, `${tokens} tokens`, this.props.children),
        );
      return slowRender
        ? Promise.resolve().then(() => make(this.props, state, sizing))
        : make(this.props, state, sizing);
    };
    return Habitual;
  }

  return { heard, build, Tag };
}

class CancellationError extends Error {}

/** Returns text of about this number of letters, at most 90. */
function filler(length: number): string {
  const wanted = Number.isNaN(length) ? 7 : Math.max(0, Math.min(90, Math.floor(length)));
  return WORD.repeat(Math.ceil(wanted / WORD.length)).slice(0, wanted);
}

/** A reference to a variable, or to a file if the name is a path. */
function reference(s: Subject, name: string): any {
  const anchor = name.includes("/")
    ? { scheme: "file", authority: "", path: name, query: "", fragment: "" }
    : { variableName: name };
  return new s.PromptReference(anchor);
}

/** Returns a description as code, for messages of failing tests. */
export function show(description: Description, indent = ""): string {
  switch (description.kind) {
    case "text":
      return `${indent}${JSON.stringify(description.text)}`;
    case "nothing":
      return `${indent}{${description.value}}`;
    case "meta":
      return `${indent}<meta ${description.tag}${description.local ? " local" : ""} />`;
    case "references":
      return `${indent}<references ${description.names.join(" ")} />`;
    default: {
      const name = "name" in description ? description.name : description.kind;
      const {
        children,
        kind: _kind,
        data: _data,
        props,
        alt,
        ...rest
      } = { props: {}, alt: undefined, data: undefined, ...description } as any;
      delete rest.name;
      const written = Object.entries({ ...rest, ...props }).map(
        ([key, value]) => ` ${key}=${value instanceof RegExp ? value : JSON.stringify(value)}`,
      );
      const inner = [
        ...(alt ? [`${indent}  alt:`, ...alt.map((child: Description) => show(child, `${indent}    `))] : []),
        ...children.map((child: Description) => show(child, `${indent}  `)),
      ];
      return inner.length > 0
        ? [`${indent}<${name}${written.join("")}>`, ...inner].join("\n")
        : `${indent}<${name}${written.join("")} />`;
    }
  }
}

/** Yields every list of siblings in a description. */
export function* siblings(list: Description[]): Generator<Description[]> {
  yield list;
  for (const each of list) {
    if ("children" in each) yield* siblings(each.children);
    if ("alt" in each && each.alt) yield* siblings(each.alt);
  }
}
