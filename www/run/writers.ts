/** The models that write the summaries of a replay: a scripted one, or one behind an address. */

import type { Llm, LlmReply, LlmRequest } from "../../js/types/llm.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import type { RecordForm } from "../../js/types/profile.ts";
import type { ScriptedClock } from "./clock.ts";
import type { Failures } from "./types.ts";

/** Asks a model in real time; `write` hears the text as it comes. */
export type Ask = (request: LlmRequest, signal: AbortSignal, write: (text: string) => void) => Promise<LlmReply>;

/** What happens to a request to the model. */
export interface Heard {
  started(request: LlmRequest): number;
  wrote(call: number, text: string): void;
  ended(call: number, reply: LlmReply | undefined, error: unknown, isAborted: boolean): void;
}

/** Max length of a quotation in a scripted record, in UTF-16 units, and their number. */
const QUOTE = 160;
const QUOTES = 12;

/** Returns a record as the profile wants it, with the beginnings of what the user asked for. */
export function scriptedRecord({ tag, markup, sections }: RecordForm, request: LlmRequest): string {
  const asked = (request.messages as unknown[]).flatMap(userText).slice(-QUOTES);
  const text = sections.map(({ name, vital }, at) => {
    const lines = [`The scripted model wrote this; ${request.messages.length} messages were before it.`];
    if (vital || at === 0) lines.push(...asked.map((words) => `- The user said: ${words}`));
    const element = name.toLowerCase().replace(/\W+/g, "_");
    const body = lines.join("\n");
    return markup === "elements" ? `<${element}>\n${body}\n</${element}>` : `## ${name}\n${body}`;
  });
  return `<${tag}>\n${text.join("\n\n")}\n</${tag}>`;
}

function userText(message: unknown): string[] {
  const { role, parts } = message as Partial<NeutralMessage>;
  if (role !== "user" || !parts) return [];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  // Markup of summaries in a quotation would end the record.
  const words = text
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return words === "" ? [] : [words.length > QUOTE ? `${words.slice(0, QUOTE)}…` : words];
}

/** A model that answers after a time of the replay's clock, and fails as often as the settings say. */
export function scriptedModel(
  { latency, failures, form }: { latency: number; failures: Failures; form: RecordForm },
  clock: ScriptedClock,
  heard: Heard,
): Llm {
  let asked = 0;
  return (request, { signal }) => {
    asked += 1;
    const fails = failures === "always" || (failures === "second" && asked % 2 === 0);
    const call = heard.started(request);
    return new Promise<LlmReply>((resolve, reject) => {
      const stop = clock.after(latency * 1_000, () => {
        signal.removeEventListener("abort", abort);
        if (fails) {
          const error = Object.assign(new Error("The scripted model is told to fail."), { code: "overloaded" });
          heard.ended(call, undefined, error, false);
          return reject(error);
        }
        const text = scriptedRecord(form, request);
        heard.wrote(call, text);
        const reply = { text, finishReason: "stop" };
        heard.ended(call, reply, undefined, false);
        resolve(reply);
      });
      const abort = () => {
        stop();
        heard.ended(call, undefined, signal.reason, true);
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
    });
  };
}

/**
 * A real model. The replay's clock stands still while it writes; then as much time has passed there as here. The answer
 * arrives by a timer of that clock, so that requests that were due meanwhile come first.
 */
export class LiveModel {
  private readonly open = new Set<Promise<unknown>>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Resolves when one of the running requests has ended; undefined if none is running. */
  get running(): Promise<unknown> | undefined {
    return this.open.size > 0 ? Promise.race(this.open) : undefined;
  }

  llm(ask: Ask, clock: ScriptedClock, heard: Heard): Llm {
    return (request, { signal }) => {
      const call = heard.started(request);
      const [began, at] = [this.now(), clock.now()];
      const work = Promise.resolve().then(() => ask(request, signal, (text) => heard.wrote(call, text)));
      const settled = work.then(
        () => undefined,
        () => undefined,
      );
      this.open.add(settled);
      const over = <T>(then: () => T) =>
        new Promise<void>((resolve) => {
          this.open.delete(settled);
          clock.after(at + this.now() - began - clock.now(), resolve);
        }).then(then);
      return work.then(
        (reply) => over(() => (heard.ended(call, reply, undefined, false), reply)),
        (error: unknown) =>
          over(() => {
            heard.ended(call, undefined, error, signal.aborted);
            throw error;
          }),
      );
    };
  }
}
