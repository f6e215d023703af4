/** @jsxImportSource preact */
/** What a reader can take along: the result, code that makes it, a link. */

import { writeAddress } from "../app/address.ts";
import { ask } from "../app/ask.ts";
import { currentAddress } from "../app/history.ts";
import { copyText, nameFor, save } from "../app/save.ts";
import { failure, opened } from "../app/state.ts";
import type { Failed } from "../talk.ts";
import type { OpenedConversation, Ran } from "../worker/questions.ts";
import { codeOf, testOf } from "./code.ts";
import { pictureOf } from "./picture.ts";
import { sentInWords, wholeInWords } from "./sentence.ts";

export function ShareItems({ run, open }: { run: Ran; open: OpenedConversation }) {
  const name = opened.value?.name ?? "conversation";
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open");
  const make = async (event: Event, act: () => Promise<void>) => {
    close(event);
    try {
      await act();
    } catch (error) {
      // A user who closes the dialog of the system wants nothing.
      if (error instanceof DOMException && error.name === "AbortError") return;
      failure.value = error instanceof Error ? { code: "unexpected", message: error.message } : (error as Failed);
    }
  };
  const result = async () => save(nameFor(name, `-${run.budget}.json`), await ask("result", { run: run.run }));
  const page = async () => {
    const asked = { run: run.run, headline: wholeInWords(), sentence: sentInWords() };
    const html = await ask("page", asked);
    save(nameFor(name, `-${run.budget}.html`), new Blob([html], { type: "text/html" }));
  };
  const picture = async () => save(nameFor(name, `-${run.budget}.png`), await pictureOf(run));
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
        <button type="button" id="save-result" onClick={(event) => void make(event, result)}>
          Save the fitted messages
        </button>
      </li>
      <li>
        <button type="button" id="save-page" onClick={(event) => void make(event, page)}>
          Save as one HTML file
        </button>
      </li>
      <li>
        <button type="button" id="save-picture" onClick={(event) => void make(event, picture)}>
          Save picture
        </button>
      </li>
      {"share" in navigator && (
        <li>
          <button type="button" id="share-system" onClick={(event) => void make(event, () => shareOut(run, name))}>
            Share …
          </button>
        </li>
      )}
    </ul>
  );
}

/** Gives the picture with its sentence to the system's dialog; a link only if others can open it. */
async function shareOut(run: Ran, name: string): Promise<void> {
  const picture = new File([await pictureOf(run)], nameFor(name, ".png"), { type: "image/png" });
  const from = opened.value?.from;
  const base = {
    title: name,
    text: `${wholeInWords()} ${sentInWords()}`,
    ...(from && !("file" in from) && { url: location.href }),
  };
  const whole = { ...base, files: [picture] };
  await navigator.share(navigator.canShare?.(whole) ? whole : base);
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
