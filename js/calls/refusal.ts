/** What an error of a request says about its size. */

import { classify } from "../providers/refusals.ts";
import type { RefusalKind } from "./recovery.ts";

/** A refusal: its kind, and the tokens that the provider named. */
export interface SaidRefusal {
  kind: RefusalKind;
  used?: number;
  limit?: number;
  output?: number;
  total?: number;
}

const KINDS: readonly RefusalKind[] = ["context_length", "output_reserve", "output_limit", "body_size", "rate_limited"];

/** Classifies an error: by its own fields, else by its words and its status, as the SDKs of providers throw it. */
export function refusalBy(error: unknown): SaidRefusal {
  const said = describedBy(error);
  if (said.kind !== "other") return said;
  const { message, status, code, type } = typeof error === "object" ? fieldsOf(error) : { message: String(error) };
  const {
    code: kind,
    kind: finer,
    ...numbers
  } = classify({
    text: typeof message === "string" ? message : "",
    codes: [code, type].filter((name) => typeof name === "string"),
    ...(typeof status === "number" && { status }),
  });
  return describedBy({ code: kind, details: { kind: finer, ...numbers } });
}

/** Reads the error's own description: in its fields, or in `details`. */
function describedBy(error: unknown): SaidRefusal {
  const fields = fieldsOf(error);
  const details = fieldsOf(fields["details"]);
  // The most specific kind wins: `output_limit` is a kind of `output_reserve`, and that one of `context_length`.
  const kind =
    [details["kind"], fields["kind"], fields["code"]].find((name): name is RefusalKind =>
      KINDS.includes(name as RefusalKind),
    ) ?? "other";
  return {
    kind,
    ...tokenField("used", details["used"] ?? fields["used"]),
    ...tokenField("limit", details["limit"] ?? fields["limit"]),
    ...tokenField("output", details["output"] ?? fields["output"]),
    ...tokenField("total", details["total"] ?? fields["total"]),
  };
}

/**
 * Returns a field with a number of tokens, or none if the value is not such a number: numbers of providers and hosts
 * are not trusted.
 */
export function tokenField<Name extends string>(name: Name, value: unknown): { [name in Name]?: number } {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0 || value > Number.MAX_SAFE_INTEGER) return {};
  return { [name]: Math.round(value) } as { [name in Name]?: number };
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
