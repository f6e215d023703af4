/** @jsxImportSource preact */
/** The reader's own model: where it is, its key, a try. */

import { signal } from "@preact/signals";
import { KINDS } from "./kinds.ts";
import type { Endpoint, EndpointKind } from "./kinds.ts";
import { SaidText } from "./said.tsx";
import { again, askRun, endpoint } from "./store.ts";
import type { Said } from "./types.ts";

/** Where the browser keeps the form, if the reader wants that. */
const STORED = "espalier-endpoint";
/** Seconds. */
const PATIENCE = 60;

const fresh = (kind: EndpointKind): Endpoint => {
  const { address, model } = KINDS[kind];
  return { kind, address, model, key: "", patience: PATIENCE };
};

function stored(): Endpoint | undefined {
  try {
    const text = localStorage.getItem(STORED);
    const given = text ? (JSON.parse(text) as Endpoint) : undefined;
    return given && Object.hasOwn(KINDS, given.kind) ? { ...fresh(given.kind), ...given } : undefined;
  } catch {
    return undefined;
  }
}

const kept = stored();
const draft = signal<Endpoint>(kept ?? fresh("openai"));
const keeps = signal(kept !== undefined);
const trial = signal<{ text: string; ms: number } | { said: Said } | "asking" | undefined>(undefined);

function keep(): void {
  try {
    if (keeps.value) localStorage.setItem(STORED, JSON.stringify(draft.value));
    else localStorage.removeItem(STORED);
  } catch {
    keeps.value = false;
  }
}

const edit = (fields: Partial<Endpoint>) => {
  draft.value = { ...draft.value, ...fields };
  trial.value = undefined;
  // A changed address must not be asked before the reader says so.
  if (keeps.value) keep();
};

async function tryIt(): Promise<void> {
  const asked = draft.value;
  trial.value = "asking";
  const answer = await askRun("tryOut", { endpoint: asked }).catch((error: { message: string }) => ({
    said: { what: error.message },
  }));
  if (draft.value === asked) trial.value = answer;
}

function use(): void {
  const isSame = JSON.stringify(endpoint.value) === JSON.stringify(draft.value);
  endpoint.value = { ...draft.value };
  if (isSame) again();
}

export function ModelForm() {
  const { kind, address, model, key, patience } = draft.value;
  const { needsKey } = KINDS[kind];
  return (
    <form
      class="model"
      id="run-model"
      aria-labelledby="run-model-title"
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <h2 id="run-model-title">A model of mine</h2>
      <div class="fields">
        <label>
          <span>provider</span>
          <select
            id="run-kind"
            value={kind}
            onChange={({ currentTarget }) => edit({ ...fresh(currentTarget.value as EndpointKind), patience })}
          >
            {Object.entries(KINDS).map(([name, { title }]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label class="wide">
          <span>address</span>
          <input
            type="text"
            id="run-address"
            inputMode="url"
            spellcheck={false}
            value={address}
            onInput={({ currentTarget }) => edit({ address: currentTarget.value })}
          />
        </label>
        <label>
          <span>model</span>
          <input
            type="text"
            id="run-name"
            spellcheck={false}
            value={model}
            onInput={({ currentTarget }) => edit({ model: currentTarget.value })}
          />
        </label>
        <label>
          <span>key {!needsKey && <small>if it needs one</small>}</span>
          <input
            type="password"
            id="run-key"
            autoComplete="off"
            value={key}
            onInput={({ currentTarget }) => edit({ key: currentTarget.value })}
          />
        </label>
        <label>
          <span>
            patience <small>s</small>
          </span>
          <input
            type="number"
            id="run-patience"
            min={1}
            max={600}
            value={patience}
            onChange={({ currentTarget }) =>
              edit({ patience: Math.min(600, Math.max(1, Number(currentTarget.value) || PATIENCE)) })
            }
          />
        </label>
      </div>
      <p>
        With a model, this tab sends the conversation's messages to that address, and to no other. The key stays in this
        tab's memory.
      </p>
      <div class="actions">
        <button type="submit" id="run-use">
          Run with it
        </button>
        <button type="button" id="run-try" disabled={trial.value === "asking"} onClick={() => void tryIt()}>
          Try it
        </button>
        <label class="check">
          <input
            type="checkbox"
            id="run-keep"
            checked={keeps.value}
            onChange={({ currentTarget }) => {
              keeps.value = currentTarget.checked;
              keep();
            }}
          />
          keep address and key in this browser
        </label>
      </div>
      <Trial />
    </form>
  );
}

function Trial() {
  const result = trial.value;
  return (
    <div role="status" id="run-trial">
      {result === "asking" && <p>Asking …</p>}
      {result && result !== "asking" && "said" in result && <SaidText said={result.said} />}
      {result && result !== "asking" && "text" in result && (
        <p class="good">
          It answers: “{result.text || "(nothing)"}” after {(result.ms / 1_000).toFixed(1)} s.
        </p>
      )}
    </div>
  );
}
