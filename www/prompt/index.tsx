/** @jsxImportSource preact */
/** A prompt as a tree: typed as TSX and rendered as one types, or a trace that was made elsewhere. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { readAddress, writeAddress } from "../app/address.ts";
import { currentAddress } from "../app/history.ts";
import { isOpen } from "../app/opening.ts";
import { autoBudget, budget, encoding, failure, keys, opened, params, say, setParam, shown } from "../app/state.ts";
import type { PageCut, PageData } from "../../js/prompt/html-tracer-data.ts";
import type { RenderFormat } from "../../js/prompt/output/request.ts";
import { isUnreachable } from "../talk.ts";
import type { Failed } from "../talk.ts";
import { Editor, goToLine } from "./editor.tsx";
import { Epochs, toldBy } from "./epochs.tsx";
import { cutFor, treeOf } from "./model.ts";
import type { Tree } from "./model.ts";
import { number } from "./number.ts";
import type { Whole } from "./questions.ts";
import { readPrompt } from "./read-trace.ts";
import type { Read } from "./read-trace.ts";
import { askPrompt, isStale, run } from "./runner.ts";
import { MAX_SHARED, pack, unpack } from "./share-code.ts";
import { KEYS, TraceView } from "./trace-view.tsx";

const CODE = "prompt.code";
const FORMAT = "prompt.format";
const BACKFILL = "prompt.backfill";
const ROOM = "prompt.room";
/** The default budget that elements receive, in tokens. */
const DEFAULT_ROOM = 8_000;
/** Milliseconds without a key after which typed code runs. */
const TYPED = 350;
/** Where code and tree are side by side. On narrower pages the tree is first, and the code opens on demand. */
const WIDE = "(min-width: 62rem)";
/** The share of a prompt that the first budget leaves. */
const FIRST_SHARE = 0.6;

const FORMATS: readonly (readonly [RenderFormat, string])[] = [
  ["openai-chat", "OpenAI chat"],
  ["anthropic", "Anthropic"],
  ["gemini", "Gemini"],
];

export default function PromptView() {
  useEffect(() => {
    keys.value = KEYS;
    return () => (keys.value = []);
  }, []);
  const thing = opened.value;
  const [read, setRead] = useState<{ id: number; of: Read }>();
  useEffect(() => {
    if (thing?.kind !== "prompt") return;
    let isCurrent = true;
    shown.value = thing.name;
    thing.file
      .text()
      .then(readPrompt)
      .then((of) => isCurrent && setRead({ id: thing.id, of }))
      .catch((error: Failed) => {
        if (isCurrent) failure.value = { code: error.code ?? "unreadable", message: error.message };
      });
    return () => (isCurrent = false);
  }, [thing?.id]);
  // Now, before the address follows what was opened.
  const isLinked = useMemo(() => isOpen(readAddress(location.hash)), [thing?.id]);
  if (thing?.kind !== "prompt") return null;
  if (!read) return <p class="waiting">Reading {thing.name} …</p>;
  return read.of.kind === "trace" ? (
    <Fixed key={read.id} data={read.of.data} given={thing.budget} />
  ) : (
    <Typed
      key={read.id}
      original={read.of.code}
      isJSON={read.of.kind === "json"}
      given={thing.budget}
      isLinked={isLinked}
    />
  );
}

/** A trace: what was worked out when it was made. */
function Fixed({ data, given }: { data: PageData; given: number | undefined }) {
  const { nodes, cuts, whole, epochs } = data;
  const base = useMemo(() => treeOf(nodes), [data]);
  const first = cuts.find((cut) => cut.budget === data.budget) ?? cuts[0]!;
  useEffect(() => {
    budget.value = cutFor(cuts, given ?? first.budget).budget;
  }, [data]);
  const cut = cuts.length === 1 ? first : cutFor(cuts, budget.value);
  const tree = useMemo(() => (cut.nodes ? treeOf(cut.nodes) : base), [cut.nodes]);
  const told = useMemo(() => toldBy(epochs), [data]);
  const wholeSizes = useMemo(
    () => cuts.find(({ removed, error, nodes: own }) => removed === 0 && error === undefined && !own)?.sizes,
    [data],
  );
  return (
    <TraceView
      {...{ tree, cut, whole, wholeSizes, told, say }}
      budget={cut.budget}
      asRendered={cuts.length > 1 ? data.budget : undefined}
      budgets={cuts.map((one) => one.budget)}
      onBudget={cuts.length > 1 ? (to) => (budget.value = cutFor(cuts, to).budget) : undefined}
    >
      <Epochs epochs={epochs} tree={base} />
    </TraceView>
  );
}

interface Ran {
  whole: Whole;
  tree: Tree;
  /** Counts runs: answers about an earlier one are not drawn. */
  run: number;
}

interface TypedProps {
  original: string;
  isJSON: boolean;
  /** The budget that came with it. */
  given: number | undefined;
  /** True if the address is of this prompt, and with it the code in the address. */
  isLinked: boolean;
}

