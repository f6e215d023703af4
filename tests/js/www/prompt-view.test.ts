/**
 * What the view of a prompt says, against the renders themselves: random prompts with every element and prop, cut to
 * many budgets. And what it reads, with damaged input.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readTrace } from "../../../js/prompt/html-tracer-data.ts";
import { pack as packCuts, unpack as unpackCuts } from "../../../js/prompt/html-tracer-pack.ts";
import { isPrompt } from "../../../www/prompt/is-prompt.ts";
import { boxesOf } from "../../../www/prompt/icicle-layout.ts";
import {
  briefOf,
  budgetWithout,
  find,
  isForBudget,
  rowFor,
  rowsOf,
  sentenceOf,
  shortReason,
  show,
  sizesAfter,
  treeOf,
} from "../../../www/prompt/model.ts";
import { readPrompt } from "../../../www/prompt/read-trace.ts";
import { pack, unpack } from "../../../www/prompt/share-code.ts";
import { espalier } from "../built.ts";
import { siblings, workshop } from "../prompt/description.ts";
import { makeSplices } from "../prompt/outcome.ts";
import { fragment, h } from "../prompt/pieces.ts";
import { Random, randomCase } from "../prompt/random-tree.ts";
import { ours } from "../prompt/subject.ts";
import { runs } from "../runs.ts";

const TREES = runs(400);

/** Renders random prompts, whose components write the same for every budget, at several budgets each. */
async function cuts(visit: (rendered: any, whole: any, random: Random) => Promise<void> | void): Promise<number> {
  let visited = 0;
  for (let seed = 1; seed <= TREES; seed++) {
    const { tree } = randomCase(seed);
    for (const list of siblings(tree))
      list.splice(
        0,
        list.length,
        ...list
          .filter(({ kind }) => kind !== "expandable")
          .map((each) => (each.kind === "component" ? { ...each, habit: "children" as const } : each)),
      );
    await makeSplices(tree);
    const { build } = workshop(ours);
    const whole = await espalier
      .render(h(fragment, {}, ...tree.map(build)) as any, { budget: 1e6 })
      .catch(() => undefined);
    if (!whole) continue;
    const full = whole.trace(Number.POSITIVE_INFINITY);
    const random = new Random(seed);
    for (const share of [1, 0.8, 0.5, 0.2]) {
      const rendered = await whole.prune(Math.ceil(full.tokens * share)).catch(() => undefined);
      if (!rendered) break;
      visited++;
      try {
        await visit(rendered, full, random);
      } catch (error) {
        throw new Error(`${(error as Error).message}\nseed ${seed}, share ${share}`, { cause: error });
      }
    }
  }
  return visited;
}

test("every removed node is in one step, and its row says why", async () => {
  let removed = 0;
  const visited = await cuts((rendered) => {
    const trace = rendered.trace(Number.POSITIVE_INFINITY);
    const { nodes, cut } = readTrace(trace);
    const tree = treeOf(nodes);
    const shown = show(tree, cut);
    trace.nodes.forEach(({ kept, removal }: any, index: number) => {
      const step = shown.stepOf[index]!;
      assert.equal(step >= 0, !kept);
      if (kept) return;
      removed++;
      assert.ok(shown.steps[step]!.indices.includes(index));
      assert.equal(shown.cut.removals[cut.fates[index]!]!.step, removal.step);
      assert.notEqual(shortReason(shown, index), "");
      assert.match(sentenceOf(shown, index), /was removed in step \d+ to meet the (budget|limit of .+):/);
    });
    const rows = rowsOf(tree, () => false);
    for (const { chosen, victim, indices } of shown.steps) {
      assert.ok(indices.includes(chosen) && indices.includes(victim));
      assert.ok(rows.includes(rowFor(tree, victim)), "what was removed has a row");
      assert.notEqual(briefOf(tree, victim), "");
    }
    // Steps are in the order of the removals, the first one first.
    const order = shown.steps.map(({ removal }) => removal.step);
    assert.deepEqual(
      order,
      [...order].sort((one, other) => one - other),
    );
  });
  assert.ok(visited > 50 && removed > 300, `${visited} cuts, ${removed} removed nodes`);
});

