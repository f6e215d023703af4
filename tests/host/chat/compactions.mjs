/** Compactions as people see them. */

const texts = ({ messages }) => messages.map(({ text }) => text);
const story = (words) => [{ text: `It began. ${"The fox crossed the river. ".repeat(words)}` }];
const size = ({ messages }) => messages.reduce((sum, { text }) => sum + text.length, 0);

export const compactions = {
  "a long chat: every compaction is seen, undoable, and no question is lost or doubled": async ({
    view,
    model,
    assert,
  }) => {
    model.answer = () => story(60);
    let seen = 0;
    for (let turn = 1; turn <= 30; turn += 1) {
      const shown = await view.ask(`@days story number ${turn}, please`);
      assert.match(shown, /The fox crossed the river/);
      const sent = texts(model.last);
      assert.equal(sent.at(-1), `story number ${turn}, please`, "the newest question is last");
      const own = sent.filter((text) => /^story number \d+, please$/.test(text));
      assert.equal(new Set(own).size, own.length, "no question is sent twice");
      // A question is sent as it was, or stands in the summary.
      for (let earlier = 1; earlier < turn; earlier += 1)
        assert.ok(
          sent.some((text) => text.includes(`story number ${earlier}, please`)) || turn - earlier > 12,
          `${earlier} of ${turn}`,
        );
      assert.ok(size(model.last) < 4_000 * 6, "it fits");
      if (/Conversation compacted/.test(shown)) seen += 1;
    }
    assert.ok(seen >= 2, `${seen} compactions were seen`);
    for (let undone = 0; undone < seen; undone += 1) assert.match(await view.ask("@days /undo "), /^[^]*Undone\./);
    assert.match(await view.ask("@days /undo "), /There is no compaction to undo/);
  },

  "/undo says what the next request needs, and holds if it fits": async ({ view, model, assert }) => {
    model.answer = () => story(60);
    for (let turn = 1; turn <= 5; turn += 1) await view.ask(`@days story ${turn}`);
    assert.match(await view.ask("@days /compact the river"), /Conversation compacted/);
    await view.ask("@days and then?");
    assert.ok(
      texts(model.last).some((text) => text.includes("Continuation Plan")),
      "the summary is sent",
    );
    assert.match(await view.ask("@days /undo "), /It fits, so nothing is compacted until it no longer does/);
    await view.shot("undo-fits");
    const before = model.summaries.length;
    await view.ask("@days and now?");
    assert.deepEqual(
      texts(model.last).filter((text) => text.startsWith("story ")),
      [1, 2, 3, 4, 5].map((turn) => `story ${turn}`),
    );
    assert.equal(model.summaries.length, before, "no summary is asked for while it is held");
    for (let turn = 0; !/Conversation compacted/.test(await view.last()); turn += 1) {
      assert.ok(turn < 8, "it is compacted when it no longer fits");
      await view.ask(`@days more ${turn}`);
    }
    assert.match(await view.ask("@days /undo "), /needs [\d,]+ tokens more than fit/);
    await view.shot("undo-does-not-fit");
  },

  "the button Undo, once and twice; what it holds is held after a reload": async ({ view, model, page, assert }) => {
    model.answer = () => story(60);
    for (let turn = 1; turn <= 5; turn += 1) await view.ask(`@days story ${turn}`);
    await view.ask("@days /compact the river");
    const told = async (words) => {
      await view.responses.last().getByRole("button", { name: "Undo" }).click();
      await page.locator(".notifications-toasts").getByText(words).waitFor();
      await page.keyboard.press("Escape");
    };
    await told(/Undone\. .* It fits, so nothing is compacted until it no longer does\./);
    await told(/This compaction is not in force any more/);
    await view.reload();
    assert.match(await view.ask("@days /context "), /nothing is compacted while everything fits/);
    await view.shot("reloaded");
    await view.ask("@days and now?");
    assert.deepEqual(
      texts(model.last).filter((text) => text.startsWith("story ")),
      [1, 2, 3, 4, 5].map((turn) => `story ${turn}`),
    );
  },
};
