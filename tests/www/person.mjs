/** A person at the page: whatever is done is done through here, and counted. Reading is no action. */

import { drop } from "./conversation.mjs";

export function person(page) {
  const done = [];
  const counted =
    (name, act) =>
    async (...args) => {
      done.push(`${name} ${typeof args[0] === "string" ? args[0] : ""}`.trim());
      return act(...args);
    };
  return {
    /** What was done, in order. */
    done,
    /** Opens the page, or opens it again. */
    visit: counted("visit", (url) => page.goto(url)),
    reload: counted("reload", () => page.reload()),
    drop: counted("drop", (name, content) => drop(page, name, content)),
    click: counted("click", (selector) => page.click(selector)),
    press: counted("press", (key) => page.keyboard.press(key)),
    /** Touches a button that opens the browser's dialog, and returns the dialog. */
    tapFor: counted("tap", async (selector) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.tap(selector)]);
      return chooser;
    }),
    choose: counted("choose", (chooser, path) => chooser.setFiles(path)),
    /** Touches a slider at a share of its width. */
    slide: counted("slide", async (selector, share) => {
      const { x, y, width, height } = await page.locator(selector).boundingBox();
      await page.touchscreen.tap(x + share * width, y + height / 2);
    }),
  };
}

/** Waits until a text that matches can be read without scrolling, and returns it. */
export async function read(page, selector, pattern) {
  const found = await page.waitForFunction(
    ([selector, source]) => {
      for (const one of document.querySelectorAll(selector)) {
        const { top, bottom, left, right } = one.getBoundingClientRect();
        const isSeen = one.checkVisibility() && top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
        const text = one.innerText.replace(/\s+/g, " ");
        if (isSeen && bottom <= innerHeight + 1 && new RegExp(source).test(text)) return text;
      }
      return undefined;
    },
    [selector, pattern.source],
    { timeout: 20_000 },
  );
  return found.jsonValue();
}
