/** The view of a prompt, in a real Chromium: what a person types, drags, reads and hears. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { findingsOf } from "./axe.mjs";
import { opened } from "./browser.mjs";
import { busy } from "./tasks.mjs";

const AT = "#view=prompt&example=build";
let page, complaints, close, server;

before(async () => {
  const context = { viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] };
  ({ page, complaints, server, close } = await opened(AT, { ready: "#outline", ...context }));
  page.setDefaultTimeout(10_000);
  await page.waitForSelector(".outcome #first");
});
after(() => close?.());

/** Waits for the outcome of a budget and returns its text. */
async function outcomeOf(tokens) {
  await page.waitForFunction(
    (said) => new RegExp(`of ${said}\\b`).test(document.querySelector(".outcome")?.textContent),
    tokens,
  );
  return page.textContent(".outcome");
}

async function budget(tokens) {
  await page.fill("#tokens", String(tokens));
  await page.press("#tokens", "Tab");
  return outcomeOf(tokens.toLocaleString("en-US"));
}

async function type(code) {
  await page.fill("#code", code);
}

const goneRows = () => page.locator("#outline .gone");
const whole = () => page.getAttribute("#budget", "max").then(Number);

/** Three messages with priorities, of which the middle one goes first. */
const THREE = `import { UserMessage } from "espalier/prompt";

export default function Talk() {
  return (
    <>
      <UserMessage priority={3}>the first of three messages</UserMessage>
      <UserMessage priority={1}>the second of three messages</UserMessage>
      <UserMessage priority={2}>the third of three messages</UserMessage>
    </>
  );
}
`;

test("it opens with a prompt that was cut, and names what went first", async () => {
  assert.match(
    await outcomeOf(331),
    /^285 of 331 tokens, 10 removed. First to go: user “What does this repository do\?”/,
  );
  assert.equal(await page.locator("#removals [role=option]").count(), 10);
  // One thing is named once: the element around a prompt has no name of the package.
  assert.doesNotMatch(await page.textContent("#outline"), /LogicalWrapper/);
  assert.deepEqual(complaints, []);
});

test("every budget is met; what was removed first stays in the tree, with order and reason", async () => {
  assert.match(await budget(await whole()), /everything fits/);
  assert.equal(await goneRows().count(), 0);
  let last = 0;
  for (const tokens of [500, 300, 120]) {
    const [used] = /^[\d,]+/.exec(await budget(tokens));
    assert.ok(Number(used) <= tokens);
    const removed = await page.locator("#removals [role=option]").count();
    assert.ok(removed > last);
    last = removed;
    assert.match(await page.textContent("#first"), /What does this repository do/);
  }
  await page.click("#first");
  const chosen = page.locator("#outline [aria-selected=true]");
  assert.match(await chosen.textContent(), /removed as number 1user.*priority 10, the lowest/);
  assert.match(
    await page.textContent("#detail .fate"),
    /removed in step 1 to meet the budget: it had the lowest priority \(10\)/,
  );
  assert.match(await page.textContent("#detail pre"), /What does this repository do\?/);
});

test("the button brings a removed element back, at the budget that it says", async () => {
  await budget(300);
  await page.click("#removals [role=option] >> nth=-1");
  const [, tokens] = /Bring it back, at about ([\d,]+) tokens/.exec(await page.textContent("#return"));
  const name = await page.textContent("#detail h3");
  await page.click("#return");
  await outcomeOf(tokens);
  assert.equal(await page.textContent("#detail h3"), name);
  assert.match(await page.textContent("#detail .fate"), /was kept/);
  // With one token less it goes.
  await budget(Number(tokens.replace(",", "")) - 1);
  assert.match(await page.textContent("#detail .fate"), /was removed/);
});

test("typed code is rendered as one types, and a mistake is shown with its line until it is mended", async () => {
  await type(THREE);
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("third of three"));
  await budget(20);
  assert.match(await page.textContent("#first"), /the second of three/);

  await type(THREE.replace("</UserMessage>", "</UserMessag>"));
  await page.waitForSelector("#code-error .wrong");
  assert.match(await page.textContent("#code-error"), /^Line 6: /);
  assert.equal(await page.textContent(".gutter .bad"), "6");
  assert.equal(await page.getAttribute("#code", "aria-invalid"), "true");
  // The old tree stays, and is named as old.
  assert.match(await page.textContent("#code-error"), /still that of the last code that ran/);
  await page.click("#go");
  await page.waitForFunction(() => {
    const { value = "", selectionStart, selectionEnd } = document.activeElement;
    return value.slice(selectionStart, selectionEnd).includes("the first of three");
  });

  await type(THREE);
  await page.waitForSelector("#code-error .wrong", { state: "detached" });
  assert.equal(await page.getAttribute("#code", "aria-invalid"), "false");
});

