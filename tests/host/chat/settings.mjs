/** Settings, written into VS Code's own file of settings, and what the chat then does. */

const story = (words) => [{ text: `It began. ${"The fox crossed the river. ".repeat(words)}` }];

/** Talks until `isOver`; returns the newest answer. */
async function talk(view, isOver) {
  for (let turn = 1; turn < 20; turn += 1) {
    const shown = await view.ask(`@days story ${turn}`);
    if (isOver(shown)) return shown;
  }
  throw new Error("20 stories were told");
}
const isCompacted = (shown) => /Conversation compacted/.test(shown);

/** Runs work with settings, and restores the default ones. */
const withSettings = (settings, work) => async (parts) => {
  const set = (values) =>
    parts.view.settings(Object.fromEntries(Object.entries(values).map(([name, value]) => [`espalier.${name}`, value])));
  await set(settings);
  try {
    await work({ ...parts, set });
  } finally {
    await set({});
  }
};

/** Returns the tokens before a compaction, as the chat shows them. */
const before = (shown) => Number(/compacted: ([\d,]+) tokens/.exec(shown)[1].replace(",", ""));

export const settings = {
  "compaction off: the request is cut and the chat says so; /compact works; the meter can be hidden": withSettings(
    { "compaction.enabled": false, statusBar: false },
    async ({ view, model, page, assert, set }) => {
      model.answer = () => story(60);
      await talk(view, (shown) => {
        assert.doesNotMatch(shown, /Conversation compacted/);
        return /Not everything fits: \d+ messages? of the conversation had to be left out/.test(shown);
      });
      await view.shot("off");
      assert.equal(model.summaries.length, 0, "summaries that were asked for");
      const meter = page.locator('.statusbar-item[id="espalier.espalier-example.espalier.meter"]');
      assert.equal(await meter.count(), 0, "meters");
      assert.match(await view.ask("@days /compact "), /Conversation compacted/);
      await set({ "compaction.enabled": false });
      await meter.waitFor();
    },
  ),

  'mode "wait": a summary is written when it is needed': withSettings(
    { "compaction.mode": "wait" },
    async ({ view, model, assert }) => {
      model.answer = () => story(60);
      await talk(view, (shown) => {
        assert.equal(
          model.summaries.length > 0,
          isCompacted(shown),
          "a summary is asked for in the answer that needs it",
        );
        return isCompacted(shown);
      });
    },
  ),

  'mode "background": a summary is written beside the chat, before it is needed': withSettings(
    { "compaction.mode": "background" },
    async ({ view, model, assert }) => {
      model.answer = () => story(60);
      let early = 0;
      await talk(view, (shown) => {
        if (model.summaries.length > 0 && !isCompacted(shown)) early += 1;
        return isCompacted(shown);
      });
      assert.ok(early > 0, "answers between the request of the summary and its use");
      assert.equal(model.summaries.length, 1);
    },
  ),

  "a profile sets when and how the conversation is compacted; changed in the middle of a chat": withSettings(
    { "compaction.profile": "gemini-cli" },
    async ({ view, model, page, assert, set }) => {
      model.answer = () => story(60);
      const gemini = before(await talk(view, isCompacted));
      await view.newChat();
      await set({ "compaction.profile": "espalier" });
      const own = before(await talk(view, isCompacted));
      assert.ok(gemini < 0.65 * 4_000, `gemini-cli compacts at half of the window: ${gemini} tokens`);
      assert.ok(own > 0.8 * 4_000, `espalier uses all of it: ${own} tokens`);
      await set({ "compaction.profile": "nonsense", "compaction.mode": "sometimes", "compaction.threshold": "half" });
      assert.match(await view.ask("@days and with this?"), /The fox crossed the river/, "wrong settings are ignored");
      await view.command("Output: Show Output Channels...");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "Espalier" }).first().click();
      await page.locator(".panel .view-lines", { hasText: '"nonsense"' }).waitFor();
      await view.shot("ignored-settings");
      await page.keyboard.press("Control+J");
      await page.locator(".part.panel").waitFor({ state: "hidden" });
    },
  ),
};
