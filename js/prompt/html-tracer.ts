/**
 * Shows on a page what happened to a prompt: each element's budget and cost, what was pruned, and the effect of other
 * budgets.
 */

import { EspalierError } from "../errors/errors.ts";
import { allCuts, cutAt, PageReader, tokensOf, wholeTree } from "./html-tracer-data.ts";
import { page } from "./html-tracer-page.ts";
import type { PageCut } from "./html-tracer-data.ts";
import type { IElementEpochData, ITraceData, ITraceEpoch, ITraceRenderData, ITracer } from "./tracer.ts";

export interface IHTMLRouter {
  /** The address of the page. */
  address: string;
  /** Answers a request of Node's `http` if it is for the page, and returns whether it was. */
  route(httpIncomingMessage: unknown, httpOutgoingMessage: unknown): boolean;
}

export interface IHTMLServer {
  /** The address of the page. */
  address: string;
  /** Returns the page itself, to be shown elsewhere; it asks the server when the budget is changed. */
  getHTML(): Promise<string>;
  dispose(): void;
}

/**
 * Records a render and shows it.
 *
 * ```tsx
 * import { BuiltinTokenizer, HTMLTracer, OutputMode, PromptElement, PromptRenderer, UserMessage } from "espalier/prompt";
 *
 * class Question extends PromptElement {
 *   render() {
 *     return <UserMessage>Why does this fail?</UserMessage>;
 *   }
 * }
 * const tokenizer = new BuiltinTokenizer({ mode: OutputMode.Raw });
 * const renderer = new PromptRenderer({ modelMaxPromptTokens: 8_000 }, Question, {}, tokenizer);
 * const tracer = (renderer.tracer = new HTMLTracer());
 * await renderer.render();
 * const page = await tracer.html(); // for `iframe.srcdoc`; in Node `await tracer.serveHTML()` serves it
 * page.includes("Why does this fail?"); // => true
 * ```
 */
export class HTMLTracer implements ITracer {
  readonly #epochs: ITraceEpoch[] = [];
  #data: ITraceData | undefined;

  addRenderEpoch(epoch: ITraceEpoch): void {
    this.#epochs.push(epoch);
  }

  includeInEpoch(data: IElementEpochData): void {
    this.#epochs.at(-1)?.elements.push(data);
  }

  didMaterializeTree(data: ITraceData): void {
    this.#data = data;
  }

