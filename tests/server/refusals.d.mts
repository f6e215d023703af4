import type { WIRES } from "./model.mjs";

type Name = keyof typeof WIRES;

export declare const REFUSED: {
  from: string;
  wire: Name;
  status: number;
  type?: string;
  headers?: Record<string, string>;
  body: unknown;
  means: [string, { used?: number; limit?: number; output?: number; total?: number; kind?: string; retryAfterMs?: number }];
  final?: boolean;
}[];
export declare const REFUSED_WITHIN: { wire: Name; error: { message: string; type?: string; code?: string }; means: string }[];