function Typed({ original, isJSON, given, isLinked }: TypedProps) {
  const [code, setCode] = useState<string>();
  const [error, setError] = useState<Failed>();
  const [ran, setRan] = useState<Ran>();
  const [cut, setCut] = useState<PageCut>();
  const [isBusy, setBusy] = useState(true);
  const [isOpen, setOpen] = useState(() => matchMedia(WIDE).matches);
  const runs = useRef(0);
  const drawn = useRef(0);
  /** The code in the address as this view knows it. */
  const packed = useRef<string>(undefined);
  const isFirst = useRef(true);
  /** The code that is shown: packing is slow, and an older code must not replace a newer one in the address. */
  const newest = useRef(code);
  newest.current = code;
  const format = (params.value[FORMAT] ?? "openai-chat") as RenderFormat;
  const backfill = params.value[BACKFILL] === "1";
  const room = Math.max(1, Number(params.value[ROOM]) || DEFAULT_ROOM);

  // The address has the code: a link, Back and a reload bring it back.
  const inAddress = params.value[CODE];
  useEffect(() => {
    if (code !== undefined && inAddress === packed.current) return;
    // Code that belongs to what was open before is no code of this prompt.
    if (code === undefined && inAddress !== undefined && !isLinked) return setParam(CODE, undefined);
    packed.current = inAddress;
    if (inAddress === undefined) return setCode(original);
    void unpack(inAddress).then((text) => {
      if (text === undefined) {
        const message =
          "The code in this link is not whole: it was cut short on the way. The example is shown instead.";
        failure.value = { code: "bad_link", message };
        setParam(CODE, undefined);
      } else setCode(text);
    });
  }, [inAddress]);

  function type(text: string): void {
    setCode(text);
  }

  // Typed code runs after a rest, and then goes into the address.
  useEffect(() => {
    if (code === undefined) return;
    const timer = setTimeout(
      () => {
        void render(code);
        if (code === original) {
          packed.current = undefined;
          setParam(CODE, undefined);
        } else if (code.length <= MAX_SHARED)
          void pack(code).then((text) => {
            if (newest.current !== code) return;
            packed.current = text;
            setParam(CODE, text);
          });
      },
      isFirst.current ? 0 : TYPED,
    );
    return () => clearTimeout(timer);
  }, [code, format, backfill, room, encoding.value]);

  async function render(text: string): Promise<void> {
    const mine = ++runs.current;
    setBusy(true);
    try {
      const whole = await run({ code: text, isJSON, format, backfill, room }, encoding.value);
      if (mine !== runs.current) return;
      const wasFirst = isFirst.current;
      isFirst.current = false;
      if (wasFirst && given === undefined) autoBudget.value = budget.value = Math.round(whole.tokens * FIRST_SHARE);
      const next = await askPrompt("cut", { budget: budget.value }, encoding.value);
      if (mine !== runs.current) return;
      setError(undefined);
      setRan({ whole, tree: treeOf(next.nodes ?? whole.nodes), run: mine });
      setCut(next);
      drawn.current = ++asked.current;
    } catch (failed) {
      if (mine !== runs.current || isStale(failed as Failed)) return;
      isFirst.current = false;
      if (isUnreachable((failed as Failed).code)) {
        failure.value = failed as Failed;
        return;
      }
      setError(failed as Failed);
      say((failed as Failed).message);
    } finally {
      if (mine === runs.current) setBusy(false);
    }
  }

  // Another budget cuts the same prompt: every answer that is newer than the drawn one is drawn.
  const asked = useRef(0);
  const wanted = budget.value;
  useEffect(() => {
    if (!ran || cut?.budget === wanted) return;
    const mine = ++asked.current;
    askPrompt("cut", { budget: wanted }, encoding.value)
      .then((next) => {
        if (mine < drawn.current || ran.run !== runs.current) return;
        drawn.current = mine;
        if (next.nodes) setRan({ ...ran, tree: treeOf(next.nodes) });
        else if (ran.tree.nodes !== ran.whole.nodes) setRan({ ...ran, tree: treeOf(ran.whole.nodes) });
        setCut(next);
      })
      .catch((failed: Failed) => !isStale(failed) && setError(failed));
  }, [wanted, ran]);

  const line = Number(/^(\d+):/.exec(error?.path ?? "")?.[1]) || undefined;
  const told = useMemo(() => toldBy(ran?.whole.epochs ?? []), [ran?.whole]);
  if (code === undefined) return <p class="waiting">Reading the code …</p>;
  return (
    <div class={isOpen ? "typed" : "typed closed"}>
      <section class="code" aria-labelledby="code-title">
        <div class="head">
          <h2 id="code-title">
            <button type="button" id="toggle-code" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isJSON ? "Tree as JSON" : "Code"} {isOpen ? "▾" : "▸"}
            </button>
          </h2>
          <span class="busy" aria-hidden="true">
            {isBusy ? "rendering …" : ""}
          </span>
          {code !== original && (
            <button type="button" id="restart" onClick={() => type(original)}>
              Start over
            </button>
          )}
        </div>
        {isOpen && <Editor code={code} onCode={type} badLine={line} describedBy="code-error" />}
        <div id="code-error" role="alert">
          {error && (
            <p class="wrong">
              {error.message}{" "}
              {line !== undefined && (
                <button
                  type="button"
                  id="go"
                  onClick={() => {
                    setOpen(true);
                    setTimeout(() => goToLine(line));
                  }}
                >
                  Go to line {line}
                </button>
              )}
              {ran && <span> The tree is still that of the last code that ran.</span>}
            </p>
          )}
        </div>
        {isOpen && (
          <Settings {...{ code, format, backfill, room, isJSON }} isReady={ran !== undefined && error === undefined} />
        )}
      </section>
      <div class={error ? "result stale" : "result"}>
        {ran && cut ? (
          <TraceView
            tree={ran.tree}
            cut={cut}
            whole={ran.whole.tokens}
            wholeSizes={ran.whole.sizes}
            budget={wanted}
            onBudget={(to) => (budget.value = to)}
            told={told}
            say={say}
          >
            <Request budget={wanted} cut={cut} />
            <Epochs epochs={ran.whole.epochs} tree={ran.tree} />
          </TraceView>
        ) : (
          <p class="waiting">{error ? "The tree appears as soon as the code runs." : "Rendering …"}</p>
        )}
      </div>
    </div>
  );
}

