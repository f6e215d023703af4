/** What people see, in every theme, wide and narrow. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/lib.mjs";
import { shots } from "./view.mjs";
import { findingsOf, smallTargets } from "../../www/axe.mjs";

const THEMES = ["Light Modern", "Dark Modern", "Default High Contrast", "Default High Contrast Light"];
const WIDTHS = [1280, 400];
const story = (length) => [{ text: `It began. ${"The fox crossed the river. ".repeat(length)}` }];

/**
 * Copies a webview, with the colours that VS Code gave it, into a page of its own: axe ends the window in a webview.
 */
async function copyOf(frame, page) {
  const html = await frame.content();
  const copy = await page.context().newPage();
  await copy.setContent(
    html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>|<link [^>]*>|<script[^]*?<\/script>/g, ""),
  );
  const style = readFileSync(join(root, "examples", "vscode-extension", "media", "sent.css"), "utf8");
  await copy.addStyleTag({ content: `${style} html { background: var(--vscode-editor-background); }` });
  return copy;
}

const themeOf = (frame) => frame.evaluate(() => document.body.dataset.vscodeThemeId);

export const looks = {
  "the page is readable in every theme, wide and narrow": async ({ view, model, page, assert }) => {
    model.answer = () => story(60);
    for (let turn = 1; turn <= 4; turn += 1) await view.ask(`@days story ${turn}`);
    await view.ask("@days /pin The password is swordfish.");
    await view.ask("@days /compact the fox");
    model.answer = ({ messages }) =>
      messages.at(-1).text.includes("[result") ? story(2) : [{ call: "espalier_look", input: { path: "a.ts" } }];
    await view.ask("@days what is in #look ?");
    await view.ask("@days /context ");
    await view.command("Espalier: Show What Is Sent");
    const frame = await view.webview(/What was sent to Fake four/);
    const meter = page.locator('.statusbar-item[id="espalier.espalier-example.espalier.meter"]');
    for (const theme of THEMES) {
      await view.settings({ "workbench.colorTheme": theme });
      for (let tries = 0; (await themeOf(frame)) !== theme; tries += 1) {
        assert.ok(tries < 100, `the page has the theme ${await themeOf(frame)}`);
        await page.waitForTimeout(100);
      }
      await meter.hover();
      await page.locator(".monaco-hover", { hasText: "Click to see what is sent" }).waitFor();
      await view.shot(`look ${theme}`);
      const copy = await copyOf(frame, page);
      for (const width of WIDTHS) {
        await copy.setViewportSize({ width, height: 900 });
        await copy.screenshot({ path: join(shots, `look ${theme}, ${width}.png`), fullPage: true });
        const where = `${theme}, ${width} pixels`;
        assert.deepEqual(await findingsOf(copy), [], where);
        assert.deepEqual(await smallTargets(copy), [], where);
        const excess = await copy.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.equal(excess, 0, `pixels that stick out: ${where}`);
      }
      await copy.close();
    }
    await view.settings({});
    await view.command("View: Close All Editors");
  },
};
