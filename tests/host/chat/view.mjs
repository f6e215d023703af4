/** The chat view of a VS Code in a page: what a person sees and types. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../../scripts/lib.mjs";
import { SETTINGS } from "./hosts.mjs";

const ROWS = ".interactive-list .monaco-list-row[data-index]";
/** The lines of the input. */
const INPUT_TEXT = ".interactive-session > .interactive-input-part .monaco-editor .view-lines";
const WAIT = 15_000;
export const shots = join(build, "host", "chat-shots");
mkdirSync(shots, { recursive: true });

export class ChatView {
  /** How often settings were written. */
  #written = 0;

  constructor(page) {
    this.page = page;
    this.input = page.locator(".interactive-session > .interactive-input-part .monaco-editor").first();
    this.requests = page.locator(".interactive-request");
    this.responses = page.locator(".interactive-response");
  }

  /** Waits for the window, and opens the view. */
  async show() {
    await this.page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 120_000 });
    for (let tries = 0; !(await this.input.isVisible()); tries += 1) {
      if (tries > 20) throw new Error("the chat view does not open");
      await this.page.keyboard.press("Control+Alt+I");
      await this.page.waitForTimeout(1_000);
    }
  }

  /** Opens the view with an empty session. */
  async open() {
    await this.show();
    // The words turn blue when VS Code knows the participant; before that they would go to Copilot's sign-in.
    await this.input.click();
    await this.page.keyboard.type("@days hello");
    await this.input.locator('[class*="ced-chat-session-text"]', { hasText: "@days" }).waitFor();
    await this.page.waitForTimeout(150);
    // A list of suggestions would take the Enter.
    await this.page.keyboard.press("Escape");
    // VS Code asks for models when the first request is made.
    await this.page.keyboard.press("Enter");
    await this.page.getByText("Fake four").first().waitFor();
    await this.answered(1);
  }

  /** Opens the window again, with the chat that it had. */
  async reload() {
    // VS Code stores chats every 5 s, the web one in the browser, the served one on its disk.
    await this.page.waitForTimeout(5_000);
    await this.page.reload();
    await this.page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 120_000 });
    await this.requests.first().waitFor({ timeout: 60_000 });
  }

  /** Puts right what a failed case left behind: another tab of the browser, pop-ups, settings, editors. */
  async reset() {
    for (const page of this.page.context().pages()) if (page !== this.page) await page.close();
    await this.page.reload();
    await this.show();
    await this.settings({});
    await this.command("View: Close All Editors");
  }

  async command(title) {
    const input = this.page.locator(".quick-input-widget input").first();
    const fill = () => input.fill(`>${title}`, { timeout: 3_000 });
    const isTyped = async () =>
      (await input.isVisible()) &&
      (await fill()
        .then(() => true)
        .catch(() => false));
    // The key is lost while a closing editor or another tab of the browser has the focus, and the list of the last
    // command may be about to close.
    for (let tries = 0; !(await isTyped()); tries += 1) {
      if (tries === 5) throw new Error(`the command "${title}" cannot be typed`);
      await this.page.bringToFront();
      await this.page.keyboard.press("F1");
      await input.waitFor({ timeout: 3_000 }).catch(() => undefined);
    }
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Replaces the user's settings, beside those of the tests, as a person who writes them as JSON. */
  async settings(values) {
    await this.command("Preferences: Open User Settings (JSON)");
    const editor = this.page.locator('.monaco-editor[data-uri$="settings.json"]');
    await editor.click();
    await this.page.keyboard.press("Control+A");
    // As pasted: the editor would close typed brackets.
    const title = `Settings ${(this.#written += 1)}`;
    await this.page.keyboard.insertText(JSON.stringify({ ...SETTINGS, ...values, "window.title": title }));
    await this.page.keyboard.press("Control+S");
    await this.page.keyboard.press("Escape");
    await editor.waitFor({ state: "detached" });
    // VS Code reads its file of settings a while after it was written; extensions hear of them with the window.
    await this.page.waitForFunction((text) => document.title.includes(text), title);
  }

  /** Picks a model with the picker below the input. */
  async pickModel(name) {
    const { page } = this;
    await page
      .locator(".interactive-input-part")
      .getByText(/^Fake /)
      .first()
      .click();
    await page.locator(".action-widget input").first().fill(name);
    const row = page.locator(".action-widget .monaco-list-row", { hasText: name }).first();
    await row.waitFor();
    await row.click({ force: true });
    await page.locator(".interactive-input-part").getByText(name).first().waitFor();
  }

  async newChat() {
    await this.input.click();
    await this.page.keyboard.press("Control+N");
    await this.page.waitForFunction(() => document.querySelectorAll(".interactive-request").length === 0);
  }

  /** Replaces what is in the input, and sends it. As pasted: VS Code works 20 ms for every key. */
  async type(text) {
    await this.input.click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
    // Right after a reload the chat takes no message yet, and the key is lost; a person presses it again.
    for (let tries = 0; tries < 5; tries += 1) {
      await this.page.keyboard.press("Enter");
      if (await this.isSent(text)) return;
    }
    throw new Error(`VS Code does not send ${JSON.stringify(text)}`);
  }

  /** Returns whether a text has left the input, within 3 s. */
  async isSent(text) {
    const begins = text.replace(/\s/g, "").slice(0, 20);
    const isGone = ([selector, begins]) =>
      !document.querySelector(selector)?.innerText.replace(/\s/g, "").includes(begins);
    return this.page
      .waitForFunction(isGone, [INPUT_TEXT, begins], { timeout: 3_000 })
      .then(() => true)
      .catch(() => false);
  }

  /** Types a message, and returns the text of its answer. */
  async ask(text) {
    const count = await this.count();
    await this.type(text);
    return this.answered(count / 2 + 1);
  }

  /** Waits until the chat has a number of answers and the last is complete; returns its text. */
  async answered(count) {
    await this.page.waitForFunction(
      ([wanted, list]) => {
        const rows = [...document.querySelectorAll(list)];
        const last = rows.toSorted((a, b) => a.dataset.index - b.dataset.index).at(-1);
        const response = last?.querySelector(".interactive-response");
        return Number(last?.dataset.index) + 1 >= wanted && response && !response.matches(".chat-response-loading");
      },
      [2 * count, ROWS],
      { timeout: WAIT },
    );
    return this.last();
  }

  /** Returns the number of requests and answers. The list shows some of them only, but has scrolled to the last. */
  count() {
    return this.page.evaluate(
      (list) => Math.max(-1, ...[...document.querySelectorAll(list)].map(({ dataset }) => Number(dataset.index))) + 1,
      ROWS,
    );
  }

  /** Returns the newest request or answer. The rows of the list are in no order in the document. */
  async newest(of = ".interactive-response") {
    const indices = await this.page
      .locator(`${ROWS}:has(${of})`)
      .evaluateAll((rows) => rows.map(({ dataset }) => Number(dataset.index)));
    return this.page.locator(`.interactive-list .monaco-list-row[data-index="${Math.max(...indices)}"] ${of}`).first();
  }

  /** Waits until something is the case outside of the page. */
  async until(what, holds) {
    for (const start = Date.now(); !(await holds()); await this.page.waitForTimeout(50))
      if (Date.now() - start > WAIT) throw new Error(`waited too long: ${what}`);
  }

  async retry() {
    const answer = await this.newest();
    await answer.hover({ force: true }).catch(() => undefined);
    await this.#press(answer.locator(".codicon-refresh"));
  }

  /** Cancels the running request. */
  async stop() {
    await this.page.locator(".interactive-input-part .codicon-stop-circle").first().click();
    await this.idle();
  }

  idle() {
    return this.page.waitForFunction(() => !document.querySelector(".interactive-response.chat-response-loading"));
  }

  /** Returns the whole text of an open file, by way of the clipboard: the editor draws a part of it only. */
  async copyOf(name) {
    const editor = this.page.locator(`.monaco-editor[data-uri$="${name}"]`);
    await editor.locator(".view-lines").click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Control+C");
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** Replaces the text of a request, counted from 0, or of the newest one, and sends it. */
  async edit(at, text) {
    const request = at === "newest" ? await this.newest(".interactive-request") : this.requests.nth(at);
    await request.locator(".value [tabindex='0']").first().focus();
    await this.page.keyboard.press("Enter");
    const editor = this.page.locator(".chat-edit-input-container .monaco-editor").first();
    await editor.waitFor();
    await editor.click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press("Enter");
  }

  async restoreCheckpoint(at) {
    await this.#press(this.requests.nth(at).getByText("Restore Checkpoint"));
    const confirm = this.page.locator(".monaco-dialog-box button, .monaco-dialog-box .monaco-button").first();
    await confirm.click({ timeout: 2_000 }).catch(() => undefined);
    await this.page.waitForTimeout(500);
  }

  /** Forks the chat before a request. */
  async fork(at) {
    await this.requests.nth(at).hover();
    await this.#press(this.requests.nth(at).getByLabel(/Fork conversation/));
    await this.page.waitForTimeout(1_500);
  }

  /** Returns the document of a webview, by words in it. */
  async webview(words) {
    for (let tries = 0; tries < 60; tries += 1) {
      for (const frame of this.page.frames()) {
        if (
          frame !== this.page.mainFrame() &&
          (await frame
            .getByText(words)
            .count()
            .catch(() => 0)) > 0
        )
          return frame;
      }
      await this.page.waitForTimeout(250);
    }
    throw new Error(`no webview shows ${words}`);
  }

  /**
   * Presses an action that is shown only while the pointer is over its row. A row that is drawn anew hides it again.
   */
  async #press(action, tries = 20) {
    const one = action.first();
    await one.scrollIntoViewIfNeeded().catch(() => undefined);
    try {
      await one.hover({ force: true });
      await one.click({ force: true, timeout: 2_000 });
    } catch (error) {
      // Nothing was pressed then.
      if (tries === 0 || !/not visible|not attached|Timeout/.test(error.message)) throw error;
      await this.page.waitForTimeout(100);
      return this.#press(action, tries - 1);
    }
    await this.page.waitForTimeout(300);
  }

  async last() {
    return (await this.newest()).innerText();
  }

  shot(name) {
    return this.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}
