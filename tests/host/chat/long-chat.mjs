/**
 * Ten minutes of chat as one case: sixty things that people do and that happen to them, in an order that a seed decides
 * (`SEED=7 node tests/host/chat/run.mjs "ten minutes"`), at a window of 4,000 tokens. After each request, what the
 * model got is compared with what the chat shows.
 */

const ACTIONS = 55;
const FACT = "The password is swordfish.";
const texts = ({ messages }) => messages.map(({ text }) => text);
const sealsOf = ({ messages }) =>
  messages.flatMap(({ text }) => [...text.matchAll(/seal="(\w+)"/g)].map(([, seal]) => seal));
const story = (length) => [{ text: `It began. ${"The fox crossed the river. ".repeat(length)}` }];

/** Returns numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Chat {
  /** The questions that the chat shows, oldest first, and those that an edit removed. */
  shown = [];
  removed = [];
  /** Seals of the summaries that the chat has shown. */
  #seals = new Set();
  /** True if a compaction was shown whose summary has not been sent yet. */
  #isAnnounced = false;
  compactions = 0;
  undone = 0;
  number = 0;
  /** Requests that the model refused as too large. */
  refusals = 0;
  /** True after the first of them: requests may then be cut. */
  isCut = false;

  constructor({ view, model, page, assert, random }) {
    Object.assign(this, { view, model, page, assert, random });
  }

  next() {
    this.number += 1;
    return `Question ${this.number}: how wide is river ${this.number}?`;
  }

  /** Sends a question in some way, and checks what came of it. */
  async send(question, act) {
    const before = this.model.asked.length;
    const answer = await act();
    const requests = this.model.asked.slice(before);
    this.assert.ok(requests.length > 0, `${question} was sent`);
    for (const request of requests) this.#check(question, request);
    if (/Conversation compacted/.test(answer)) this.compactions += 1;
    const seals = requests.flatMap(sealsOf).filter((seal) => !this.#seals.has(seal));
    if (seals.length > 0)
      this.assert.ok(
        this.#isAnnounced || /Conversation compacted/.test(answer),
        `a summary that nobody saw: ${question}`,
      );
    for (const seal of seals) this.#seals.add(seal);
    this.#isAnnounced = false;
    return answer;
  }

  #check(question, request) {
    const { assert, shown, removed } = this;
    const sent = texts(request);
    const end = sent.slice(sent.lastIndexOf(question) + 1);
    assert.ok(sent.includes(question), `the question is sent: ${question}`);
    assert.ok(
      end.every((text) => /^\[(call|result)|^I look\./.test(text)),
      `the newest question is last: ${question}`,
    );
    const own = sent.filter((text) => text.startsWith("Question "));
    assert.deepEqual(own, shown.slice(-own.length), "the newest questions, each once, in the order of the chat");
    const hasSummary = sent.some((text) => text.includes("<conversation-summary"));
    if (hasSummary)
      assert.ok(
        sent.some((text) => text.includes(FACT)),
        `the pin is kept at ${question}`,
      );
    else if (!this.isCut) assert.equal(own.length, shown.length, `nothing is left out without a summary: ${question}`);
    for (const gone of removed) assert.ok(!sent.some((text) => text.includes(gone)), `removed, but sent: ${gone}`);
    // Its words are tokens of five characters at most.
    assert.ok(sent.join("").length <= 5 * 4_000, `it fits: ${question}`);
  }

  async ask(answer = () => story(20 + Math.floor(60 * this.random()))) {
    const question = this.next();
    this.shown.push(question);
    this.model.answer = answer;
    return this.send(question, () => this.view.ask(`@days ${question}`));
  }

  async retry() {
    this.model.answer = () => story(30);
    const count = await this.view.count();
    return this.send(this.shown.at(-1), async () => {
      await this.view.retry();
      return this.view.answered(count / 2);
    });
  }

  async edit() {
    const count = await this.view.count();
    const question = this.next();
    this.removed.push(this.shown.pop());
    this.shown.push(question);
    this.model.answer = () => story(30);
    return this.send(question, async () => {
      const before = this.model.asked.length;
      await this.view.edit("newest", `@days ${question}`);
      await this.view.until("the question is sent", () => this.model.asked.length > before);
      return this.view.answered(count / 2);
    });
  }

  /** The model refuses the question; Retry sends it once more. */
  async fail() {
    this.assert.match(await this.ask(() => [{ error: "no quota", code: "Blocked" }]), /does not take this request/);
    await this.retry();
  }

  async cancel() {
    const question = this.next();
    this.shown.push(question);
    this.model.answer = () => [{ text: `Once ${question.length}` }, { forever: "and then " }];
    const { cancelled } = this.model;
    await this.send(question, async () => {
      await this.view.type(`@days ${question}`);
      await this.page.getByText("and then and then").last().waitFor();
      await this.view.stop();
      return this.view.last();
    });
    await this.view.until("the model is cancelled", () => this.model.cancelled > cancelled);
    this.assert.equal(this.model.cancelled, cancelled + 1, "the model is cancelled");
  }

  async runAway() {
    const shown = await this.ask(() => [{ forever: "la ".repeat(1_000) }]);
    this.assert.match(shown, /The answer was stopped: it is longer than 4,000 tokens/);
    // It would fill the window alone.
    await this.edit();
  }

  async vanish() {
    const { returned } = this.model;
    const shown = await this.ask(() => [{ text: "Well" }, { waitMs: 500 }, { vanish: true }]);
    this.assert.match(shown, /not available any more|Something went wrong/);
    await this.view.until("the model returns", () => this.model.returned > returned);
  }

  /** A model that takes half of what it says. */
  async miscount() {
    this.isCut = true;
    let refused = 0;
    const shown = await this.ask(({ messages }) => {
      const count = Math.ceil(messages.map(({ text }) => text).join("").length / 4);
      if (count <= 2_000) return story(30);
      refused += 1;
      return [{ error: `This model's maximum context length is 2000 tokens, you requested ${count} tokens.` }];
    });
    this.assert.match(shown, /The fox crossed the river/, `answered after ${refused} refusals`);
    this.refusals += refused;
  }

  async look() {
    const shown = await this.ask(({ messages }) =>
      messages.at(-1).text.includes("[result")
        ? story(5)
        : [{ text: "I look." }, { call: "espalier_look", input: { path: "a.ts" } }],
    );
    this.assert.match(shown, /The fox crossed/);
  }

  async compact() {
    const shown = await this.view.ask("@days /compact the rivers");
    this.assert.match(shown, /Conversation compacted|nothing to compact|nothing was changed/i);
    if (!/Conversation compacted/.test(shown)) return;
    this.compactions += 1;
    this.#isAnnounced = true;
  }

  async undo() {
    const shown = await this.view.ask("@days /undo ");
    this.assert.match(shown, /Undone\.|There is no compaction to undo/);
    if (/Undone\./.test(shown)) this.undone += 1;
    return shown;
  }
}

