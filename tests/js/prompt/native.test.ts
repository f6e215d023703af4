/**
 * Properties of the native `render` on random prompts: exact, nothing needless, pruned again without rendering, filled
 * up.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Description } from "./description.ts";
import { show, siblings, workshop } from "./description.ts";
import { makeSplices } from "./outcome.ts";
import { fragment, h } from "./pieces.ts";
import { Random, randomCase } from "./random-tree.ts";
import { ours, rehearsal } from "./subject.ts";
import { runs } from "../runs.ts";

const TREES = Number(process.env.PROMPT_TREES ?? runs(150));
const FIRST = Number(process.env.PROMPT_SEED ?? 1);

interface Subject {
  seed: number;
  tree: Description[];
  /** How often an element was asked for something. */
  calls(): number;
  piece(): any;
  /** Tokens if nothing is removed. */
  full: number;
}

/** Prompts whose components write the same for every budget. Texts with `breakOn` are cut to theirs. */
async function prompts(visit: (subject: Subject, random: Random) => Promise<void>): Promise<void> {
  for (let seed = FIRST; seed < FIRST + TREES; seed++) {
    const { tree } = randomCase(seed);
    for (const list of siblings(tree))
      list.splice(0, list.length, ...list.filter(({ kind }) => kind !== "expandable").map(steady));
    await makeSplices(tree);
    const shop = workshop(ours);
    const piece = (): any => h(fragment, {}, ...tree.map(shop.build));
    let full: number;
    try {
      full = (await espalier.render(piece(), { budget: 1e6 })).tokens;
    } catch {
      // A prompt that throws, or one whose inner limits cannot be met.
      continue;
    }
    const subject = { seed, tree, full, piece, calls: () => shop.heard.length };
    await visit(subject, new Random(seed)).catch((error: Error) => {
      throw new Error(`${error.message}\nPROMPT_SEED=${seed}\n${tree.map((each) => show(each)).join("\n")}`, {
        cause: error,
      });
    });
  }
}

function steady(description: Description): Description {
  return description.kind === "component" ? { ...description, habit: "children" } : description;
}

/** A result, or undefined if the budget cannot be met. */
async function fitted(run: () => Promise<any>): Promise<any> {
  try {
    return await run();
  } catch (error: any) {
    if (error.code === "budget_exceeded" || error.code === "empty_prompt") return undefined;
    throw error;
  }
}

const visible = (rendered: any): unknown =>
  rendered && {
    request: rendered.request,
    tokens: rendered.tokens,
    removed: rendered.removed,
    references: rendered.references,
    omitted: rendered.omittedReferences,
  };

test("a rendered prompt cut to ten budgets is ten prompts rendered for them, and no element is asked again", {
  skip: rehearsal,
}, async () => {
  await prompts(async ({ piece, calls, full }, random) => {
    const rendered = await fitted(() => espalier.render(piece(), { budget: full }));
    // A limit above the budget does not count, and what it removed may be more than the budget can.
    if (!rendered) return;
    const before = calls();
    const budgets = random.many(10, 10, () => random.below(Math.ceil(full * 1.1) + 1));
    const again = [];
    for (const budget of budgets) again.push(visible(await fitted(() => rendered.prune(budget))));
    assert.equal(calls(), before);
    for (const [at, budget] of budgets.entries()) {
      assert.ok(((again[at] as any)?.tokens ?? 0) <= budget);
      const fresh = visible(await fitted(() => espalier.render(piece(), { budget })));
      assert.deepEqual(again[at], fresh, `budget ${budget} of ${full}`);
    }
  });
});

test("the count is that of the messages, within the budget, and what was removed last was too much", {
  skip: rehearsal,
}, async () => {
  await prompts(async ({ piece, full, tree }, random) => {
    for (const budget of random.many(4, 4, () => random.below(full + 1))) {
      const rendered = await fitted(() => espalier.render(piece(), { budget }));
      if (!rendered) continue;
      assert.ok(rendered.tokens <= budget, `${rendered.tokens} of ${budget}`);
      const { nodes } = JSON.parse(JSON.stringify(rendered.trace())) as { nodes: any[] };
      const limited = [...siblings(tree)].some((list) =>
        list.some((each) => each.kind === "element" && each.name === "TokenLimit"),
      );
      const removals = nodes.flatMap(({ removal }) => removal ?? []);
      if (limited || removals.length === 0) continue;
      const last = removals.reduce((latest, removal) => (removal.step > latest.step ? removal : latest));
      assert.ok(
        rendered.tokens + last.freed > budget,
        `${rendered.tokens} and ${last.freed} would have fitted ${budget}`,
      );
    }
  });
});

