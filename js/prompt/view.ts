/** The remaining tree in the form that tracers see. */

import { ChatRole } from "../formats/raw/prompt.ts";
import type { RenderNode } from "./render-tree.ts";
import type { Session } from "./session.ts";
import type { MaterializedView } from "./tracer.ts";

export function materializedView(session: Session, reports = session.reports()): MaterializedView {
  const views = new Map<number, MaterializedView>();
  let root: MaterializedView | undefined;
  for (const { node: id, parent, priority, tokens, kept } of reports) {
    if (!kept) continue;
    const view = describe(session.nodes[id]!, priority, tokens ?? 0);
    views.set(id, view);
    if (parent === undefined) root = view;
    else views.get(parent)?.children?.push(view);
  }
  return root ?? { type: "container", id: 0, priority: 0, tokens: 0, metadata: [], children: [] };
}

function describe(node: RenderNode, priority: number, tokens: number): MaterializedView {
  const common = { id: node.id, priority, tokens, metadata: "metadata" in node ? node.metadata : [] };
  switch (node.type) {
    case "text":
      return { ...common, type: "text", text: node.text };
    case "opaque":
    case "breakpoint":
      return { ...common, type: node.type };
    case "element": {
      const { kind, name, props } = node;
      if (kind === "image" || kind === "document")
        return { ...common, type: kind, name, text: String(props.src ?? "") };
      if (kind === "message")
        return { ...common, type: "message", name, role: ChatRole.display(props.role), children: [] };
      return { ...common, type: "container", name, children: [] };
    }
  }
}
