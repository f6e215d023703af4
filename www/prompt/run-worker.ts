/** The worker that runs prompts: typed code, or a tree as JSON. The page ends it if the code does not end. */

import "../../js/entries/engines/core-web.ts";
import { init } from "../../js/entries/verbs.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import { PageReader } from "../../js/prompt/html-tracer-data.ts";
import type { PageCut } from "../../js/prompt/html-tracer-data.ts";
import { createPiece, HTMLTracer, JSONTree, render, UserMessage } from "../../js/prompt/index.ts";
import type { PromptElementJSON, Rendered } from "../../js/prompt/index.ts";
import type { PromptTrace } from "../../js/prompt/explain.ts";
import type { ITraceEpoch } from "../../js/prompt/tracer.ts";
import type { EncodingName } from "../../js/types/count.ts";
import { keepFetched } from "../offline.ts";
import { answering } from "../talk.ts";
import { confine } from "./confine.ts";
import type { Asked, Questions, Whole } from "./questions.ts";
import { evaluate, withLine } from "./typed-code.ts";
import type { Lines } from "./typed-code.ts";

let runCode: ((code: string) => unknown) | undefined;
let encoding: EncodingName = "o200k_base";
let made: Rendered | undefined;
let tracer: Tracer | undefined;
let reader: PageReader | undefined;

async function ready(asked: Questions["ready"][0]): Promise<undefined> {
  if (runCode) return;
  ({ encoding } = asked);
  await init({ encodings: [encoding] });
  await keepFetched();
  runCode = confine();
}

/** Keeps the epochs beside what the tracer makes of them. */
class Tracer extends HTMLTracer {
  readonly epochs: ITraceEpoch[] = [];

  override addRenderEpoch(epoch: ITraceEpoch): void {
    this.epochs.push(epoch);
    super.addRenderEpoch(epoch);
  }
}

async function run({ code, isJSON, format, backfill, room }: Asked): Promise<Whole> {
  const next = new Tracer();
  let lines: Lines = new Map();
  let rendered: Rendered;
  try {
    let prompt: Parameters<typeof render>[0];
    if (isJSON) prompt = inMessage(JSON.parse(code));
    else ({ prompt, lines } = evaluate(code, runCode!));
    rendered = await render(prompt, { budget: room, format, encoding, backfill, tracer: next });
  } catch (error) {
    throw withLine(error, lines);
  }
  made?.free();
  made = rendered;
  tracer = next;
  const whole = await unpruned(rendered);
  const trace = whole.trace(Number.POSITIVE_INFINITY);
  // Pictures and metadata would be in the container.
  const container = { type: "container" as const, id: -1, priority: 0, tokens: 0, metadata: [] };
  reader = new PageReader({ budget: trace.budget, removed: whole.removed, container, trace });
  const sizes = trace.nodes.map(({ tokens = 0 }) => tokens);
  return { nodes: reader.nodes, sizes, tokens: trace.tokens, epochs: next.epochs };
}

/** Tools render elements to text alone; a request needs a message around it. */
function inMessage(tree: PromptElementJSON): Parameters<typeof render>[0] {
  const hasMessage = JSON.stringify(tree).includes(`"ctor":${JSONTree.PieceCtorKind.BaseChatMessage},`);
  return hasMessage ? tree : createPiece(UserMessage, null, createPiece("elementJSON", { data: tree }));
}

/** Max doublings of a budget: 2 to this power is far beyond any prompt. */
const MAX_DOUBLINGS = 30;

/** Returns the prompt before anything is removed. What is left out now exceeds the limit of an element. */
async function unpruned(rendered: Rendered): Promise<Rendered> {
  let whole = rendered;
  for (let i = 0; i < MAX_DOUBLINGS && whole.removed > 0 && whole.tokens * 2 > whole.budget; i++)
    whole = await rendered.prune(whole.budget * 2);
  return whole;
}

async function cut({ budget }: { budget: number }): Promise<PageCut> {
  try {
    const fitting = await prompt().prune(budget);
    return { ...reader!.explained(fitting.trace(Number.POSITIVE_INFINITY)), removed: fitting.removed };
  } catch (error) {
    const { trace, message, details } = error as EspalierError & { trace?: PromptTrace };
    const known = trace ?? (isEmpty(error) ? prompt().trace(Number.POSITIVE_INFINITY) : undefined);
    if (!known) throw error;
    const needed = (details as { needed?: unknown } | undefined)?.needed;
    return {
      ...reader!.explained(known),
      budget,
      error: message,
      ...(typeof needed === "number" && { needed }),
    };
  }
}

const isEmpty = (error: unknown) => error instanceof EspalierError && error.code === "empty_prompt";

function prompt(): Rendered {
  if (made) return made;
  throw new EspalierError({ code: "not_rendered", message: "There is no prompt yet." });
}

answering<Questions>(
  {
    ready,
    run,
    cut,
    request: async ({ budget }) => ({ text: JSON.stringify((await prompt().prune(budget)).request, undefined, 2) }),
    trace: async ({ budget }) => {
      const fitting = await prompt().prune(budget);
      return { text: JSON.stringify(fitting.trace(Number.POSITIVE_INFINITY)) };
    },
    page: async () => ({ text: (await tracer?.html()) ?? "" }),
  },
  ["run", "cut"],
);
