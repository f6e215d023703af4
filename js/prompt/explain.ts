/** What happened to every node of a prompt, and why, as plain data. */

import { ChatRole } from "../formats/raw/prompt.ts";
import { pathOf } from "./render-tree.ts";
import type { RenderNode } from "./render-tree.ts";
import type { Session } from "./session.ts";

/** Why a node was removed: it had the lowest priority, an element it is kept with was removed, or it became empty. */
export type RemovalRule = "priority" | "keep-with" | "empty";

/** One node. */
export interface Explanation {
  id: number;
  /** Names from the root, as in `Prompt > UserMessage > TextChunk`. */
  path: string;
  kind: "container" | "message" | "text" | "image" | "document" | "opaque" | "breakpoint";
  /** For messages. */
  role?: string;
  /** The beginning of a text. */
  text?: string;
  parent?: number;
  priority: number;
  /** Tokens of its own text or part, or the sum over its content. Absent if the host's tokenizer did not count it. */
  tokens?: number;
  kept: boolean;
  removal?: {
    rule: RemovalRule;
    /** Index of the removal; nodes with the same step were removed together. */
    step: number;
    /** Tokens that the step freed; an estimate with a host's tokenizer. */
    freed: number | null;
    /** The element whose limit was exceeded; the root for the budget. */
    limit: string;
    /** The removed node: this one or an enclosing one. */
    node: number;
    /** For rule `empty`: the node in it whose removal left nothing, with the priority by which it was chosen. */
    cause?: { id: number; path: string; priority: number };
    /** The node that would have been removed next instead. */
    rival?: { id: number; path: string; priority?: number };
  };
  /** The role in the request if the format lacks the message's role. */
  sentAs?: string;
  /** The explanation as a sentence. */
  sentence: string;
}

/** The explanation of a whole prompt. */
export interface PromptTrace {
  budget: number;
  tokens: number;
  nodes: Explanation[];
}

/** Max characters of a text in an explanation. */
const EXCERPT = 80;

/** Returns what happened to every node, in the order of the tree. Texts have up to `maxText` characters. */
export function explainAll(session: Session, maxText = EXCERPT, reports = session.reports()): Explanation[] {
  const removals = session.removals();
  const priorities = new Map<number, number>(reports.map(({ node, priority }) => [node, priority]));
  /** The node that each step chose. */
  const chosen = new Map<number, any>();
  for (const each of removals) if (each.rule === "priority") chosen.set(each.step, each);
  const causeOf = ({ rule, step, node }: any): any => {
    const found = rule === "empty" ? chosen.get(step) : undefined;
    return found && isInside(session.nodes[found.node]!, node) ? found : undefined;
  };
  return reports.map(({ node: id, parent, priority, tokens, kept, removal: at }): Explanation => {
    const node = session.nodes[id]!;
    const path = describe(node);
    const found = at === undefined ? undefined : removals[at];
    const cause = found && causeOf(found);
    const rival = (cause ?? found)?.rival as number | undefined;
    const removal = found && {
      rule: found.rule as RemovalRule,
      step: found.step as number,
      freed: Number.isFinite(found.tokens) ? (found.tokens as number) : null,
      limit: pathOf(session.nodes[found.limit]!),
      node: found.node as number,
      ...(cause && {
        cause: {
          id: cause.node as number,
          path: describe(session.nodes[cause.node]!),
          priority: rankOf(session.nodes[cause.node]!, priorities),
        },
      }),
      ...(rival !== undefined && {
        rival: { id: rival, path: describe(session.nodes[rival]!), priority: priorities.get(rival)! },
      }),
    };
    const entry = {
      id,
      path,
      kind: kindOf(node),
      priority,
      kept,
      ...(node.type === "element" && node.kind === "message" && { role: ChatRole.display(node.props.role) }),
      ...(kept && isSystem(node) && session.options.mode === "vscode" && { sentAs: "user" }),
      ...(node.type === "text" && { text: excerpt(node.text, maxText) }),
      ...(parent !== undefined && { parent }),
      ...(tokens !== undefined && { tokens }),
      ...(removal && { removal }),
    };
    return { ...entry, sentence: sentence(entry) };
  });
}

function isInside(node: RenderNode, id: number): boolean {
  for (let at: RenderNode | undefined = node; at; at = at.parent) if (at.id === id) return true;
  return false;
}

/** Returns the priority of a node, or of the nearest element around it that has one. */
function rankOf(node: RenderNode, priorities: Map<number, number>): number {
  for (let at: RenderNode | undefined = node; at; at = at.parent) {
    const priority = priorities.get(at.id);
    if (priority !== undefined && priority <= HIGHEST) return priority;
  }
  return priorities.get(node.id)!;
}

function kindOf(node: RenderNode): Explanation["kind"] {
  return node.type === "element" ? node.kind : node.type;
}

function describe(node: RenderNode): string {
  const path = pathOf(node);
  return node.type === "text" ? `${path} > ${JSON.stringify(excerpt(node.text))}` : path;
}

function excerpt(text: string, max = EXCERPT): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

function isSystem(node: RenderNode): boolean {
  return node.type === "element" && node.kind === "message" && node.props.role === ChatRole.System;
}

/** Returns the explanation of a node as a sentence. */
export function sentence({ id, path, priority, kept, removal, tokens, sentAs }: Omit<Explanation, "sentence">): string {
  const size = tokens === undefined ? "" : ` (${tokens} tokens)`;
  const note =
    sentAs === undefined ? "" : ` It is sent with the role ${sentAs}, since the format has no system messages.`;
  if (kept || !removal) return `${path}${size} was kept.${note}`;
  const { rule, step, limit, node, rival, freed, cause } = removal;
  const why =
    node !== id
      ? "went with what is around it"
      : rule === "keep-with"
        ? "went because something that it is kept with went"
        : cause
          ? `went because the last of its content, ${cause.path}, had the lowest priority (${rank(cause.priority)})`
          : rule === "empty"
            ? "went because nothing was left in it"
            : `had the lowest priority (${rank(priority)})`;
  const other =
    (rule === "priority" || cause) && rival
      ? ` Next would have been ${rival.path}${rival.priority === undefined ? "" : ` (priority ${rank(rival.priority)})`}.`
      : "";
  return `${path}${size} was removed in step ${step} to meet the limit of ${limit}: it ${why}${freed === null ? "" : `; the step freed ${Math.round(freed)} tokens`}.${other}`;
}

/** The highest priority that was set. Elements of the package give priorities just below the max to their content. */
const HIGHEST = Number.MAX_SAFE_INTEGER - 100;

/** Returns a priority in words. */
export function rank(priority: number): string {
  return priority > HIGHEST ? "none set" : String(priority);
}
