/** Tokens and vocabularies. */

import { espalier as e } from "../built.ts";
import { chat, COUNTING, tool } from "./entry.ts";
import type { Entry } from "./entry.ts";

const learned = () => {
  const calibration = new e.Calibration("gpt-4o");
  calibration.sent({ id: "1", tokens: 100 });
  return calibration;
};

export const COUNTS: readonly Entry[] = [
  { name: "count", args: () => ["Hello.", {}], run: e.count, options: "encoding model" },
  { name: "countMessages", args: () => [chat(), { tools: [tool()] }], run: e.countMessages, options: COUNTING },
  {
    name: "countTools",
    args: () => [[tool()], {}],
    run: e.countTools,
    options: "format encoding model costModel images",
  },
  {
    name: "countPart",
    args: () => [{ type: "text", text: "a" }, { role: "user" }],
    run: e.countPart,
    options: "format encoding model costModel images imageSize",
  },
  {
    name: "breakdown",
    args: () => [chat(), { room: { window: 1_000 }, tags: { file: "Files" } }],
    run: e.breakdown,
    options: COUNTING,
  },
  { name: "countBatch", args: () => [["a", "b"], {}], run: e.countBatch, options: "encoding" },
  { name: "encode", args: () => ["a b", {}], run: e.encode, options: "encoding" },
  { name: "decode", args: () => [[1, 2], {}], run: e.decode, options: "encoding" },
  { name: "tokenOffsets", args: () => ["a b", {}], run: e.tokenOffsets, options: "encoding" },
  { name: "prefixWithin", args: () => ["a b", 1, {}], run: e.prefixWithin, options: "encoding" },
  { name: "suffixWithin", args: () => ["a b", 1, {}], run: e.suffixWithin, options: "encoding" },
  { name: "encodingForModel", args: () => ["gpt-4"], run: e.encodingForModel },
  { name: "modelFacts", args: () => ["gpt-4"], run: e.modelFacts },
  { name: "estimate", args: () => ["a b", { rule: "quarter" }], run: e.estimate, options: "encoding" },
  {
    name: "signalFrom",
    args: () => [{ isCancellationRequested: false, onCancellationRequested: () => undefined }],
    run: (token) => e.signalFrom(token).aborted,
  },
  {
    name: "new Calibration",
    args: () => ["gpt-4o", undefined],
    run: (model, state) => new e.Calibration(model, state).predict(100),
  },
  {
    name: "Calibration.withFactor",
    args: () => ["gpt-4o", 1.1],
    run: (model, factor) => e.Calibration.withFactor(model, factor).predict(100),
  },
  {
    name: "calibration.sent",
    args: () => [{ id: "2", tokens: 5, model: "gpt-4o", frame: "f" }],
    run: (request) => {
      const c = learned();
      c.sent(request);
      return c.state;
    },
  },
  { name: "calibration.reported", args: () => [{ id: "1", tokens: 120 }], run: (report) => learned().reported(report) },
  { name: "calibration.predict", args: () => [100], run: (tokens) => learned().predict(tokens) },
  { name: "hasEncoding", args: () => ["o200k_base"], run: e.hasEncoding },
  { name: "loadEncoding", args: () => ["o200k_base", new Uint8Array(3)], run: e.loadEncoding },
  { name: "loadEncodingSync", args: () => ["o200k_base", new Uint8Array(3)], run: e.loadEncodingSync },
  {
    name: "tokenWorker.count",
    args: () => [["a b"], {}],
    options: "encoding signal",
    // The worker cannot be made, so this thread counts.
    run: (texts, options) =>
      new e.TokenWorker({
        create: () => {
          throw new Error("no workers here");
        },
        vocabularies: {},
        onWarning: () => undefined,
      }).count(texts, options),
  },
];