  /** Returns the page as one self-contained file: what other budgets do is computed in advance. */
  async html(): Promise<string> {
    const data = this.#rendered();
    const whole = await wholeTree(data);
    const reader = new PageReader(whole);
    const cuts = await allCuts(data, reader, whole);
    const { budget } = data;
    const { nodes } = reader;
    const shown = { budget, whole: tokensOf(whole), epochs: this.#epochs, nodes, cuts, server: undefined };
    return page(shown, crypto.randomUUID());
  }

  /** Starts its own server, in Node, which runs until it is disposed. */
  async serveHTML(): Promise<IHTMLServer> {
    const data = this.#rendered();
    const { createServer } = await http();
    const server = createServer((request: Incoming, response: Outgoing) => {
      if (router.route(request, response)) return;
      response.statusCode = 404;
      response.end("Not Found");
    });
    await new Promise<void>((resolve, reject) => {
      // The listener stays: without one, an error of a listening server would end the process.
      server.on("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const router = new Router(data, this.#epochs, `http://127.0.0.1:${server.address().port}`);
    return {
      address: router.address,
      getHTML: () => router.getHTML(),
      dispose() {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  /** Answers requests of a server that the host runs at `url`, such as `http://127.0.0.1:1234`. */
  serveRouter(url: string): IHTMLRouter {
    return new Router(this.#rendered(), this.#epochs, url);
  }

  #rendered(): ITraceData {
    if (this.#data) return this.#data;
    throw new EspalierError({
      code: "not_rendered",
      message: "Prompt must be rendered before calling HTMLTracer.serveHTML",
    });
  }
}

/** The members of Node's requests and responses that are used. */
interface Incoming {
  url?: string;
}
interface Outgoing {
  statusCode: number;
  setHeader(name: string, value: string | number): unknown;
  end(body: string): unknown;
}

interface Reading {
  reader: PageReader;
  whole: ITraceRenderData;
}

class Router implements IHTMLRouter {
  readonly #data: ITraceData;
  readonly #epochs: readonly ITraceEpoch[];
  readonly #url: string;
  /** Prompts are confidential: a request must contain this secret to get the page. */
  readonly #secret = crypto.randomUUID();
  readonly #nonce = crypto.randomUUID();
  #reading: Promise<Reading> | undefined;

  constructor(data: ITraceData, epochs: readonly ITraceEpoch[], url: string) {
    this.#data = data;
    this.#epochs = epochs;
    this.#url = url;
  }

  get address(): string {
    return `${this.#url}/${this.#secret}`;
  }

  route(httpIncomingMessage: unknown, httpOutgoingMessage: unknown): boolean {
    const response = httpOutgoingMessage as Outgoing;
    const url = urlOf((httpIncomingMessage as Incoming).url);
    if (url === undefined) return false;
    const { pathname, searchParams } = url;
    switch (pathname.replace(/\/$/, "")) {
      case `/${this.#secret}`:
        void send(response, "text/html; charset=utf-8", this.getHTML());
        return true;
      case `/${this.#secret}/regen`: {
        const asked = searchParams.get("n");
        const budget = asked ? Number(asked) : this.#data.budget;
        // A page shown elsewhere (a webview) may ask as well: it knows the secret.
        response.setHeader("Access-Control-Allow-Origin", "*");
        void send(
          response,
          "application/json",
          Promise.resolve(Number.isFinite(budget) ? this.#cut(budget) : { budget, error: "n must be a number" }).then(
            (cut) => JSON.stringify(cut),
          ),
        );
        return true;
      }
      default:
        return false;
    }
  }

  async getHTML(): Promise<string> {
    const { reader, whole } = await this.#read();
    const { budget, renderedTree } = this.#data;
    // With the whole prompt, what was removed first is shown, too.
    const cuts = [reader.cut(renderedTree), ...(whole === renderedTree ? [] : [reader.cut(whole)])];
    const { nodes } = reader;
    const server = `${this.address}/`;
    return page({ budget, whole: tokensOf(whole), epochs: this.#epochs, nodes, cuts, server }, this.#nonce);
  }

  async #cut(budget: number): Promise<PageCut> {
    const { reader } = await this.#read();
    return cutAt(this.#data, reader, budget);
  }

  #read(): Promise<Reading> {
    this.#reading ??= wholeTree(this.#data).then((whole) => ({ whole, reader: new PageReader(whole) }));
    return this.#reading;
  }
}

/**
 * Parses the address of a request. `//` and similar targets are invalid, but anybody who reaches the port can send
 * them.
 */
function urlOf(target: string | undefined): URL | undefined {
  try {
    return new URL(target || "/", "http://localhost");
  } catch {
    return undefined;
  }
}

async function send(response: Outgoing, type: string, body: Promise<string>): Promise<void> {
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-store");
  try {
    const said = await body;
    response.setHeader("Content-Type", type);
    response.setHeader("Content-Length", new TextEncoder().encode(said).length);
    response.end(said);
  } catch (error) {
    response.statusCode = 500;
    // The message may quote the prompt: without a type a browser would take markup in it for a page.
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    // The error may come from the host's tokenizer: `String` of a value that is no `Error` can throw.
    response.end(error instanceof Error ? `${error.name}: ${error.message}` : "the page could not be built");
  }
}

/** Returns Node's `http`, in a way that bundlers do not follow. Node 20.16, Deno 2 and Bun have `getBuiltinModule`. */
function http(): { createServer: (handler: (request: any, response: any) => void) => any } {
  const builtin: unknown = globalThis.process?.getBuiltinModule?.("node:http");
  if (builtin) return builtin as never;
  throw new EspalierError({
    code: "unsupported",
    message: "serveHTML needs Node 20.16 or later; in a browser show html() instead",
  });
}
