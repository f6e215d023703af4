/** The settings of the runs as the address holds them: `run.<field>` for A, `run.b.<field>` for B. */

import type { EncodingName } from "../../js/types/count.ts";
import { profileTitle, readProfileText } from "../parts/profile-text.ts";
import type { Failures, Settings, Writer } from "./types.ts";

export const WRITERS: readonly (readonly [Writer, string])[] = [
  ["rules", "rules, no model"],
  ["scripted", "a scripted model"],
  ["endpoint", "a model of mine"],
];
export const FAILURES: readonly (readonly [Failures, string])[] = [
  ["never", "never"],
  ["second", "every second time"],
  ["always", "always"],
];

type Params = Readonly<Record<string, string>>;

export const DEFAULTS: Omit<Settings, "budget" | "encoding"> = {
  profile: "espalier",
  writer: "scripted",
  latency: 20,
  failures: "never",
  pace: 8,
  undo: [],
};

/** Bounds of numbers. */
export const LIMITS = { latency: [0, 600], pace: [0, 600] } as const;

const among = <T extends string>(list: readonly T[], text: string | undefined): T | undefined =>
  list.find((item) => item === text);

function number(text: string | undefined, [low, high]: readonly [number, number]): number | undefined {
  const value = Number(text);
  return text !== undefined && text.trim() !== "" && value >= low && value <= high ? value : undefined;
}

/** Reads numbers of requests: `63,130`. */
function requests(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  return [...new Set(text.split(",").map(Number))]
    .filter((at) => Number.isSafeInteger(at) && at > 0)
    .sort((a, b) => a - b);
}

function read(params: Params, prefix: string): Partial<Settings> {
  const at = (field: string) => params[`${prefix}${field}`];
  const budget = number(at("budget"), [1, Number.MAX_SAFE_INTEGER]);
  const fields: { [K in keyof Settings]?: Settings[K] | undefined } = {
    profile: readProfileText(at("profile")),
    writer: among(
      WRITERS.map(([name]) => name),
      at("writer"),
    ),
    failures: among(
      FAILURES.map(([name]) => name),
      at("failures"),
    ),
    latency: number(at("latency"), LIMITS.latency),
    pace: number(at("pace"), LIMITS.pace),
    undo: requests(at("undo")),
    budget: budget === undefined ? undefined : Math.round(budget),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Returns the settings of A and, if there is one, of B: what B does not say is as in A. Values that are not understood
 * are left out.
 */
export function settingsOf(params: Params, budget: number, encoding: EncodingName): Settings[] {
  const a: Settings = { ...DEFAULTS, ...read(params, "run."), budget, encoding };
  if (params["run.b"] === undefined) return [a];
  return [a, { ...a, undo: [], ...read(params, "run.b.") }];
}

/** Returns the address's fields with a setting changed; A's budget is not among them. */
export function withSetting(params: Params, side: number, field: keyof Settings, value: string): Params {
  return { ...params, [`run.${side === 0 ? "" : "b."}${field}`]: value };
}

/** Returns the fields with an undo before a request, or without it if there is one. */
export function withUndo(params: Params, side: number, undo: readonly number[], at: number): Params {
  const next = undo.includes(at) ? undo.filter((other) => other !== at) : [...undo, at].sort((a, b) => a - b);
  return withSetting(params, side, "undo", next.join(","));
}

/** Returns the fields with B, which begins as A with half the window, or without. */
export function withB(params: Params, hasB: boolean, budget: number): Params {
  if (hasB) return { ...params, "run.b": "1", "run.b.budget": String(Math.max(1, Math.round(budget / 2))) };
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== "run.b" && !name.startsWith("run.b.")));
}

const LABELS: Partial<Record<keyof Settings, string>> = {
  budget: "window",
  profile: "profile",
  writer: "summaries by",
  latency: "latency",
  failures: "failures",
  undo: "undone before",
};

/** Returns the settings in which two sides differ, in words. */
export function differencesOf(a: Settings, b: Settings): string[] {
  return (Object.keys(LABELS) as (keyof Settings)[])
    .filter((field) => String(a[field]) !== String(b[field]))
    .map((field) => {
      const said = (value: Settings[keyof Settings]) =>
        typeof value === "number"
          ? value.toLocaleString("en")
          : field === "profile"
            ? profileTitle(String(value))
            : String(value) || "none";
      return `${LABELS[field]} ${said(a[field])} / ${said(b[field])}`;
    });
}