const MISTAKES = [
  [
    "an error of a component",
    THREE.replace("  return (", '  throw new RangeError("no data");\n  return ('),
    /^Line 4: RangeError: no data/,
  ],
  ["an unknown name", THREE.replace("priority={1}", "priority={rank}"), /^Line 7: ReferenceError: rank is not defined/],
  ["text outside of a message", THREE.replace("<>", "<>\n      <b>bold</b>"), /^Line 6: Unknown intrinsic element b!/],
  [
    "an import that there is not",
    `import fs from "node:fs";\n${THREE}fs.rmSync("/");\n`,
    /^Line 1: “node:fs” cannot be imported here/,
  ],
  ["nothing exported", THREE.replace("export default ", ""), /^Nothing is exported/],
  ["no message", "export default () => null;", /no message with content/],
  ["nothing", "", /Nothing is exported/],
];
for (const [what, code, expected] of MISTAKES) {
  test(`a mistake in words: ${what}`, async () => {
    await type(code);
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector("#code-error .wrong")?.textContent ?? ""),
      expected.source,
    );
    await type(THREE);
    await page.waitForSelector("#code-error .wrong", { state: "detached" });
  });
}

test("code without an end is stopped, and the next code runs", async () => {
  await type(THREE.replace("  return (", "  for (;;) {}\n  return ("));
  await page.waitForFunction(() =>
    /did not end within 3 seconds/.test(document.querySelector("#code-error").textContent),
  );
  await type(THREE.replace("third", "fourth"));
  await page.waitForSelector("#code-error .wrong", { state: "detached" });
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("fourth of three"));
});

test("typed code reaches neither the network nor what the site keeps", async () => {
  const names = [
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "EventSource",
    "WebTransport",
    "importScripts",
    "indexedDB",
    "caches",
    "BroadcastChannel",
    "Worker",
    "navigator",
    "location",
    "eval",
    "Response",
    "Request",
    "FileReader",
  ];
  const tries = [
    ...names.map((name) => `typeof globalThis["${name}"]`),
    ...names.map((name) => `typeof Object.getPrototypeOf(Object.getPrototypeOf(globalThis))["${name}"]`),
    '(() => { try { return typeof (() => {}).constructor("return 1")(); } catch { return "undefined"; } })()',
    '(() => { try { return typeof (async () => {}).constructor("return 1"); } catch { return "undefined"; } })()',
    '(() => { try { return typeof setTimeout("1"); } catch { return "undefined"; } })()',
    '(() => { try { return typeof WorkerGlobalScope.prototype.setTimeout.call(globalThis, "1"); } catch { return "undefined"; } })()',
    '(() => { try { return typeof Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).setInterval.call(globalThis, "1"); } catch { return "undefined"; } })()',
  ];
  const code = `import { UserMessage } from "espalier/prompt";
export default async () => {
  const far = await import("${server.url}app.js").then(() => "object", () => "undefined");
  return <UserMessage>{[far, ${tries.join(", ")}].filter((kind) => kind !== "undefined").join("+") || "nothing is there"}</UserMessage>;
};`;
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await type(code);
  await page.waitForFunction(() =>
    /nothing is there|\+|object|function/.test(
      document.querySelector("#outline .row .peek, #outline .peek")?.textContent +
        document.querySelector("#outline").textContent,
    ),
  );
  assert.match(await page.textContent("#outline"), /nothing is there/);
  assert.deepEqual(asked, []);
  await type(THREE);
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("third of three"));
});

test("code that sucrase and browsers read in two ways loads nothing", async () => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const far = `import("${server.url}app.js")`;
  for (const line of [`(1 <!-- \`\n, ${far}) //\`)`, far.replace("import", "import.defer")]) {
    await type(`export default () => { ${line}; return <UserMessage>loaded</UserMessage>; };`);
    await page.waitForFunction(() => /Line 1: /.test(document.querySelector("#code-error .wrong")?.textContent ?? ""));
  }
  assert.deepEqual(asked, []);
  await type(THREE);
  await page.waitForSelector("#code-error .wrong", { state: "detached" });
});