export const longChat = {
  "ten minutes of chat: no question is doubled or lost, every compaction is seen and can be undone": async (parts) => {
    const { view, assert } = parts;
    const random = randomOf(Number(process.env.SEED ?? 1));
    const chat = new Chat({ ...parts, random });
    await chat.ask();
    await view.ask(`@days /pin ${FACT}`);
    // After the kinds: how many of a hundred.
    const kinds = [
      ["ask", 50],
      ["retry", 8],
      ["edit", 8],
      ["fail", 6],
      ["cancel", 6],
      ["runAway", 3],
      ["vanish", 3],
      ["look", 6],
      ["compact", 5],
      ["undo", 5],
    ];
    const done = [];
    for (let at = 0; at < ACTIONS; at += 1) {
      let rest = 100 * random();
      const [kind] = kinds.find(([, share]) => (rest -= share) < 0);
      done.push(kind);
      try {
        await chat[kind]();
      } catch (error) {
        throw new Error(`after ${done.join(", ")}: ${error.stack}`);
      }
    }
    // Last, since the conversation remembers the smaller window.
    for (let turn = 0; chat.refusals === 0 || turn < 4; turn += 1) {
      assert.ok(turn < 10, "the model refuses a request as too large");
      await chat.miscount();
    }
    assert.ok(chat.compactions >= 3, `${chat.compactions} compactions`);
    while (!/no compaction to undo/.test(await chat.undo())) assert.ok(chat.undone <= chat.compactions);
    assert.equal(chat.undone, chat.compactions, "compactions that could be undone, of those that were seen");
    await chat.ask();
    await view.command("Espalier: Open Transcript");
    const transcript = await view.copyOf("transcript.md");
    for (let number = 1; number <= chat.number; number += 1)
      assert.ok(transcript.includes(`Question ${number}: `), `the transcript has question ${number}`);
    console.log(`     ${chat.number} questions, ${chat.compactions} compactions, ${chat.refusals} refusals`);
    await view.command("View: Close All Editors");
  },
};
