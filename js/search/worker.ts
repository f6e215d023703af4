/** The worker's side: an index whose callbacks are asked of the page. */

import { onAbort } from "../errors/abortable.ts";
import { coded } from "../errors/errors.ts";
import { initSync } from "../engine/engine.ts";
import type { WasmBytes } from "../engine/engine.ts";
import type { EncodingName } from "../types/count.ts";
import { loadEncoding } from "../engine/vocabulary.ts";
import type { Port } from "../tokens/worker-protocol.ts";
import { LocalIndex } from "./local.ts";
import type { FileNote, IndexProgress, IndexWarning, ListedFile, SearchFile } from "./types.ts";
import { crossed } from "./worker-protocol.ts";
import type { CrossedError, Crossing, FromSearchWorker, ToSearchWorker } from "./worker-protocol.ts";

/** Milliseconds between two messages of progress. */
const PROGRESS = 30;
/** On an error: the question whose answer it was. */
const ASK = Symbol("ask");

type Ask = <T>(name: string, args: unknown[], signal?: AbortSignal) => Promise<T>;

/** Answers the messages of `port`. */
export function serve(port: Port, engine: () => WasmBytes): void {
  const send = (message: FromSearchWorker) => port.postMessage(message);
  const asked = new Map<number, { resolve: (value: any) => void; reject: (error: unknown) => void }>();
  const calls = new Map<number, AbortController>();
  let next = 1;
  let opening: Promise<LocalIndex> | undefined;

  const ask = <T>(call: number, name: string, args: unknown[], signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const id = next++;
      const clean = onAbort(signal, () => {
        asked.delete(id);
        send({ type: "drop", id });
        reject(signal?.reason);
      });
      asked.set(id, { resolve: (value) => (clean(), resolve(value)), reject: (error) => (clean(), reject(error)) });
      send({ type: "ask", id, call, name, args });
    });

  const open = async (options: Crossing): Promise<LocalIndex> => {
    initSync(engine());
    const { encoding = "o200k_base", vocabulary } = options;
    await loadEncoding(encoding as EncodingName, vocabulary);
    const index = new LocalIndex(
      proxied(
        options,
        (name, args, signal) => ask(0, name, args, signal),
        (warning) => send({ type: "warning", warning: plain(warning) }),
      ),
    );
    await index.load();
    return index;
  };

  const run = async (
    { id, method, args, options, callbacks }: Extract<ToSearchWorker, { type: "call" }>,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const index = await opening!;
    const own: Ask = (name, values, stop) => ask(id, name, values, stop);
    let last = 0;
    const onProgress = (progress: IndexProgress) => {
      const now = performance.now();
      if (now - last < PROGRESS && progress.done !== progress.total) return;
      last = now;
      send({ type: "progress", id, progress });
    };
    const work = { signal, ...(callbacks.includes("onProgress") && { onProgress }) };
    switch (method) {
      case "sync":
        return index.sync(work);
      case "save":
        return index.save(work);
      case "put":
        return index.put(filesOf(own), work);
      case "refresh":
        return index.refresh(args[0] as string[], work);
      case "remove":
        return index.remove(args[0] as string[]);
      case "state":
        return index.state();
      case "dispose":
        return index.dispose();
      case "search": {
        const asking = Object.fromEntries(
          callbacks.filter((name) => name !== "filter").map((name) => [name, callback(own, name)]),
        );
        const filter = callbacks.includes("filter")
          ? (paths: readonly string[]) => own<boolean[]>("filter", [paths], signal)
          : undefined;
        return index.search(args[0] as string, { ...options, ...asking, signal }, filter);
      }
    }
  };

  const answer = async (id: number, work: () => Promise<unknown>): Promise<void> => {
    try {
      const value = await work();
      send({ type: "done", id, value: stripped(value) });
    } catch (error) {
      const from = (error as { [ASK]?: number } | null)?.[ASK];
      send({ type: "failed", id, error: { ...crossed(error), ...(from !== undefined && { ask: from }) } });
    }
  };

  port.onmessage = ({ data }) => {
    const message = data as ToSearchWorker;
    switch (message.type) {
      case "open":
        opening = open(message.options);
        return void answer(message.id, () => opening!.then(() => undefined));
      case "call": {
        const controller = new AbortController();
        calls.set(message.id, controller);
        return void answer(message.id, () => run(message, controller.signal)).finally(() => calls.delete(message.id));
      }
      case "abort":
        return calls.get(message.id)?.abort();
      case "answer": {
        asked.get(message.id)?.resolve(message.value);
        return void asked.delete(message.id);
      }
      case "refuse": {
        asked.get(message.id)?.reject(Object.assign(rebuilt(message.error), { [ASK]: message.id }));
        return void asked.delete(message.id);
      }
    }
  };
}