interface SettingsProps {
  code: string;
  format: RenderFormat;
  backfill: boolean;
  room: number;
  isJSON: boolean;
  /** True if there is a prompt to save. */
  isReady: boolean;
}

function Settings({ code, format, backfill, room, isJSON, isReady }: SettingsProps) {
  const [done, setDone] = useState("");
  const finish = (text: string) => {
    setDone(text);
    say(text);
  };

  async function copyLink(): Promise<void> {
    if (code.length > MAX_SHARED)
      return finish(`A link takes up to ${number(MAX_SHARED)} characters of code. Save the page instead.`);
    const address = currentAddress();
    // The code is in the link, whatever file it came from.
    const { file: _, ...others } = address;
    const from = "example" in others && others.example ? {} : { example: "build" };
    const hash = writeAddress({
      ...others,
      ...from,
      view: "prompt",
      params: { ...address.params, [CODE]: await pack(code) },
    });
    await navigator.clipboard.writeText(new URL(hash, location.href).href);
    finish("Copied a link with the code in it.");
  }

  async function save(): Promise<void> {
    const { text } = await askPrompt("page", {}, encoding.value);
    const url = URL.createObjectURL(new Blob([text], { type: "text/html" }));
    Object.assign(document.createElement("a"), { href: url, download: "prompt-trace.html" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    finish("Saved the prompt as one HTML file, as HTMLTracer makes it.");
  }

  async function copyTrace(): Promise<void> {
    const { text } = await askPrompt("trace", { budget: budget.value }, encoding.value);
    await navigator.clipboard.writeText(text);
    finish("Copied the trace as JSON. It can be pasted here.");
  }

  const attempt = (work: () => Promise<void>) => () => void work().catch(({ message }: Error) => finish(message));
  return (
    <div class="settings">
      <label>
        Form{" "}
        <select id="format" value={format} onChange={({ currentTarget }) => setParam(FORMAT, currentTarget.value)}>
          {FORMATS.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label title="Elements see this budget while they are rendered. Afterwards the same tree is cut to any budget.">
        Rendered for{" "}
        <input
          id="room"
          type="number"
          min={1}
          step={1}
          value={room}
          onChange={({ currentTarget }) => setParam(ROOM, currentTarget.value === "" ? undefined : currentTarget.value)}
        />{" "}
        tokens
      </label>
      <label class="check">
        <input
          id="backfill"
          type="checkbox"
          checked={backfill}
          onChange={({ currentTarget }) => setParam(BACKFILL, currentTarget.checked ? "1" : undefined)}
        />{" "}
        Put back what still fits
      </label>
      <div class="actions">
        {!isJSON && (
          <button type="button" id="link" onClick={attempt(copyLink)}>
            Copy link
          </button>
        )}
        <button type="button" id="copy-trace" disabled={!isReady} onClick={attempt(copyTrace)}>
          Copy trace
        </button>
        <button type="button" id="save" disabled={!isReady} onClick={attempt(save)}>
          Save as HTML
        </button>
        <span class="done">{done}</span>
      </div>
    </div>
  );
}

/** What is sent, asked for when it is opened. */
function Request({ budget: tokens, cut }: { budget: number; cut: PageCut }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    askPrompt("request", { budget: tokens }, encoding.value).then(
      (answer) => isCurrent && setText(answer.text),
      ({ message }: Failed) => isCurrent && setText(message),
    );
    return () => (isCurrent = false);
  }, [isOpen, cut]);
  return (
    <details class="request" id="request" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What is sent</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, also by keyboard. */}
      <pre id="request-text" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
