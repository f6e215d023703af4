// Compactions of one long text without a model: node compaction/texts.mjs [FOLDER...] [--size=1000000]. CPU
// milliseconds, best of three, of one message of the user, of 80 messages, and of one result; packages (default: `pkg`)
// take turns.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUNS = 3;
const given = process.argv.slice(2);
const size = Number(given.find((word) => word.startsWith("--size="))?.slice(7) ?? 1_000_000);
const named = given.filter((word) => !word.startsWith("--"));
const folders = named.length > 0 ? named : [fileURLToPath(new URL("../../pkg", import.meta.url))];
const packages = [];
for (const folder of folders) packages.push(await import(join(folder, "dist", "index-node.js")));

let seed = 7;
const random = (end) => {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
  return (seed >> 8) % end;
};
const pick = (list) => list[random(list.length)];

/** Returns a text of `size` bytes from pieces. */
function text(piece) {
  const pieces = [];
  for (let at = 0, bytes = 0; bytes < size; at++) {
    pieces.push(piece(at));
    bytes += Buffer.byteLength(pieces[at]);
  }
  return pieces.join("");
}

const words = (list, space, end, each) => text((at) => pick(list) + (at % each === each - 1 ? end : space));
const han = Array.from({ length: 3_000 }, (_, at) => String.fromCharCode(0x4e00 + at));
const kana = [..."のにはをたがでてとしれさあるいなもするからとなこれそ日本語人"];
const korean = "그리고 하지만 이것은 우리는 코드를 수정 해야 합니다 파일에 오류가".split(" ");
const thai = [..."กขคงจชซญดตถทนบปผฝพฟมยรลวศสหอะาเแโใไ"];
const arabic = "في من على أن إلى هذا التي كان مع عن هو كل لا بعد قد بين ذلك عند".split(" ");
const english = "the of and to in is that for it as was with be by on not he but at are this have from or had".split(
  " ",
);
const emoji = ["😀", "🚀", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽"];
const TEXTS = {
  English: words(english, " ", ". ", 12),
  Chinese: words(han, "", "。", 40),
  "Chinese, unbroken": words(han, "", "", 40),
  Japanese: words(kana, "", "。", 25),
  Korean: words(korean, " ", ". ", 9),
  Thai: words(thai, "", " ", 40),
  Arabic: words(arabic, " ", ". ", 12),
  emoji: words(emoji, "", "", 40),
  "a line of JSON": `[${text((id) => `{"id":${id},"name":"${pick(english)} ${id}","ok":true},`)}0]`,
  base64: Buffer.from(text(() => String.fromCharCode(random(256)))).toString("base64"),
  minified: text((at) => `function a${at}(b,c){return b.${pick(english)}(c)||{e:${random(99)}}}`),
  log: text((at) => `2026-11-27T10:00:${at % 60}Z ${at % 97 === 5 ? "ERROR" : "INFO"} ${pick(english)} id=${at}\n`),
  "short lines": words(["ab", "cd", "ef", "gh"], "\n", "\n", 9),
  "empty lines": "\n".repeat(size),
};

const LAST = { role: "user", content: "Go on." };
const call = { id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } };
const SHAPES = {
  message: (text) => [{ role: "user", content: text }, { role: "assistant", content: "I see." }, LAST],
  messages: (text) => [
    ...Array.from({ length: 40 }, (_, at) => {
      const from = Math.ceil(text.length / 40) * at;
      const content = text.slice(from, from + Math.ceil(text.length / 40));
      return [
        { role: "user", content },
        { role: "assistant", content: `Answer ${at}.` },
      ];
    }).flat(),
    LAST,
  ],
  result: (text) => [
    { role: "user", content: "Find the fault." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: text },
    { role: "assistant", content: "Done." },
    LAST,
  ],
};

for (const { count } of packages) count("The vocabulary is loaded before the clock starts.");
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["text", ...Object.keys(SHAPES)]);
row(["---", ...Object.keys(SHAPES).map(() => "---")]);
for (const [name, text] of Object.entries(TEXTS)) {
  const cells = [name];
  for (const messages of Object.values(SHAPES)) {
    const best = packages.map(() => Infinity);
    for (let run = 0; run < RUNS * packages.length; run++) {
      const which = run % packages.length;
      const start = process.cpuUsage();
      await packages[which].compact(messages(text), { budget: 8_000 });
      const { user, system } = process.cpuUsage(start);
      best[which] = Math.min(best[which], (user + system) / 1_000);
    }
    cells.push(best.map(Math.round).join(" / "));
  }
  row(cells);
}
