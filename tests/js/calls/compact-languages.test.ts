/** Records of conversations in languages other than English. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

type Message = { role: string; content: string };
const SECTIONS = [
  ["Conversation Overview", "对话概述"],
  ["Technical Foundation", "技术基础"],
  ["Codebase Status", "代码库状态"],
  ["Problem Resolution", "问题解决"],
  ["Progress Tracking", "进度跟踪"],
  ["Active Work State", "当前工作状态"],
  ["Recent Operations", "最近操作"],
  ["Continuation Plan", "后续计划"],
];
const FORMS: Record<string, (english: string, chinese: string, at: number) => string> = {
  translated: (_, chinese) => `## ${chinese}`,
  "with a translation": (english, chinese) => `## ${english}（${chinese}）`,
  "with full-width signs": (english, _, at) => `**${at + 1}．${english}：**`,
};
const filler = Array.from({ length: 40 }, (_, at): Message[] => [
  { role: "user", content: `继续第${at}步。` },
  { role: "assistant", content: `Step ${at}. ${"The river crosses a small harbour. ".repeat(20)}` },
]).flat();
const recordOf = (messages: readonly unknown[]) =>
  (messages as Message[]).map(({ content }) => content).find((text) => text.includes("<conversation-summary")) ?? "";

test("a summary with headings in the language of the conversation needs no second request", async () => {
  for (const [name, heading] of Object.entries(FORMS)) {
    const written = SECTIONS.map(
      ([english = "", chinese = ""], at) => `${heading(english, chinese, at)}\n超时为六十秒。\n`,
    );
    let calls = 0;
    const llm = async () => {
      calls++;
      return `<summary>\n${written.join("\n")}</summary>`;
    };
    const { messages } = await espalier.compact(filler, { budget: 4_000, llm });
    assert.equal(calls, 1, name);
    assert.match(recordOf(messages), /超时为六十秒/, name);
  }
});

test("a record lists the newest constraints, and not those that they changed", async () => {
  const asked: [string, string, string][] = [
    ["每页最多显示二十条。", "每页改成五十条，不再是二十条。", "千万别写数据库。"],
    [
      "一ページは最大三十件までにしてください。",
      "やはり一ページは五十件に変更します。",
      "データベースに書き込まないでください。",
    ],
    ["Pas plus de 50 éléments par page.", "Finalement, 100 éléments par page.", "N'écris jamais dans la base."],
  ];
  for (const [earlier, later, other] of asked) {
    const said = [earlier, other, later].flatMap((content): Message[] => [
      { role: "user", content },
      { role: "assistant", content: "OK." },
    ]);
    const { messages } = await espalier.compact([...said, ...filler], { budget: 3_000 });
    const listed = /<constraints>([^]*?)<\/constraints>/.exec(recordOf(messages))?.[1] ?? "";
    assert.ok(listed.includes(later) && listed.includes(other) && !listed.includes(earlier), listed);
  }
});
