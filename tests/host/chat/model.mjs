/** The test's end of the model: records every request, and answers as the case says. */

import { SECTIONS } from "../../server/behaviours.mjs";

const SUMMARY = `<summary>\n${SECTIONS.map((head) => `## ${head}\nStories are being told.\n`).join("")}</summary>`;

export class Model {
  /** Requests for answers, oldest first; each with its `messages` and `tools`. */
  asked = [];
  /** Requests for summaries. */
  summaries = [];
  cancelled = 0;
  /** How often the model was there again after it had vanished. */
  returned = 0;

  constructor() {
    this.reset();
  }

  /** Forgets what was asked, and answers "Yes." again. */
  reset() {
    this.asked.length = this.summaries.length = this.cancelled = this.returned = 0;
    this.answer = () => [{ text: "Yes." }];
    this.summary = () => [{ text: SUMMARY }];
  }

  get last() {
    return this.asked.at(-1);
  }

  /** Handles the posts of the extension; returns false for other requests. */
  serve(request, response) {
    if (request.method !== "POST") return false;
    let body = "";
    request
      .setEncoding("utf8")
      .on("data", (text) => (body += text))
      .on("end", () => {
        let steps = "";
        if (request.url === "/cancelled") this.cancelled += 1;
        if (request.url === "/returned") this.returned += 1;
        if (request.url === "/asked") steps = JSON.stringify(this.#steps(JSON.parse(body)));
        response.writeHead(200, { "access-control-allow-origin": "*" }).end(steps);
      });
    return true;
  }

  #steps(asked) {
    // What people type in these tests does not speak of summaries and records.
    const isSummary = /summar|write the record/i.test(asked.messages.at(-1).text);
    (isSummary ? this.summaries : this.asked).push(asked);
    return isSummary ? this.summary(asked) : this.answer(asked);
  }
}
