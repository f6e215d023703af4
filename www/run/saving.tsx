/** @jsxImportSource preact */
/** What one can take along: the chart as a picture, the figures as a table, the code that does the same. */

import { copyText, save } from "../app/save.ts";
import { opened } from "../app/state.ts";
import { profileTitle } from "../parts/profile-text.ts";
import { figuresOf } from "./figures.ts";
import { settings, sides, version } from "./store.ts";

/** Height of the title of a picture, in pixels of the canvas. */
const TITLE = 40;

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
    return `${all.length > 1 ? `${"AB"[side]}: ` : ""}${budget.toLocaleString("en")} tokens, ${profileTitle(profile)}`;
  });
  ctx.fillText(`${opened.peek()?.name ?? ""} — ${each.join("; ")}`, 12 * devicePixelRatio, 24 * devicePixelRatio);
  ctx.drawImage(chart, 0, TITLE * devicePixelRatio);
  picture.toBlob((blob) => blob && save("run.png", blob));
}

const saveFigures = () => save("run.csv", new Blob([figuresOf(sides.peek())], { type: "text/csv" }));

function codeOf(): string {
  const { profile, budget, writer } = settings.peek()[0]!;
  const thing = opened.peek();
  const format = thing?.kind === "conversation" ? thing.conversation.format : "openai-chat";
  const model = writer === "rules" ? "" : ", llm";
  return [
    'import { openConversation } from "espalier";',
    "",
    `const conversation = await openConversation({ format: "${format}", profile: ${profile.startsWith("{") ? profile : JSON.stringify(profile)}, model: { maxPromptTokens: ${budget} }${model} });`,
    "// Append what comes; before every request:",
    "const { messages, report } = await conversation.prepare();",
  ].join("\n");
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
      <button type="button" id="run-code" onClick={() => void copyText(codeOf(), "the code")}>
        Copy code
      </button>
    </div>
  );
}
