/** Accessibility, as axe-core sees it. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Opens all details, and returns what is wrong as `rule: element`, sorted. */
export async function findingsOf(page) {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll("details")) one.open = true;
  });
  // A script that the page's policy would refuse is no obstacle to the debugger.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  // Without the elements that pass, which nobody reads.
  const { violations } = await page.evaluate(
    (tags) => globalThis.axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }),
    TAGS,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`)).sort();
}

/** Returns the visible controls that are smaller than 24 pixels. */
export function smallTargets(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, summary, [role=tab]")]
      .filter((one) => one.checkVisibility() && one.id !== "file")
      .map((one) => [one.id || one.textContent.slice(0, 20), one.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 24 || height < 24)
      .map(([name, { width, height }]) => `${name} ${width}x${height}`),
  );
}

/** Returns the controls that have no name. */
export function namelessControls(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("input, select, button, textarea, progress, [role=textbox], [role=img]")]
      .filter((control) => !(control.labels?.length || control.ariaLabel || control.textContent.trim()))
      .map((control) => control.outerHTML),
  );
}

/** Returns the ids or names that Tab reaches from an element on, in `steps` presses. */
export async function reachedByTab(page, id, steps) {
  await page.focus(`#${id}`);
  const reached = new Set([id]);
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () => document.activeElement.id || document.activeElement.name || document.activeElement.closest("[id]")?.id,
      ),
    );
  }
  return reached;
}
