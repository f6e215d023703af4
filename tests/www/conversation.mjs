/** What a person reads in the view of conversations, for its tests. */

import assert from "node:assert/strict";

const numeral = (text) => Number(text.replace(/,/g, ""));

/** Returns the figures of the headline and the line below it. */
export async function figures(page) {
  const [headline, line] = await Promise.all([page.textContent("#headline"), page.textContent("#sent-line")]);
  const [, messages, total, budget] = /^([\d,]+) messages?, ([\d,]+) tokens?; ([\d,]+) fit\./.exec(headline) ?? [];
  const [, sent, out] = /^([\d,]+) are sent, ([\d,]+) messages? /.exec(line) ?? [];
  assert.ok(out, `${headline} | ${line}`);
  return {
    messages: numeral(messages),
    total: numeral(total),
    budget: numeral(budget),
    sent: numeral(sent),
    out: numeral(out),
  };
}

/** Waits until the shown result is of this budget. */
export function fitted(page, budget) {
  return page.waitForFunction(
    (text) => document.getElementById("headline")?.textContent.includes(`; ${text} fit.`),
    budget.toLocaleString("en"),
  );
}

/** Waits until a conversation with this number of messages is shown. */
export function holds(page, messages) {
  return page.waitForFunction(
    (text) => document.getElementById("headline")?.textContent.startsWith(`${text} message`),
    messages.toLocaleString("en"),
    { timeout: 60_000 },
  );
}

export async function setBudget(page, tokens) {
  await page.fill("#tokens", String(tokens));
  await page.press("#tokens", "Tab");
}

/** Opens a tab of the pane. */
export const openTab = (page, name) => page.click(`#tab-${name}`);

export const alerted = (page) => page.waitForSelector("#alert");

export const upload = (page, name, content) =>
  page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(content) });

export function drop(page, name, content) {
  return page.evaluate(
    ([name, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      dispatchEvent(new DragEvent("dragover", { dataTransfer, cancelable: true }));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    },
    [name, content],
  );
}

export function paste(page, text) {
  return page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);
}