test("the replay begins with everything, loses tokens with every step, and ends with what is kept", async () => {
  await cuts((rendered, full) => {
    const whole = readTrace(full);
    const { nodes, cut } = readTrace(rendered.trace(Number.POSITIVE_INFINITY));
    if (nodes.length !== whole.nodes.length) return;
    const shown = show(treeOf(nodes), cut, whole.cut.sizes);
    const { steps, stepOf } = shown;
    assert.deepEqual([...sizesAfter(shown, 0)], [...shown.whole]);
    let last = Number.POSITIVE_INFINITY;
    for (let count = 0; count <= steps.length; count++) {
      const sizes = sizesAfter(shown, count);
      sizes.forEach((size, index) => {
        if (stepOf[index]! >= 0 && stepOf[index]! < count) assert.equal(size, 0);
        const { parent } = nodes[index]!;
        assert.ok(parent < 0 || size <= sizes[parent]!, "a part is no larger than the whole");
      });
      assert.ok(sizes[0]! <= last);
      last = sizes[0]!;
      const boxes = boxesOf(shown, sizes, { root: 0, count, maxDepth: 99, minWidth: 0 });
      for (const { left, width } of boxes) assert.ok(left >= 0 && left + width <= 1 + 1e-9);
    }
  });
});

test("a removed element is back at about the budget that the view names: mostly at that very token", async () => {
  let asked = 0;
  let exact = 0;
  await cuts(async (rendered, _full, random) => {
    const trace = rendered.trace();
    const { nodes, cut } = readTrace(trace);
    const shown = show(treeOf(nodes), cut);
    const open = shown.steps.flatMap(({ removal }, step) => (isForBudget(removal) ? [step] : []));
    if (open.length === 0) return;
    const step = random.pick(open);
    const { id } = nodes[shown.steps[step]!.chosen]!;
    const back = budgetWithout(shown, step);
    const fateAt = async (budget: number) => {
      const again = await rendered.prune(budget).catch(() => undefined);
      return again?.trace().nodes.length === nodes.length ? again.explain(id) : undefined;
    };
    const keptAt = async (budget: number) => (await fateAt(budget))?.kept;
    // Texts with `breakOn` are cut anew for another budget: the trees differ then.
    if ((await keptAt(back)) === undefined || back <= cut.budget) return;
    asked++;
    if ((await keptAt(back)) && !(await keptAt(back - 1))) exact++;
    // Neighbouring texts may share a token, and an element around them may meet its own limit, now that it is larger.
    const fate = await fateAt(back + 20);
    if (fate) assert.ok(fate.kept || !isForBudget(fate.removal), `at ${back} and more`);
  });
  assert.ok(asked > 20 && exact / asked > 0.9, `${exact} of ${asked}`);
});

test("packed cuts are what they were", async () => {
  await cuts(async (rendered) => {
    const { nodes, cut } = readTrace(rendered.trace());
    const less = await rendered.prune(Math.floor(cut.tokens * 0.7)).catch(() => undefined);
    const other = less && readTrace(less.trace());
    const data = {
      budget: cut.budget,
      whole: cut.tokens,
      epochs: [],
      nodes,
      cuts: [
        cut,
        ...(other ? [other.nodes.length === nodes.length ? other.cut : { ...other.cut, nodes: other.nodes }] : []),
      ],
      server: undefined,
    };
    const { server: _, ...read } = data;
    assert.deepEqual(
      JSON.parse(JSON.stringify(unpackCuts(JSON.parse(JSON.stringify(packCuts(data)))))),
      JSON.parse(JSON.stringify(read)),
    );
  });
});

