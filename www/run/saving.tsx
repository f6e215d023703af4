/** @jsxImportSource preact */
/** What one can take along: the chart as a picture, the figures as a table, the code that does the same. */

import { opened, say } from "../app/state.ts";
import { figuresOf } from "./figures.ts";
import { settings, sides, version } from "./store.ts";

/** Height of the title of a picture, in pixels of the canvas. */
const TITLE = 40;

function save(blob: Blob | null, name: string): void {
  if (!blob) return;
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
  say(`Saved ${name}.`);
}

function savePicture(): void {
  const chart = document.querySelector<HTMLCanvasElement>("#run-chart canvas");
  if (!chart) return;
  const picture = Object.assign(document.createElement("canvas"), {
    width: chart.width,
    height: chart.height + TITLE * devicePixelRatio,
  });
  const ctx = picture.getContext("2d")!;
  const { backgroundColor, color } = getComputedStyle(document.querySelector(".chart")!);
  ctx.fillStyle = backgroundColor;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.fillStyle = color;
  ctx.font = `${13 * devicePixelRatio}px system-ui, sans-serif`;
  const each = settings.peek().map(({ budget, profile }, side, all) => {
    return `${all.length > 1 ? `${"AB"[side]}: ` : ""}${budget.toLocaleString("en")} tokens, ${profile}`;
  });
  ctx.fillText(`${opened.peek()?.name ?? ""} — ${each.join("; ")}`, 12 * devicePixelRatio, 24 * devicePixelRatio);
  ctx.drawImage(chart, 0, TITLE * devicePixelRatio);
  picture.toBlob((blob) => save(blob, "run.png"));
}

const saveFigures = () => save(new Blob([figuresOf(sides.peek())], { type: "text/csv" }), "run.csv");

function codeOf(): string {
  const { profile, budget, writer } = settings.peek()[0]!;
  const thing = opened.peek();
  const format = thing?.kind === "conversation" ? thing.conversation.format : "openai-chat";
  const model = writer === "rules" ? "" : ", llm";
  return [
    'import { openConversation } from "espalier";',
    "",
    `const conversation = await openConversation({ format: "${format}", profile: "${profile}", model: { maxPromptTokens: ${budget} }${model} });`,
    "// Append what comes; before every request:",
    "const { messages, report } = await conversation.prepare();",
  ].join("\n");
}

async function copyCode(): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(codeOf()).then(
    () => true,
    () => false,
  );
  say(isCopied ? "Copied the code." : "The browser does not allow this page to copy.");
}

export function Saving() {
  version.value;
  const isEmpty = sides.value.every(({ requests }) => requests.length === 0);
  return (
    <div class="actions saving">
      <button type="button" id="run-picture" disabled={isEmpty} onClick={savePicture}>
        Save picture
      </button>
      <button type="button" id="run-figures" disabled={isEmpty} onClick={saveFigures}>
        Save figures
      </button>
      <button type="button" id="run-code" onClick={() => void copyCode()}>
        Copy code
      </button>
    </div>
  );
}
