/** A provider for every wire, connected to the scripted model. */

import assert from "node:assert/strict";
import { after } from "node:test";
import { anthropic, EspalierError, gemini, openai, openaiResponses } from "../../../js/providers/index.ts";
import type {
  HttpOptions,
  Provider,
  ProviderErrorDetails,
  ProviderRequest,
  SendOptions,
} from "../../../js/providers/index.ts";
import type { CompactStatus } from "../../../js/types/compact-report.ts";
import { modelServer, WIRES } from "../../server/model.mjs";
import type { Behaviour, ModelServer } from "../../server/model.mjs";

export type WireName = keyof typeof WIRES;
export const NAMES = Object.keys(WIRES) as WireName[];

const MAKERS: Record<WireName, (options: HttpOptions) => Provider> = {
  "openai-chat": openai,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};

/** Looks like a key, so that its text reveals a leak. */
export const KEY = "sk-test-0123456789abcdefSECRET";

/** A server for the tests of one file. */
export async function scripted(options?: Parameters<typeof modelServer>[0]): Promise<ModelServer> {
  const server = await modelServer(options);
  after(() => server.close());
  return server;
}

/** The default limits. */
const LIMITS = [600_000, 60_000];

/** Records waits before a retry without waiting. Limits are unchanged. */
export function hurried(slept: number[] = []): HttpOptions["clock"] {
  return {
    after(ms, done) {
      if (!LIMITS.includes(ms)) slept.push(ms);
      const timer = setTimeout(done, LIMITS.includes(ms) ? ms : Math.min(ms, 5));
      return () => clearTimeout(timer);
    },
    random: () => 0,
  };
}

/**
 * A clock whose timers of `ms` fire as soon as `when` holds, however busy the machine is; all others never fire.
 * Nothing waits in real time: the loop turns until the condition holds.
 */
export function firing(ms: number, when: () => boolean): HttpOptions["clock"] {
  return {
    after(given, done) {
      let isOff = given !== ms;
      const look = () => {
        if (isOff) return;
        if (when()) return done();
        setTimeout(look, 1);
      };
      if (!isOff) setTimeout(look, 1);
      return () => void (isOff = true);
    },
  };
}

export function make(name: WireName, server: ModelServer, options: Partial<HttpOptions> = {}): Provider {
  return MAKERS[name]({ model: "test", apiKey: KEY, baseUrl: `${server.url}/v1`, ...options });
}

export const asks = (provider: Provider): ProviderRequest =>
  provider.toRequest([{ role: "user", content: "Hello." }], { maxTokens: 100 });

/** Returns a function that scripts the next answers of a server, and makes a provider that asks it without retries. */
export function beginOn(server: ModelServer) {
  return (name: WireName, behaviour: Behaviour | string, options: Partial<HttpOptions> = {}) => {
    server.clear();
    server.script(behaviour);
    const provider = make(name, server, { retries: 0, ...options });
    return { provider, send: (how: SendOptions = {}) => provider.send(asks(provider), how) };
  };
}

/** Returns the error of a request that must fail, and checks that it contains no secret. */
export async function failure(work: Promise<unknown>): Promise<EspalierError & { details: ProviderErrorDetails }> {
  const error = await work.then(
    (value) => assert.fail(`it succeeded: ${JSON.stringify(value).slice(0, 200)}`),
    (error: unknown) => error,
  );
  assert.ok(error instanceof EspalierError, `no EspalierError: ${String((error as Error)?.stack)}`);
  noSecret(error);
  return error as EspalierError & { details: ProviderErrorDetails };
}

/** Checks that no way of printing a value shows the key. */
export function noSecret(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value === "string") return void assert.ok(!value.includes(KEY), `the key is in: ${value}`);
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const name of Object.getOwnPropertyNames(value)) noSecret((value as Record<string, unknown>)[name], seen);
}

/** Waits until a condition holds. Only a failing test waits for `ms`, which a busy machine does not reach. */
export async function until(holds: () => boolean, what: string, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !holds(); ) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Ways in which a model or the network can answer a request for a summary, and the outcome of the compaction. */
export const WANTED: [behaviour: string, CompactStatus][] = [
  ["good", "applied"],
  ["no-tag", "no_summary_tag"],
  ["wrong-tag", "no_summary_tag"],
  ["empty", "empty_summary"],
  ["tool-call", "tool_call_instead"],
  ["refusal", "no_summary_tag"],
  ["filtered", "empty_summary"],
  ["malformed", "model_failed"],
  ["html", "model_failed"],
  ["empty-body", "model_failed"],
  ["401", "model_failed"],
  ["429", "model_failed"],
  ["500", "model_failed"],
  ["cut", "model_failed"],
  ["reset", "model_failed"],
  ["hang", "timeout"],
  ["hang-in-body", "timeout"],
];