test("backfill never exceeds a limit, keeps what was kept, and fills no less", { skip: rehearsal }, async () => {
  let filled = 0;
  await prompts(async ({ piece, full }, random) => {
    const whole = await fitted(() => espalier.render(piece(), { budget: full }));
    if (!whole) return;
    for (const budget of random.many(4, 4, () => random.below(full + 1))) {
      const [plain, more] = [
        await fitted(() => espalier.render(piece(), { budget })),
        await fitted(() => espalier.render(piece(), { budget, backfill: true })),
      ];
      // What was put back may be all there is.
      assert.ok(more || !plain);
      if (!plain || !more) continue;
      assert.ok(more.tokens <= budget, `${more.tokens} of ${budget}`);
      const [kept, now] = [plain, more].map(
        (rendered) =>
          new Set(
            rendered
              .trace()
              .nodes.filter((node: any) => node.kept)
              .map(({ id }: any) => id),
          ),
      );
      for (const id of kept!) assert.ok(now!.has(id), `node ${id} is gone`);
      assert.ok(more.tokens >= plain.tokens);
      if (now!.size > kept!.size) filled += 1;
      else assert.deepEqual(more.request, plain.request);
      // What went as one comes back as one, and no call without its result.
      for (const { id, path, removal } of plain.trace().nodes) {
        if (
          removal?.rule === "priority" &&
          path.endsWith("Chunk") &&
          !path.endsWith("TextChunk") &&
          removal.node === id
        ) {
          const inside = plain
            .trace()
            .nodes.filter((node: any) => node.removal?.node === id)
            .map((node: any) => node.id);
          assert.ok(
            inside.every((node: number) => now!.has(node) === now!.has(id)),
            `half of the chunk ${id} is back`,
          );
        }
      }
      for (const lonely of unanswered(more))
        assert.ok(
          unanswered(plain).has(lonely) || unanswered(whole).has(lonely),
          `budget ${budget} of ${full}: call ${lonely} has no result`,
        );
    }
  });
  assert.ok(TREES < 100 || filled > 0, "nothing was ever put back");
});

/** Calls of rounds whose result is not there. */
function unanswered({ messages }: any): Set<string> {
  const results = new Set(messages.map((message: any) => message.tool_call_id));
  return new Set(
    messages
      .flatMap((message: any) => message.tool_calls ?? [])
      .map(({ id }: any) => id)
      .filter((id: string) => id.startsWith("round") && !results.has(id)),
  );
}

test("calls and results stay together at every budget, whatever order they would go in", {
  skip: rehearsal,
}, async () => {
  const { SystemMessage, UserMessage, AssistantMessage, ToolMessage, TextChunk, useKeepWith } = espalier as any;
  for (let seed = FIRST; seed < FIRST + TREES; seed++) {
    const random = new Random(seed);
    const rank = () => ({ priority: random.below(6) });
    const round = (at: number): any[] => {
      const Keep = random.chance(0.5) ? useKeepWith() : undefined;
      // Ids come back, as they do in real transcripts.
      const ids = Array.from({ length: 1 + random.below(3) }, (_, nth) => `call${(at % 2) * 3 + nth}`);
      const calls = ids.map((id) => ({
        id,
        type: "function",
        function: { name: "run", arguments: "{}" },
        ...(Keep && { keepWith: Keep }),
      }));
      const results = ids.map((toolCallId) =>
        h(
          ToolMessage,
          { ...rank(), toolCallId },
          random.chance(0.2) ? "" : h(TextChunk, rank(), `result of ${toolCallId} `.repeat(1 + random.below(4))),
        ),
      );
      return [
        h(AssistantMessage, { ...rank(), toolCalls: calls }, random.chance(0.5) ? "Let me see." : ""),
        ...(Keep ? [h(Keep, rank(), ...results)] : results),
        h(UserMessage, rank(), `question ${at}`),
      ];
    };
    const piece = h(
      fragment,
      {},
      h(SystemMessage, { priority: 9 }, "rules"),
      ...Array.from({ length: 1 + random.below(5) }, (_, at) => round(at)),
    );
    const whole = await espalier.render(piece, { budget: 1e6, backfill: random.chance(0.5) });
    for (let budget = whole.tokens; budget > 12; budget -= 1 + random.below(7)) {
      const cut = await fitted(() => whole.prune(budget));
      if (!cut) continue;
      const open: string[] = [];
      for (const message of cut.messages) {
        if (message.role !== "tool")
          assert.deepEqual(open, [], `PROMPT_SEED=${seed}, budget ${budget}: a call has lost its result`);
        if (message.role === "assistant") open.push(...(message.tool_calls ?? []).map(({ id }: any) => id));
        if (message.role === "tool")
          assert.ok(
            open.includes(message.tool_call_id) && open.splice(open.indexOf(message.tool_call_id), 1),
            `PROMPT_SEED=${seed}, budget ${budget}: a result has lost its call`,
          );
      }
      assert.deepEqual(open, []);
    }
  }
});