test("the budget is dragged: every tree that is drawn is one that fits", async () => {
  await page.click("#restart");
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("History"));
  await page.evaluate(() => {
    globalThis.drawn = new Set();
    new MutationObserver(() => globalThis.drawn.add(document.querySelector(".outcome").textContent)).observe(
      document.querySelector(".outcome"),
      { subtree: true, childList: true, characterData: true },
    );
  });
  const box = await page.locator("#budget").boundingBox();
  const y = box.y + box.height / 2;
  await busy(page, "the budget of a small tree is dragged", async () => {
    await page.mouse.move(box.x + box.width - 8, y);
    await page.mouse.down();
    for (let step = 0; step <= 60; step++) await page.mouse.move(box.x + box.width - 8 - (step * box.width) / 80, y);
    await page.mouse.up();
    await outcomeOf(Number(await page.inputValue("#budget")));
  });
  const drawn = await page.evaluate(() => [...globalThis.drawn]);
  assert.ok(drawn.length > 3);
  for (const text of drawn) {
    const [, used, tokens] = /^([\d,]+) (?:tokens )?of ([\d,]+)/.exec(text);
    assert.ok(Number(used) <= Number(tokens), text);
  }
});

test("15,000 nodes are typed, cut, looked through and dropped as a trace", async () => {
  const ready = () => page.waitForFunction(() => /line 3 of/.test(document.querySelector("#outline").textContent));
  const act = async () => {
    await type(`import { TextChunk, UserMessage } from "espalier/prompt";
class Section { constructor(props) { this.props = props; } render() { return <>{this.props.children}</>; } }
export default () => <UserMessage>{Array.from({ length: 3_000 }, (_, at) =>
  <Section priority={at % 97}><TextChunk priority={at % 13}>{"line " + at + " of a long list"}</TextChunk>
  <TextChunk priority={at % 7}>{"more of " + at}</TextChunk></Section>)}</UserMessage>;`);
    await ready();
    const box = await page.locator("#budget").boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 8, y);
    await page.mouse.down();
    for (let step = 0; step <= 40; step++) await page.mouse.move(box.x + box.width - 8 - (step * box.width) / 60, y);
    await page.mouse.up();
    await outcomeOf(Number(await page.inputValue("#budget")).toLocaleString("en-US"));
    for (const key of ["n", "n", "p", "["]) await page.keyboard.press(key);
  };
  await busy(page, "15,000 nodes are typed, cut and looked through", act);
  await page.click("#copy-trace");
  await page.waitForFunction(() => /Copied the trace/.test(document.querySelector(".done")?.textContent));
  const trace = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(JSON.parse(trace).nodes.length > 15_000);
  const file = join(mkdtempSync(join(tmpdir(), "espalier-trace-")), "trace.json");
  writeFileSync(file, trace);
  await busy(page, "a trace of 15,000 nodes is opened", async () => {
    await page.setInputFiles("#file", file);
    await page.waitForSelector(".fixed");
    await ready();
    await page.click("#back");
  });
  rmSync(dirname(file), { recursive: true });
  await page.waitForURL(/file=trace\.json/);
  await page.selectOption("#example", "build");
  await page.waitForSelector("#budget");
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("History"));
  assert.deepEqual(complaints, []);
});

test("the replay takes the removals back, and makes them one by one", async () => {
  await budget(300);
  const all = await page.locator("#removals [role=option]").count();
  for (let left = all; left > 0; left--) await page.click("#back");
  assert.equal(await page.textContent(".position"), `0/${all}`);
  assert.equal(await goneRows().count(), 0);
  assert.match(
    await page.textContent(".outcome"),
    new RegExp(`^${await whole()} tokens after 0 of ${all} removals; the budget is 300`),
  );
  await page.click("#forward");
  await page.click("#forward");
  assert.equal(await page.textContent(".position"), `2/${all}`);
  assert.match(await page.textContent("#detail .fate"), /removed in step 2/);
  await page.click("#replay");
  await page.waitForFunction((position) => document.querySelector(".position").textContent === position, `3/${all}`);
  await page.click("#replay");
  assert.equal(await page.getAttribute("#replay", "aria-pressed"), "false");
});

test("a removed node closes up by transforms alone, and at once for who wants no motion", async () => {
  const transitions = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(".icicle *")].map((one) => {
        const { transitionProperty, transitionDuration } = getComputedStyle(one);
        return transitionDuration === "0s" ? "none" : transitionProperty;
      }),
    );
  assert.deepEqual([...new Set(await transitions())].sort(), ["none", "transform"]);
  await page.emulateMedia({ reducedMotion: "reduce" });
  assert.deepEqual([...new Set(await transitions())], ["none"]);
  await page.emulateMedia({ reducedMotion: null });
});

test("a budget below everything is refused in words, and one press mends it", async () => {
  await page.fill("#tokens", "0");
  await page.press("#tokens", "Tab");
  await page.waitForSelector(".outcome.bad");
  assert.match(await page.textContent(".outcome"), /A budget of 0 tokens cannot be met: /);
  // What would have gone is shown all the same.
  assert.ok((await goneRows().count()) > 5);
  await page.click("#use");
  await page.waitForSelector(".outcome:not(.bad)");
});

