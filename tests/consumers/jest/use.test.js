const espalier = require("espalier");
const documents = require("espalier/documents");
const { readFileSync } = require("node:fs");

test("every call works without a flag of Node", async () => {
  const { use, WANTED } = loaded();
  expect(await use(espalier)).toBe(WANTED);
  const text = "export const one = 1;\n";
  expect((await documents.repositoryMap([{ path: "a.ts", text }], { budget: 200 })).text).toContain("one");
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1,1 @@\n+export const one = 1;\n";
  expect((await documents.reduceChanges({ files: [{ path: "a.ts", text, diff }], budget: 100 })).files).toHaveLength(1);
});

/** The shared files are ES modules, which Jest does not read by default. */
function loaded() {
  const [use, wanted] = ["use.js", "wanted.js"].map((file) => readFileSync(`${__dirname}/${file}`, "utf8"));
  const code = `${use}${wanted}`.replaceAll(/^(import|export \{).*$|^export /gm, "");
  const { outline, summarizeDocument } = documents;
  return new Function("outline", "summarizeDocument", `${code}; return { use, WANTED };`)(outline, summarizeDocument);
}
