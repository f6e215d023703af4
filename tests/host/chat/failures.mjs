/** Models that fail, vanish, stream forever, count wrongly; requests that are cancelled. */

const texts = ({ messages }) => messages.map(({ text }) => text);

export const failures = {
  "a failed request says why, and Retry sends it once": async ({ view, model, assert }) => {
    await view.ask("@days one");
    model.answer = () => [{ error: "no quota", code: "Blocked" }];
    const shown = await view.ask("@days two");
    assert.match(shown, /Fake four does not take this request/);
    await view.shot("failed");
    model.answer = () => [{ text: "Now." }];
    await view.retry();
    await view.answered(2);
    assert.deepEqual(texts(model.last), ["one", "Yes.", "two"]);
  },

  "a failed request typed again is sent once; another question knows of it": async ({ view, model, assert }) => {
    await view.ask("@days one");
    model.answer = () => [{ error: "no quota", code: "Blocked" }];
    await view.ask("@days two");
    await view.ask("@days two");
    model.answer = () => [{ text: "Now." }];
    await view.ask("@days two");
    assert.deepEqual(texts(model.last), ["one", "Yes.", "two"]);
    model.answer = () => [{ error: "no quota", code: "Blocked" }];
    await view.ask("@days three");
    model.answer = () => [{ text: "Now." }];
    await view.ask("@days four");
    assert.equal(texts(model.last).filter((text) => text.includes("three")).length, 1);
    assert.match(texts(model.last).at(-1), /four$/);
  },

  "a cancelled answer: what was said of it stays, once": async ({ view, model, assert }) => {
    model.answer = () => [{ text: "Once upon a time" }, { waitMs: 60_000 }, { text: " there was." }];
    await view.type("@days tell me");
    await view.page.getByText("Once upon a time").last().waitFor();
    await view.stop();
    model.answer = () => [{ text: "More." }];
    await view.ask("@days go on");
    assert.deepEqual(texts(model.last), ["tell me", "Once upon a time", "go on"]);
    await view.retry();
    await view.answered(2);
    assert.deepEqual(texts(model.last), ["tell me", "Once upon a time", "go on"]);
  },

  "a model that streams forever is stopped, and can be stopped": async ({ view, model, assert }) => {
    model.answer = () => [{ forever: "la ".repeat(1_000) }];
    assert.match(await view.ask("@days sing"), /The answer was stopped: it is longer than 4,000 tokens/);
    model.answer = () => [{ text: "Sorry." }];
    await view.ask("@days enough");
    assert.ok(texts(model.last).filter((text) => text === "sing").length <= 1, "the question is not doubled");
    assert.equal(texts(model.last).at(-1), "enough");
  },

  "a model that vanishes: the next one continues": async ({ view, model, assert }) => {
    await view.ask("@days one");
    // VS Code collects parts for 30 ms, and drops them if the model fails meanwhile.
    model.answer = () => [{ text: "Well" }, { waitMs: 500 }, { vanish: true }];
    assert.match(await view.ask("@days two"), /not available any more|Something went wrong/);
    await view.until("the model returns", () => model.returned > 0);
    model.answer = () => [{ text: "Here." }];
    await view.ask("@days three");
    assert.deepEqual(texts(model.last), ["one", "Yes.", "two", "Well", "three"]);
  },

  "a model that takes less than it says: the request is made smaller": async ({ view, model, assert }) => {
    model.answer = ({ messages }) => {
      const count = Math.ceil(messages.map(({ text }) => text).join("").length / 4);
      if (count > 1_500)
        return [{ error: `This model's maximum context length is 1500 tokens, you requested ${count} tokens.` }];
      return [{ text: `Story. ${"It was long. ".repeat(120)}` }];
    };
    for (let turn = 1; turn < 7; turn += 1) assert.match(await view.ask(`@days story ${turn}`), /It was long/);
    assert.match(texts(model.last).at(-1), /story 6$/);
    assert.equal(texts(model.last).filter((text) => text === "story 6").length, 1);
  },

  "a model whose window cannot be true: what is known of its family counts": async ({ view, model, assert }) => {
    await view.ask("@days one");
    await view.pickModel("Fake liar");
    try {
      assert.match(await view.ask("@days two"), /Yes\./);
      assert.deepEqual([model.last.model, texts(model.last)], ["liar", ["one", "Yes.", "two"]]);
      assert.match(await view.ask("@days /context "), /% of \d{2,3},\d{3} tokens/);
    } finally {
      await view.pickModel("Fake four");
    }
    await view.ask("@days three");
    assert.equal(model.last.model, "four");
  },
};
