// A map of a repository of 1,000 files: `node benches/documents/repository.mjs [--files=1000]` after `npm run build`.
// CPU and wall milliseconds: all files new, none new, one file changed; and twice as many files, which should take
// twice as long.
const dist = new URL("../../pkg/dist/", import.meta.url);
const { count } = await import(new URL("index-node.js", dist).href);
const { repositoryMap, reduceChanges } = await import(new URL("documents-node.js", dist).href);
const FILES = Number(process.argv.find((argument) => argument.startsWith("--files="))?.split("=")[1] ?? 1_000);

/** Returns a file of about 180 lines (5 KB) that uses definitions of some others. */
function file(at, of, round) {
  const uses = [1, 7, 31].map((step) => (at * step + step) % of);
  const lines = uses.map((other) => `import { Service${other}, createHandler${other} } from "./service${other}";`);
  lines.push(
    `// ${round} of ${of}`,
    `export interface Options${at} { retries: number; name: string; }`,
    `export class Service${at} {`,
  );
  for (let method = 0; method < 20; method++) {
    lines.push(
      `  /** Does the work of step ${method}. */`,
      `  runStep${method}(input: string, options: Options${at}): number {`,
    );
    lines.push(
      `    const handler = createHandler${uses[method % 3]}(input);`,
      "    if (options.retries > 3) {",
      "      return handler.length + options.name.length;",
      "    }",
    );
    lines.push(
      `    return new Service${uses[method % 3]}().runStep${(method + 1) % 20}(input, options as never);`,
      "  }",
      "",
    );
  }
  lines.push("}", `export function createHandler${at}(input: string): string {`, "  return input.trim();", "}", "");
  return { path: `src/service${at}.ts`, text: lines.join("\n") };
}

const repository = (of, round) => Array.from({ length: of }, (_, at) => file(at, of, round));

async function measured(name, run) {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const result = await run();
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name.padEnd(46)} ${((user + system) / 1_000).toFixed(0).padStart(7)} ms CPU ${(performance.now() - wall).toFixed(0).padStart(7)} ms wall`,
  );
  return result;
}

await repositoryMap(repository(20, "warm"), { budget: 1_000 });
for (const of of [FILES / 2, FILES]) {
  const files = repository(of, "first");
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  const first = await measured(`${of} files, ${(size / 1e6).toFixed(1)} MB, all new`, () =>
    repositoryMap(files, { budget: 4_000 }),
  );
  await measured("  again, nothing new", () => repositoryMap(files, { budget: 4_000 }));
  const edited = files.map((one, at) => (at === 5 ? file(5, of, "edited") : one));
  const second = await measured("  one file changed", () => repositoryMap(edited, { budget: 4_000 }));
  console.log(
    `  parsed ${first.parsed}, then ${second.parsed}; ${first.tokens} tokens, ${first.missing} lines missing`,
  );
}

const long = Array.from(
  { length: 600 },
  (_, at) =>
    `  method${at}(input: string): number {\n    const x = input.length;\n    if (x > ${at}) {\n      return x;\n    }\n    return ${at};\n  }\n`,
).join("\n");
const text = `class Service {\n${long}}\n`;
const middle = text.indexOf("method300");
for (const name of ["first", "again"]) {
  await measured(`changed code, ${text.split("\n").length} lines to 200 tokens (${name})`, () =>
    reduceChanges({ files: [{ path: "a.ts", text, selections: [[middle, middle]] }], budget: 200 }),
  );
}
console.log(`  (the whole file has ${count(text)} tokens)`);
