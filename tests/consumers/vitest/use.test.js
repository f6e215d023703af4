import { expect, test, vi } from "vitest";
import * as espalier from "espalier";
import { use, WANTED } from "./use.js";

test("every call works", async () => {
  expect(await use(espalier)).toBe(WANTED);
});

test("errors of a second copy of the package are recognised", async () => {
  vi.resetModules();
  const second = await import("espalier");
  const error = (() => {
    try {
      second.count(1);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(espalier.isEspalierError(error)).toBe(true);
  expect(second.count("Hello world!")).toBe(3);
});
