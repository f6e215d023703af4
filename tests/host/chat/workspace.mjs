/** What the chat takes from the workspace, and writes into it: attachments, search, exports. */

const texts = ({ messages }) => messages.map(({ text }) => text);

/** VS Code for the web asks the browser where to save files of this workspace; nobody can press its buttons. */
const pickInBrowser = (page, name) =>
  page.evaluate((file) => {
    window.showSaveFilePicker = async () =>
      (await navigator.storage.getDirectory()).getFileHandle(file, { create: true });
  }, name);

/** Exports with a name, and returns the text of the editor that shows the file. */
async function exportAs(name, { view, page }) {
  await pickInBrowser(page, name);
  await view.command("Espalier: Export Conversation");
  const title = page.locator(".quick-input-title", { hasText: "Export Conversation" });
  const dialog = page.locator(".quick-input-widget", { has: title });
  const editor = page.locator(`.monaco-editor[data-uri$="${name}"]`);
  await dialog.or(editor).first().waitFor();
  if (await dialog.isVisible()) {
    const input = dialog.locator("input").first();
    for (let tries = 0; !(await input.inputValue()).endsWith("/conversation.md"); tries += 1) {
      if (tries > 100) throw new Error(`the dialog offers ${await input.inputValue()}`);
      await page.waitForTimeout(100);
    }
    await view.shot("export");
    await input.fill((await input.inputValue()).replace(/[^/]*$/, name));
    await dialog.getByText("OK", { exact: true }).click();
  }
  await editor.waitFor();
  const text = await editor.locator(".view-lines").innerText();
  await view.command("View: Close All Editors");
  return text.replaceAll("\u00a0", " ");
}

async function openFile(name, page) {
  await page.locator(".explorer-viewlet .monaco-list-row", { hasText: "src" }).first().waitFor();
  const row = page.locator(".explorer-viewlet .monaco-list-row", { hasText: name });
  if (!(await row.isVisible())) await page.locator(".explorer-viewlet .monaco-list-row", { hasText: "src" }).click();
  await row.click();
  const editor = page.locator(`.monaco-editor[data-uri$="${name}"]`);
  await editor.waitFor();
  return editor;
}

/** The chip with which the chat offers, or shows as attached, what is in the editor. */
const chipOf = (name, page, kind = "") =>
  page.locator(`.interactive-input-part .chat-attached-context-attachment${kind}`, { hasText: name });

async function attach(name, page) {
  await chipOf(name, page).click();
  await chipOf(name, page, ":not(.implicit)").waitFor();
  // The card about the file, which VS Code shows under the pointer, would cover the input.
  await page.mouse.move(0, 0);
}

export const workspace = {
  "Export Conversation: Markdown to read, and the log": async ({ view, model, page, assert }) => {
    model.answer = () => [{ text: "The fox crossed the river." }];
    for (const word of ["one", "two", "three"]) await view.ask(`@days ${word}`);
    const markdown = await exportAs("talk.md", { view, page });
    assert.match(markdown, /## User \(m0\)\s+one\s+## Assistant \(m1\)\s+The fox crossed the river\./);
    assert.match(markdown, /three/);
    assert.match(await exportAs("talk.jsonl", { view, page }), /^\{"/);
  },

  "attached files, whole or in part, are what the model reads": async ({ view, model, page, assert }) => {
    await openFile("notes.md", page);
    await attach("notes.md", page);
    await view.ask("@days when does it leave?");
    const [attached, question] = texts(model.last);
    assert.match(attached, /^<attachment name="notes\.md">\n# Notes\n\nThe ferry leaves at seven\./);
    assert.equal(question, "when does it leave?");
    const editor = await openFile("cart.ts", page);
    await editor.getByText("return").click();
    await page.keyboard.press("Control+L");
    // What is selected is attached without a click.
    await chipOf("cart.ts", page, ":not(.disabled)").filter({ hasText: ":2-" }).waitFor();
    await view.ask("@days what is this?");
    assert.match(texts(model.last).at(-2), /^<attachment name="src\/cart\.ts:2-\d">\n {2}return items\.length;/);
    await view.shot("attached");
    await view.command("View: Close All Editors");
  },

  "/search answers with what the workspace has": async ({ view, model, assert }) => {
    const shown = await view.ask("@days /search who sends the receipt?");
    assert.match(texts(model.last).join("\n"), /sendReceipt/);
    assert.match(shown, /Yes\./);
    await view.shot("search");
  },

  "Search Workspace: hits while one types, and the chosen one opens": async ({ view, page }) => {
    await view.command("Espalier: Search Workspace");
    const list = page.locator(".quick-input-widget");
    await list.locator("input").first().fill("send the receipt");
    const hit = list.locator(".monaco-list-row", { hasText: "src/mail.ts:1-" });
    await hit.waitFor();
    await view.shot("search-workspace");
    await hit.click();
    const editor = page.locator('.monaco-editor[data-uri$="src/mail.ts"]');
    await editor.getByText("sendReceipt").first().waitFor();
    await view.command("View: Close All Editors");
  },
};
