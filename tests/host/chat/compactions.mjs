/** Compactions as people see them. */

const texts = ({ messages }) => messages.map(({ text }) => text);
const story = (words) => [{ text: `It began. ${"The fox crossed the river. ".repeat(words)}` }];

/** Makes a chat of five long answers and a summary. */
async function compacted({ view, model }) {
  model.answer = () => story(60);
  for (let turn = 1; turn <= 5; turn += 1) await view.ask(`@days story ${turn}`);
  return view.ask("@days /compact the river");
}

export const compactions = {
  "/undo says what the next request needs, and holds if it fits": async ({ view, model, assert }) => {
    assert.match(await compacted({ view, model }), /Conversation compacted/);
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
    await compacted({ view, model });
    const told = async (words) => {
      await (await view.newest()).getByRole("button", { name: "Undo" }).click();
      await page.locator(".notifications-toasts").getByText(words).waitFor();
      await page.keyboard.press("Escape");
    };
    await told(/Undone\. .* It fits, so nothing is compacted until it no longer does\./);
    await told(/This compaction is not in force any more/);
    await view.reload();
    assert.match(await view.ask("@days /context "), /nothing is compacted while everything fits/);
    await view.shot("reloaded");
    await view.ask("@days and now?");
    // A busy machine may reload before VS Code has stored the newest questions of its chat; then they are rewound.
    const stories = texts(model.last).filter((text) => text.startsWith("story "));
    assert.ok(stories.length >= 3, stories.join());
    assert.deepEqual(
      stories,
      stories.map((_, at) => `story ${at + 1}`),
    );
    assert.ok(!texts(model.last).some((text) => text.includes("Continuation Plan")), "no summary is sent");
  },

  "Undo Compaction, of the palette, right after a reload": async ({ view, model, page, assert }) => {
    await compacted({ view, model });
    await view.reload();
    await view.command("Espalier: Undo Compaction");
    const told = page.locator(".notifications-toasts").getByText(/Undone\. .* of 4,000 tokens, .* It fits/);
    assert.match(await told.first().innerText(), /the chat that ends with “\/compact the river”/);
    await view.shot("undone-after-reload");
    await page.keyboard.press("Escape");
    assert.match(await view.ask("@days /context "), /nothing is compacted while everything fits/);
    await view.ask("@days and now?");
    const sent = texts(model.last);
    assert.ok(sent.includes("story 1") && !sent.some((text) => text.includes("Continuation Plan")), sent.join("\n"));
  },
};
