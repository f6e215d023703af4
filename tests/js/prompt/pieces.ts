/** Prompts in tests: pieces without JSX, one way to render them, and messages in a form that is easy to compare. */

import type { Subject } from "./subject.ts";
import { letters, tokenizerOf } from "./tokenizers.ts";

export interface Piece {
  ctor: any;
  props: any;
  children: any[];
}

/** Returns the result of a JSX factory. */
export function h(ctor: any, props: Record<string, unknown> | null = {}, ...children: any[]): Piece {
  return { ctor, props: props ?? {}, children: children.flat() };
}

export const fragment = Object.assign(
  () => {
    throw new Error("A fragment is not rendered.");
  },
  { isFragment: true },
);

/** `<>…</>`. */
export function all(...children: any[]): Piece {
  return h(fragment, {}, ...children);
}

/** Returns an element class that renders its children, or the result of `render` for its props and budget. */
export function component(s: Subject, name = "Part", render?: (props: any, sizing: any) => any): any {
  const made = {
    [name]: class extends s.PromptElement {
      render(_state: unknown, sizing: unknown): unknown {
        return render ? render(this.props, sizing) : all(this.props.children);
      }
    },
  };
  return made[name];
}

export interface RenderOptions {
  budget?: number;
  /** A tokenizer of the subject; one token a letter if absent. */
  tokenizer?: any;
  props?: Record<string, unknown>;
  tracer?: unknown;
}

/** Returns a renderer for a root element that returns `content`, which may be a function of props and sizing. */
export function rendererOf(
  s: Subject,
  content: any,
  { budget = 1e6, tokenizer = tokenizerOf(s, { count: letters }), props = {}, tracer }: RenderOptions = {},
): any {
  const Root = component(s, "Root", typeof content === "function" ? content : () => content);
  const renderer = new s.PromptRenderer({ modelMaxPromptTokens: budget }, Root, props, tokenizer);
  if (tracer !== undefined) renderer.tracer = tracer;
  return renderer;
}

/** Returns the whole result. */
export function render(s: Subject, content: any, options?: RenderOptions): Promise<any> {
  return rendererOf(s, content, options).render();
}

/** Returns only the messages, one line each: `user: text [image]`. */
export async function texts(s: Subject, content: any, options?: RenderOptions): Promise<string[]> {
  return (await render(s, content, options)).messages.map((message: any) => line(s, message));
}

/** Returns one Raw message in a line. Line breaks are shown as `|`. */
export function line(s: Subject, message: any): string {
  const kinds = s.Raw.ChatCompletionContentPartKind;
  const parts = message.content.map((part: any) => {
    if (part.type === kinds.Text) return part.text.replaceAll("\n", "|");
    if (part.type === kinds.Image) return "[image]";
    if (part.type === kinds.Document) return "[document]";
    if (part.type === kinds.CacheBreakpoint) return "[breakpoint]";
    return `[${JSON.stringify(part.value)}]`;
  });
  const calls = (message.toolCalls ?? []).map((call: any) => `<${call.id}>`);
  return `${s.Raw.ChatRole.display(message.role)}: ${[...parts, ...calls].join("")}`;
}

/** Returns classes that record their budgets and write `text` (or nothing). */
export function probes(s: Subject): {
  heard: Record<string, number>;
  order: string[];
  probe(name: string, text?: string): any;
} {
  const heard: Record<string, number> = {};
  const order: string[] = [];
  const probe = (name: string, text?: string): any =>
    component(s, name, (props, sizing) => {
      heard[name] = sizing.tokenBudget;
      order.push(name);
      return text === undefined && props.children === undefined ? undefined : all(text, props.children);
    });
  return { heard, order, probe };
}

/** Returns the remaining letters at each budget from `from` down to `to`, without repetitions: the order of removal. */
export async function shrinking(
  s: Subject,
  content: () => any,
  from: number,
  to = 0,
  options: RenderOptions = {},
): Promise<string[]> {
  const stages: string[] = [];
  for (let budget = from; budget >= to; budget--) {
    const stage = (await texts(s, content(), { ...options, budget })).join(" ");
    if (stages.at(-1) !== stage) stages.push(stage);
  }
  return stages;
}
