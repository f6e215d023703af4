/** @jsxImportSource preact */
/** What a reader can take along: the result, code that makes it, a link. */

import { writeAddress } from "../app/address.ts";
import { ask } from "../app/ask.ts";
import { currentAddress } from "../app/history.ts";
import { failure, opened } from "../app/state.ts";
import type { Failed } from "../talk.ts";
import type { OpenedConversation, Ran } from "../worker/questions.ts";
import { codeOf, testOf } from "./code.ts";
import { copyText, saveText } from "./save.ts";

export function ShareItems({ run, open }: { run: Ran; open: OpenedConversation }) {
  const name = opened.value?.name ?? "conversation";
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open");
  const result = async (event: Event) => {
    close(event);
    try {
      saveText(`${name.replace(/\.\w+$/, "")}-${run.budget}.json`, await ask("result", { run: run.run }));
    } catch (error) {
      failure.value = error as Failed;
    }
  };
  return (
    <ul>
      <li>
        <button
          type="button"
          id="copy-link"
          onClick={(event) => (close(event), void copyText(location.href, "the link"))}
        >
          Copy link with settings
        </button>
      </li>
      <li>
        <button type="button" id="copy-words" onClick={(event) => (close(event), void copyLink("words"))}>
          Copy link with all words
        </button>
      </li>
      <li>
        <button type="button" id="copy-shape" onClick={(event) => (close(event), void copyLink("shape"))}>
          Copy link with the shape, without words
        </button>
      </li>
      <li>
        <button
          type="button"
          id="copy-code"
          onClick={(event) => (close(event), void copyText(codeOf(run, open), "the code"))}
        >
          Copy code
        </button>
      </li>
      <li>
        <button
          type="button"
          id="copy-test"
          onClick={(event) => (close(event), void copyText(testOf(run, open), "the test case"))}
        >
          Copy as test case
        </button>
      </li>
      <li>
        <button type="button" id="save-result" onClick={(event) => void result(event)}>
          Save the fitted messages
        </button>
      </li>
    </ul>
  );
}

/** Copies a link that holds the conversation, or its shape, beside the settings. */
async function copyLink(what: "words" | "shape"): Promise<void> {
  try {
    const packed = await ask("link", { what });
    const { example: _, file: __, words: ___, shape: ____, ...settings } = currentAddress();
    const hash = writeAddress({ ...settings, [what]: packed });
    await copyText(
      new URL(hash, location.href).href,
      what === "words" ? "a link with all words" : "a link with the shape",
    );
  } catch (error) {
    failure.value = error as Failed;
  }
}