/** Returns the options of the index, with callbacks that ask the page. */
function proxied(
  options: Crossing,
  ask: Ask,
  onWarning: (warning: IndexWarning) => void,
): ConstructorParameters<typeof LocalIndex>[0] {
  const { profile, encoding, maxChunkTokens, sliceMs, hasDefinitions, hasStorage, embeddings } = options;
  return {
    profile,
    encoding,
    maxChunkTokens,
    sliceMs,
    onWarning,
    source: {
      list: ({ signal, note }) => listed(ask, note, signal),
      read: (path) => ask("source.read", [path]),
    },
    ...(hasStorage && {
      storage: {
        readBytes: (name) => ask("storage.readBytes", [name]),
        writeBytes: (name, bytes) => ask("storage.writeBytes", [name, bytes]),
        list: (prefix) => ask("storage.list", [prefix]),
        delete: (name) => ask("storage.delete", [name]),
      },
    }),
    ...(hasDefinitions && { definitions: (file) => ask("definitions", [file]) }),
    ...(embeddings && {
      embeddings: { ...embeddings, embed: (texts, { signal, kind }) => ask("embed", [texts, kind], signal) },
    }),
  };
}

async function* listed(
  ask: Ask,
  note: (note: FileNote) => void,
  signal: AbortSignal | undefined,
): AsyncIterable<ListedFile> {
  const list = await ask<number>("source.list", [], signal);
  try {
    for (;;) {
      const { files, notes, isDone } = await ask<{ files: ListedFile[]; notes: FileNote[]; isDone: boolean }>(
        "source.next",
        [list],
        signal,
      );
      notes.forEach(note);
      yield* files;
      if (isDone) return;
    }
  } finally {
    await ask("source.end", [list]);
  }
}

async function* filesOf(ask: Ask): AsyncIterable<SearchFile> {
  for (;;) {
    const { files, isDone } = await ask<{ files: SearchFile[]; isDone: boolean }>("files", []);
    yield* files;
    if (isDone) return;
  }
}

/** Returns a callback of a search. Its last argument may have a signal, which does not cross. */
function callback(ask: Ask, name: string): (...args: unknown[]) => Promise<unknown> {
  return (...args) => {
    const last = args.at(-1);
    if (typeof last !== "object" || last === null || !("signal" in last)) return ask(name, args);
    const { signal, ...rest } = last as { signal?: AbortSignal };
    return ask(name, [...args.slice(0, -1), rest], signal);
  };
}

function rebuilt({ name, message, code, path, details }: CrossedError): Error {
  if (code !== undefined) return coded({ code, message, path, details });
  return Object.assign(new Error(message), { name });
}

/** Causes are objects of the host, which may not cross; the message contains their text. */
function stripped(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { warnings, state } = value as { warnings?: IndexWarning[]; state?: { warnings?: IndexWarning[] } };
  return {
    ...value,
    ...(warnings && { warnings: warnings.map(plain) }),
    ...(state?.warnings && { state: { ...state, warnings: state.warnings.map(plain) } }),
  };
}

function plain({ code, message }: IndexWarning): IndexWarning {
  return { code, message };
}
