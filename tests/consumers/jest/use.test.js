const espalier = require("espalier");
const { readFileSync } = require("node:fs");

test("every call works without a flag of Node", async () => {
  const { use, WANTED } = loaded();
  expect(await use(espalier)).toBe(WANTED);
  const text = "export const one = 1;\n";
  expect((await espalier.repositoryMap([{ path: "a.ts", text }], { budget: 200 })).text).toContain("one");
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1,1 @@\n+export const one = 1;\n";
  expect((await espalier.reduceChanges({ files: [{ path: "a.ts", text, diff }], budget: 100 })).files).toHaveLength(1);
});

/** The shared file is an ES module, which Jest does not read by default. */
function loaded() {
  const code = readFileSync(`${__dirname}/use.js`, "utf8").replaceAll(/^export /gm, "");
  return new Function(`${code}; return { use, WANTED };`)();
}