test("finding looks at names, roles and texts", () => {
  const node = (id: number, parent: number, facts: object) => ({
    id,
    parent,
    type: "container" as const,
    priority: 1,
    ...facts,
  });
  const tree = treeOf([
    node(0, -1, { name: "Prompt" }),
    node(1, 0, { name: "UserMessage", type: "message", role: "user" }),
    node(2, 1, { type: "text", text: "Why does\nthe build fail?" }),
    node(3, 0, { name: "History" }),
  ] as any);
  assert.deepEqual(find(tree, "BUILD"), [1]);
  assert.deepEqual(find(tree, "history"), [3]);
  assert.deepEqual(find(tree, " "), []);
  assert.equal(briefOf(tree, 1), "user “Why does the build fail?”");
  assert.deepEqual(
    rowsOf(tree, (id) => id === 0),
    [0],
  );
});

const CODE = 'import { UserMessage } from "espalier/prompt";\nexport default () => <UserMessage>Hello</UserMessage>;\n';

test("prompts are recognised among conversations and sources", async () => {
  const trace = JSON.stringify(
    (await espalier.render(h(espalier.UserMessage, {}, "x") as any, { budget: 100 })).trace(),
  );
  for (const [name, text, expected] of [
    ["a.tsx", CODE, true],
    ["pasted.json", CODE, true],
    ["pasted.json", "<><UserMessage>Hello</UserMessage></>", true],
    ["trace.json", trace, true],
    ["app.tsx", "export const App = () => <div>Hello</div>;", false],
    [
      "session.jsonl",
      '{"type":"user","message":{"role":"user","content":"import { render } from \\"espalier/prompt\\""}}',
      false,
    ],
    ["messages.json", '[{"role":"user","content":"<UserMessage>"}]', false],
    ["request.json", '{"model":"m","messages":[]}', false],
    ["page.html", "<!doctype html><title>Other</title>", false],
    ["empty", "", false],
  ] as const)
    assert.equal(isPrompt(name, text), expected, `${name}: ${text.slice(0, 40)}`);
});

test("damaged traces are refused in words, and never half read", async () => {
  const rendered = await espalier.render(
    h(
      espalier.UserMessage,
      {},
      ...[1, 2, 3].map((priority) => h(espalier.TextChunk, { priority }, "word ".repeat(9))),
    ) as any,
    { budget: 30 },
  );
  const trace = JSON.stringify(rendered.trace());
  const tracer = new espalier.HTMLTracer();
  await espalier.render(h(espalier.UserMessage, {}, "Hello") as any, { budget: 30, tracer });
  const page = await tracer.html();
  assert.equal((await readPrompt(page)).kind, "trace");
  const random = new Random(7);
  let read = 0;
  for (let round = 0; round < 400; round++) {
    const whole = round % 2 ? trace : /const DATA = (.*);\n/.exec(page)![1]!;
    const start = random.below(whole.length);
    const damaged =
      whole.slice(0, start) +
      random.pick(["", "0", "-1", '"', "null", "[]", "{}", ",", "1e9"]) +
      whole.slice(start + random.below(6));
    try {
      const found = await readPrompt(damaged);
      if (found.kind !== "trace") continue;
      read++;
      const { nodes, cuts } = found.data;
      for (const cut of cuts) {
        const shown = show(treeOf(cut.nodes ?? nodes), cut);
        shown.steps.forEach(({ victim }) => shortReason(shown, victim) && sentenceOf(shown, victim));
        sizesAfter(shown, 1);
      }
    } catch (error) {
      assert.equal((error as { code?: string }).code, "bad_input", `${(error as Error).stack}\n${damaged}`);
    }
  }
  assert.ok(read > 20, `${read} were still traces`);
});

test("code survives the address; a short address becomes no endless text", async () => {
  for (const code of ["", CODE, "漢字 🎉\n".repeat(500)]) assert.equal(await unpack(await pack(code)), code);
  const packed = await pack(CODE.repeat(20));
  assert.equal(await unpack(packed.slice(0, packed.length >> 1)), undefined);
  assert.equal(await unpack("!!"), undefined);
  const bomb = await pack("a".repeat(5_000_000));
  assert.ok(bomb.length < 10_000);
  assert.equal(await unpack(bomb), undefined);
});
