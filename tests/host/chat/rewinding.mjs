/** Retry, edited requests, restored checkpoints, forks, several chats: no prompt is sent twice, none is lost. */

const texts = ({ messages }) => messages.map(({ text }) => text);

/** Answers with the number of the request. */
const counting = (model) => () => [{ text: `Answer ${model.asked.length}.` }];

export const rewinding = {
  "each question is sent once, after all that was said": async ({ view, model, assert }) => {
    model.answer = counting(model);
    assert.match(await view.ask("@days one"), /Answer 1\./);
    assert.match(await view.ask("@days two"), /Answer 2\./);
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "two"]);
  },

  "Retry: the old answer and its question are gone": async ({ view, model, assert }) => {
    model.answer = counting(model);
    await view.ask("@days one");
    await view.ask("@days two");
    await view.retry();
    await view.answered(2);
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "two"]);
    assert.match(await view.last(), /Answer 3\./);
    await view.retry();
    await view.answered(2);
    await view.ask("@days three");
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "two", "Answer 4.", "three"]);
    await view.shot("retry");
  },

  "Retry of the first question": async ({ view, model, assert }) => {
    model.answer = counting(model);
    await view.ask("@days one");
    await view.retry();
    await view.answered(1);
    assert.deepEqual(texts(model.last), ["one"]);
    await view.ask("@days two");
    assert.deepEqual(texts(model.last), ["one", "Answer 2.", "two"]);
  },

  "an edited question replaces all that came after it": async ({ view, model, assert }) => {
    model.answer = counting(model);
    for (const word of ["one", "two", "three"]) await view.ask(`@days ${word}`);
    await view.edit(1, "@days second");
    await view.shot("edited");
    await view.until("it is sent", () => model.asked.length === 4);
    await view.answered(2);
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "second"]);
    await view.ask("@days third");
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "second", "Answer 4.", "third"]);
  },

  "a restored checkpoint rewinds, and what it removed can come back": async ({ view, model, assert }) => {
    model.answer = counting(model);
    for (const word of ["one", "two", "three"]) await view.ask(`@days ${word}`);
    await view.restoreCheckpoint(1);
    assert.equal(await view.requests.count(), 1);
    await view.ask("@days other");
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "other"]);
  },

  "a fork of a chat goes on from its place": async ({ view, model, assert }) => {
    model.answer = counting(model);
    for (const word of ["one", "two", "three"]) await view.ask(`@days ${word}`);
    await view.fork(1);
    await view.ask("@days forked");
    assert.deepEqual(texts(model.last), ["one", "Answer 1.", "forked"]);
  },

  "a new chat begins a new conversation": async ({ view, model, assert }) => {
    model.answer = counting(model);
    await view.ask("@days one");
    await view.newChat();
    await view.ask("@days fresh");
    assert.deepEqual(texts(model.last), ["fresh"]);
  },

  "/new begins a new conversation in the same chat": async ({ view, model, assert }) => {
    model.answer = counting(model);
    await view.ask("@days one");
    assert.match(await view.ask("@days /new "), /A new conversation begins here/);
    await view.ask("@days fresh");
    assert.deepEqual(texts(model.last), ["fresh"]);
    await view.ask("@days more");
    assert.deepEqual(texts(model.last), ["fresh", "Answer 2.", "more"]);
  },
};
