/** The tracer's page: one file, with requests only to the tracer's own server. */

import type { PageData } from "./html-tracer-data.ts";

/**
 * Returns the page's content security policy: its own script and style, which carry `nonce`, pictures of the prompt,
 * and answers of its server. Names and texts of the prompt are data in the script; the policy also holds if one of them
 * gets into the markup.
 */
function policy({ server }: PageData, nonce: string): string {
  const origin = server === undefined || !URL.canParse(server) ? "'none'" : new URL(server).origin;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    `connect-src ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Returns the page for a traced prompt. `nonce` marks its own script and style. */
export function page(data: PageData, nonce: string): string {
  // Inside a script element only these characters could end it early.
  const json = JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(data, nonce)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Prompt trace</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
<body>
<header>
  <h1>Prompt trace</h1>
  <p id="summary" role="status"></p>
  <div class="controls">
    <label for="budget">Budget</label>
    <input id="budget" type="range" min="0" list="stops">
    <datalist id="stops"></datalist>
    <input id="exact" type="number" min="0" aria-label="Budget in tokens">
    <button id="reset" type="button">As rendered</button>
    <label class="check"><input id="pruned" type="checkbox" checked> show what was pruned</label>
  </div>
  <div class="meter" aria-hidden="true"><div id="used"></div></div>
</header>
<main>
  <ul id="tree" aria-label="Elements of the prompt"></ul>
  <section id="epochs"><h2>Rendering order</h2><ol></ol></section>
</main>
<script nonce="${nonce}">const DATA = ${json};
${SCRIPT}</script>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --strong: #2563eb; --text: light-dark(#1c2024, #e8eaed); --faint: light-dark(#60666d, #9aa1a9); --bad: #d0342c; --back: light-dark(#fff, #16181b); }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
header { position: sticky; top: 0; z-index: 1; padding: 12px 20px 0; background: var(--back); }
h1 { margin: 0; font-size: 17px; } h2 { font-size: 14px; margin: 0 0 6px; }
#summary { margin: 2px 0 8px; color: var(--faint); font-variant-numeric: tabular-nums; } #summary.bad { color: var(--bad); }
.controls { display: flex; gap: 12px; align-items: center; flex-wrap: wrap; padding-bottom: 10px; }
#budget { flex: 1 1 260px; accent-color: var(--strong); } #exact { width: 8em; } .check { color: var(--faint); }
input, button { font: inherit; color: inherit; }
.meter { height: 4px; background: var(--soft); margin: 0 -20px; } #used { height: 100%; width: 0; background: var(--strong); transition: width .15s; }
main { padding: 12px 20px 40px; }
ul { list-style: none; margin: 0; padding: 0; } #tree ul { padding-left: 18px; margin-left: 8px; border-left: 1px solid var(--line); }
.row { display: flex; gap: 8px; align-items: baseline; width: 100%; padding: 2px 6px; border: 0; border-radius: 4px; background: none; text-align: left; }
button.row { cursor: pointer; } .row:hover { background: var(--soft); }
.row::before { content: ""; width: 10px; flex: none; } button.row::before { content: "\\25B8"; color: var(--faint); } button.row[aria-expanded=true]::before { content: "\\25BE"; }
.name { font-weight: 600; white-space: nowrap; } .kind { font-size: 11px; padding: 0 6px; border-radius: 9px; background: var(--soft); color: var(--faint); white-space: nowrap; }
.preview { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: ui-monospace, monospace; font-size: 12px; color: var(--faint); }
.facts { margin-left: auto; white-space: nowrap; color: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums; } .facts b { color: var(--text); }
.share { display: inline-block; width: 60px; height: 6px; margin-left: 8px; border-radius: 3px; background: var(--soft); overflow: hidden; } .share i { display: block; height: 100%; background: var(--strong); }
.gone > .row .name, .gone > .row .preview { text-decoration: line-through; opacity: .65; } .gone > .row .kind { color: var(--bad); }
pre { margin: 2px 0 6px 24px; padding: 8px 10px; max-height: 50vh; overflow: auto; border-radius: 6px; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace; }
pre.meta { color: var(--faint); } img { display: block; max-width: 320px; max-height: 240px; margin: 4px 0 6px 24px; border-radius: 6px; }
.more { margin: 2px 0 2px 18px; } #epochs { margin-top: 28px; color: var(--faint); font-size: 13px; } #epochs:not(:has(li)) { display: none; }
`;

/** Runs on the page. Lists are filled when they are opened, and long ones in steps, so that large prompts stay fast. */
const SCRIPT = String.raw`
(() => {
  const $ = (id) => document.getElementById(id);
  const AT_ONCE = 200, OPEN_DEPTH = 3, NEVER = Number.MAX_SAFE_INTEGER;
  const number = (n) => Number(n).toLocaleString("en-US");
  const told = new Map();
  DATA.epochs.forEach((epoch, order) => epoch.elements.forEach(({ id, tokenBudget }) => told.set(id, { order, tokenBudget })));
  const trees = new Map();
  const opened = new Map();
  let current, whole;

  function keep(tree) {
    trees.set(tree.budget, tree);
    if (tree.error) return tree;
    tree.byId = new Map(tree.nodes.map((node) => [node.id, node]));
    tree.nodes.forEach((node, at) => { node.children = []; if (node.parent >= 0) tree.nodes[node.parent].children.push(at); });
    // The tree at the largest budget is what there is to prune.
    if (!whole || tree.budget > whole.budget) whole = tree;
    return tree;
  }

  /** Returns the children at this budget and those that another budget would keep, in order. */
  function childrenOf(id, tree) {
    const here = tree.byId.get(id), full = whole.byId.get(id);
    const list = here ? here.children.map((at) => ({ node: tree.nodes[at], tree, gone: false })) : [];
    if (!$("pruned").checked || !full) return list;
    const merged = [];
    let next = 0;
    for (const at of full.children) {
      const node = whole.nodes[at];
      if (tree.byId.has(node.id)) { while (next < list.length) { merged.push(list[next++]); if (merged.at(-1).node.id === node.id) break; } }
      else merged.push({ node, tree, gone: true });
    }
    return merged.concat(list.slice(next));
  }

  const make = (tag, props = {}, ...children) => { const made = Object.assign(document.createElement(tag), props); made.append(...children); return made; };

  function nameOf(node) {
    // The usual classes say no more than the role.
    if (node.type === "message") return node.role + (node.name && !/^(System|User|Assistant|Tool|BaseChat)Message$/.test(node.name) ? " \u201c" + node.name + "\u201d" : "");
    if (node.type === "container") return node.name || "(fragment)";
    return node.type;
  }

  function item({ node, tree, gone }, depth, total) {
    const leaf = !childrenOf(node.id, tree).length;
    const detail = node.text || node.metadata || !leaf;
    const row = make(detail ? "button" : "div", { className: "row" });
    const facts = make("span", { className: "facts" });
    const known = told.get(node.id);
    const add = (label, value) => facts.append(label, make("b", { textContent: value }), "\u2002");
    if (known) add("told ", number(known.tokenBudget));
    if (node.priority < NEVER) add("priority ", number(node.priority));
    add("", number(node.tokens) + (node.tokens === 1 ? " token" : " tokens"));
    const share = make("i");
    share.style.width = Math.min(100, total ? (100 * node.tokens) / total : 0) + "%";
    facts.append(make("span", { className: "share" }, gone ? "" : share));
    row.append(make("span", { className: "name", textContent: nameOf(node) }));
    if (gone || nameOf(node) !== node.type) row.append(make("span", { className: "kind", textContent: gone ? "pruned" : node.type }));
    if (node.text && node.type !== "message") row.append(make("span", { className: "preview", textContent: node.text.slice(0, 160) }));
    row.append(facts);
    const entry = make("li", { className: gone ? "gone" : "" }, row);
    if (detail) {
      const show = (open) => {
        row.setAttribute("aria-expanded", open);
        while (row.nextSibling) row.nextSibling.remove();
        if (!open) return;
        for (const { name, value } of node.metadata || []) entry.append(make("pre", { className: "meta", textContent: name + " " + value }));
        if (node.type === "image" && /^data:image\//.test(node.text)) entry.append(make("img", { src: node.text, alt: "" }));
        else if (leaf && node.text) entry.append(make("pre", { textContent: node.text }));
        if (!leaf) entry.append(list(childrenOf(node.id, tree), depth + 1, total));
      };
      row.onclick = () => { const open = row.getAttribute("aria-expanded") !== "true"; opened.set(node.id, open); show(open); };
      show(opened.get(node.id) ?? (!leaf && !gone && depth < OPEN_DEPTH));
    }
    return entry;
  }

  function list(entries, depth, total) {
    const out = make("ul");
    let shown = 0;
    const more = make("button", { type: "button", className: "more" });
    const grow = () => {
      more.remove();
      entries.slice(shown, shown += AT_ONCE).forEach((entry) => out.append(item(entry, depth, total)));
      more.textContent = "Show " + number(Math.min(AT_ONCE, entries.length - shown)) + " more of " + number(entries.length - shown);
      if (shown < entries.length) out.append(make("li", {}, more));
    };
    more.onclick = grow;
    grow();
    return out;
  }

  function draw(tree) {
    current = tree;
    const summary = $("summary");
    summary.classList.toggle("bad", !!tree.error);
    if (tree.error) {
      summary.textContent = "A budget of " + number(tree.budget) + " cannot be met: " + tree.error;
      $("tree").replaceChildren();
      $("used").style.width = "100%";
      return;
    }
    const root = tree.nodes[0];
    summary.textContent = number(root.tokens) + " of " + number(tree.budget) + " tokens, " + number(tree.removed) + " removed";
    $("used").style.width = Math.min(100, tree.budget ? (100 * root.tokens) / tree.budget : 100) + "%";
    $("tree").replaceChildren(...list([{ node: root, tree, gone: false }], 0, root.tokens).children);
  }

  let asked = 0;
  async function show(budget) {
    $("exact").value = $("budget").value = budget;
    const mine = ++asked;
    let tree = trees.get(budget);
    if (!tree && DATA.server) {
      try {
        const reply = await fetch(DATA.server + "regen?n=" + budget);
        tree = keep(await reply.json());
      } catch (error) { tree = { budget, error: "the tracer does not answer (" + error.message + ")" }; }
    }
    // Without a server the nearest computed budget is shown.
    if (!tree) tree = [...trees.values()].reduce((best, one) => (Math.abs(one.budget - budget) < Math.abs(best.budget - budget) ? one : best));
    if (mine !== asked) return;
    if (tree.budget !== budget) $("exact").value = $("budget").value = tree.budget;
    draw(tree);
  }

  DATA.trees.forEach(keep);
  const first = trees.get(DATA.budget) || DATA.trees[0];
  const largest = Math.max(...[...trees.values()].map((tree) => (tree.error ? 0 : tree.nodes[0].tokens)));
  // With a budget far beyond the prompt, the slider would have no effect.
  const most = Math.ceil(DATA.budget > largest * 4 ? largest * 1.25 : Math.max(DATA.budget, largest) * 1.25) || 1;
  $("budget").max = DATA.server ? most : Math.max(...[...trees.keys()].filter((budget) => budget <= most * 2));
  if (!DATA.server) for (const budget of trees.keys()) $("stops").append(make("option", { value: budget }));
  let timer;
  $("budget").oninput = () => { $("exact").value = $("budget").value; clearTimeout(timer); timer = setTimeout(() => show(Number($("budget").value)), 120); };
  $("exact").onchange = () => show(Number($("exact").value));
  $("reset").onclick = () => show(first.budget);
  $("pruned").onchange = () => draw(current);
  for (const epoch of DATA.epochs.slice(0, 2000)) {
    $("epochs").querySelector("ol").append(make("li", { textContent:
      (epoch.inNode === undefined ? "the prompt" : "in #" + epoch.inNode) + (epoch.flexValue ? ", flexGrow " + epoch.flexValue : "") + ": " + number(epoch.tokenBudget) + " tokens left, "
      + (epoch.reservedTokens ? number(epoch.reservedTokens) + " reserved, " : "") + epoch.elements.length + (epoch.elements.length === 1 ? " element" : " elements") }));
  }
  draw(first);
  $("exact").value = $("budget").value = first.budget;
})();
`;
