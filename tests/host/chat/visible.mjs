/** What people can see of a conversation: progress, what is sent, the meter, /context, pins, exports. */

const texts = ({ messages }) => messages.map(({ text }) => text);
const story = (length) => [{ text: `It began. ${"The fox crossed the river. ".repeat(length)}` }];

/** Talks until a compaction is shown. */
async function talk(view, model) {
  model.answer = () => story(60);
  for (let turn = 1; turn < 15; turn += 1) {
    if (/Conversation compacted/.test(await view.ask(`@days story ${turn}`))) return;
  }
  throw new Error("nothing was compacted");
}

export const visible = {
  'a compaction: "Compacting conversation", its result, and what is sent': async ({ view, model, page, assert }) => {
    model.answer = () => story(60);
    for (let turn = 1; turn <= 5; turn += 1) await view.ask(`@days story ${turn}`);
    const summary = model.summary();
    model.summary = () => [{ waitMs: 2_500 }, ...summary];
    model.answer = () => story(2);
    await view.type("@days /compact the fox");
    await page.getByText("Compacting conversation").last().waitFor();
    await view.shot("compacting");
    await view.answered(6);
    assert.match(await view.last(), /Conversation compacted: [\d,]+ tokens are now [\d,]+/);
    await view.shot("compacted");
    await (await view.newest()).getByRole("button", { name: "Show what is sent" }).click();
    await view.webview(/What the next request sends to Fake four/);
    await view.ask("@days and then?");
    const frame = await view.webview(/What was sent to Fake four/);
    assert.equal(await frame.locator("main > details:not(.change)").count(), model.last.messages.length);
    const first = frame.locator("main > details").first();
    assert.match(await first.innerText(), /summary/);
    await view.shot("sent");
    // By keyboard alone.
    await first.locator("summary").focus();
    await page.keyboard.press("Enter");
    assert.match(await first.locator("pre").innerText(), /Continuation Plan/);
    assert.equal(await first.locator("pre").innerText(), model.last.messages[0].text.trim());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(await frame.evaluate(() => document.activeElement.tagName), "SUMMARY");
    const replaced = frame.locator("main > details", { hasText: "You asked for it." });
    await replaced.locator("summary").first().click();
    assert.match(await replaced.innerText(), /The model wrote the summary/);
    assert.match(await replaced.innerText(), /story 1/);
    await view.shot("sent-open");
    // The page follows the chat.
    await view.ask("@days what now?");
    const next = await view.webview(/what now\?/);
    assert.equal(await next.locator("main > details:not(.change)").count(), model.last.messages.length);
    await view.command("View: Close All Editors");
  },

  "the meter, /context, and the button that takes a compaction back": async ({ view, model, page, assert }) => {
    await talk(view, model);
    const meter = page.locator('.statusbar-item[id="espalier.espalier-example.espalier.meter"]');
    assert.match(await meter.innerText(), /\d+ %/);
    const shown = await view.ask("@days /context ");
    assert.match(shown, /\d+ % of 4,000 tokens/);
    assert.match(shown, /Summaries\s+[\d,]+/);
    assert.match(shown, /Free/);
    await view.shot("context");
    await view.command("Espalier: Undo Compaction");
    await page
      .locator(".notifications-toasts")
      .getByText(/Undone\./)
      .waitFor();
    await view.shot("undone");
    await page.keyboard.press("Escape");
    assert.doesNotMatch(await view.ask("@days /context "), /Summaries/);
  },

  "/pin keeps words through a compaction; a button unpins": async ({ view, model, page, assert }) => {
    await view.ask("@days hello");
    const shown = await view.ask("@days /pin The password is swordfish.");
    assert.match(shown, /every compaction keeps it word for word/);
    assert.match(shown, /The password is swordfish/);
    await view.shot("pin");
    await talk(view, model);
    assert.ok(
      texts(model.last).some((text) => text.includes("The password is swordfish.")),
      "the pin is sent",
    );
    model.answer = () => [{ text: "The code word is marlin." }];
    await view.ask("@days which code word?");
    assert.match(await view.ask("@days /pin "), /newest question and answer are pinned/);
    await (await view.newest()).getByRole("button", { name: "Unpin 1" }).click();
    await page.locator(".notifications-toasts").getByText("Unpinned.").waitFor();
    await page.keyboard.press("Escape");
  },

  "a tool's result, attachments by #: what the model reads": async ({ view, model, assert }) => {
    model.answer = ({ messages }) =>
      messages.at(-1).text.includes("[result")
        ? [{ text: "I see." }]
        : [{ call: "espalier_look", input: { path: "a.ts" } }];
    const shown = await view.ask("@days what is in #look ?");
    if (model.last.tools.length === 0) return assert.fail("the tool was not offered");
    assert.match(shown, /I see\./);
    const result = model.last.messages.at(-1).text;
    assert.match(result, /contents of a\.ts/);
    assert.ok(result.length < 6_000, `a long result is cut to a part of the window: ${result.length} characters`);
  },

  "the transcript: also what a summary replaced, to look things up in": async ({ view, model, page }) => {
    await talk(view, model);
    await view.command("Espalier: Open Transcript");
    await page.locator(".tab", { hasText: "transcript.md" }).waitFor();
    await page.locator(".editor-instance .view-lines").getByText("story 1").first().waitFor();
    await view.shot("transcript");
    await view.command("View: Close All Editors");
  },
};