test("the request is shown in every form", async () => {
  await budget(200);
  await page.click("#request summary");
  for (const [format, field] of [
    ["anthropic", "system"],
    ["gemini", "contents"],
    ["openai-chat", "messages"],
  ]) {
    await page.selectOption("#format", format);
    await page.waitForFunction((name) => {
      try {
        return Object.hasOwn(JSON.parse(document.getElementById("request-text").textContent), name);
      } catch {
        return false;
      }
    }, field);
  }
});

test("by keyboard alone: the tree is one tab stop, and keys find the first victim and move the budget", async () => {
  await budget(331);
  await page.focus("#find");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "outline");
  const current = () =>
    page.evaluate(() => {
      const tree = document.getElementById("outline");
      return document.getElementById(tree.getAttribute("aria-activedescendant"))?.textContent ?? "";
    });
  await page.keyboard.press("Home");
  assert.match(await current(), /Root/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await current(), /system/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await current(), /system/);
  const row = page.locator("#outline [aria-selected=true]");
  assert.deepEqual(
    [
      await row.getAttribute("aria-expanded"),
      await row.getAttribute("aria-level"),
      await row.getAttribute("aria-setsize"),
    ],
    ["false", "3", "5"],
  );
  await page.keyboard.press("n");
  assert.match(await current(), /removed as number 1 ?user/);
  await page.waitForFunction(() => /removed in step 1/.test(document.getElementById("status").textContent));
  await page.keyboard.press("n");
  assert.match(await current(), /removed as number 2 ?assistant/);
  const before = Number(await page.inputValue("#budget"));
  await page.keyboard.press("[");
  await page.waitForFunction((tokens) => Number(document.getElementById("budget").value) < tokens, before);
  await page.waitForFunction(() => document.querySelector(".position").textContent === "12/12");
  await page.keyboard.press("]");
  await page.waitForFunction(() => document.querySelector(".position").textContent === "10/10");
  await page.keyboard.press("/");
  assert.equal(await focused(), "find");
  await page.keyboard.type("tsconfig");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "outline");
  assert.match(await current(), /./);
  // The tree is left with one key, and the focus was never lost.
  await page.keyboard.press("Tab");
  assert.notEqual(await focused(), "");
  assert.match(
    await page.getAttribute("#budget", "aria-valuetext"),
    /^\d+ tokens\. 10 removals, 551 → 285 tokens of \d+\. First to go: user “What/,
  );
});

test("Tab indents in the code, and Escape gives it back", async () => {
  await page.focus("#code");
  await page.evaluate(() => document.activeElement.setSelectionRange(0, 0));
  await page.keyboard.press("Tab");
  assert.match(await page.inputValue("#code"), /^ {2}\/\*\*/);
  await page.keyboard.press("Control+z");
  assert.match(await page.inputValue("#code"), /^\/\*\*/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.id), "code");
});

test("a link has the code in it; one that was cut short says so, and Back undoes", async () => {
  await type(THREE);
  await page.waitForFunction(() => document.querySelector("#outline").textContent.includes("third of three"));
  await budget(20);
  await page.click("#link");
  await page.waitForFunction(() => document.querySelector(".done").textContent.startsWith("Copied"));
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.length < 600, `${link.length}`);
  const other = await page.context().newPage();
  await other.goto(link);
  await other.waitForFunction(() => document.querySelector(".outcome #first")?.textContent.includes("second of three"));
  assert.equal(await other.inputValue("#code"), THREE);
  assert.equal(await other.inputValue("#tokens"), "20");
  await other.reload();
  await other.waitForFunction(() => document.querySelector(".outcome #first")?.textContent.includes("second of three"));
  await other.close();

  const cut = await page.context().newPage();
  await cut.goto(link.replace(/(prompt\.code=[\w-]{60})[\w-]*/, "$1"));
  await cut.waitForSelector("#alert");
  assert.match(await cut.textContent("#alert"), /not whole/);
  await cut.waitForFunction(() => document.querySelector("#outline")?.textContent.includes("History"));
  await cut.close();

  await page.waitForFunction(() => location.hash.includes("prompt.code="));
  const before = await page.inputValue("#code");
  await type(`${THREE}// more\n`);
  await page.waitForFunction((hash) => location.hash !== hash, await page.evaluate(() => location.hash));
  await page.goBack();
  await page.waitForFunction((code) => document.getElementById("code").value === code, before);
});

test("axe finds nothing, with all details open", async () => {
  await page.click("#restart");
  await budget(300);
  await page.click("#removals [role=option] >> nth=0");
  assert.deepEqual(await findingsOf(page), []);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await findingsOf(page), []);
  await page.emulateMedia({ colorScheme: null });
  assert.deepEqual(complaints, []);
});
