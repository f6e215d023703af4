/** Search for words with accents, in several forms of their letters, and in scripts without spaces between words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Files, openIndex } from "./support.ts";

const TEXTS = {
  "de.md": "Größe der Übertragung",
  "fr.md": "données supprimées".normalize("NFD"),
  "tr.md": "İSTANBUL ıslak zemin AYARLARI",
  "vi.md": "thời gian chờ của máy chủ",
  "th.md": "อ่านไฟล์การตั้งค่าและตรวจสอบเวลาหมดอายุ",
  "ar.md": "التحقق من المهلة الزمنية",
  "ja.md": "ＡＰＩキーの設定",
  "zh.md": "读取配置文件",
};
const QUERIES: [string, string][] = [
  ["grosse", "de.md"],
  ["GRÖSSE", "de.md"],
  ["données", "fr.md"],
  ["istanbul ayarları", "tr.md"],
  ["ISLAK", "tr.md"],
  ["thoi gian cho", "vi.md"],
  ["เวลาหมดอายุ", "th.md"],
  ["مهلة", "ar.md"],
  ["API", "ja.md"],
  ["配置", "zh.md"],
];

test("a query finds words of any script, with or without their accents", async () => {
  const index = await openIndex({ source: new Files({ ...TEXTS, "other.md": "walnut harbour" }) });
  await index.sync();
  for (const [query, path] of QUERIES) {
    const { hits } = await index.search(query, { budget: 200 });
    assert.equal(hits[0]?.path, path, query);
  }
  await index.dispose();
});
