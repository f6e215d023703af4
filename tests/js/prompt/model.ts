/**
 * A model of the renderer: slow, small, and with a switch for each rule in which ours differs from the reference. It is
 * a renderer of the reference with rewritten layout and pruning. With all switches off it must equal the reference,
 * with all of them on it must equal ours; a switch that changes its result is the rule that explains a difference.
 */

import { materialized, peer } from "./peer.ts";

/** One switch for each of our differing rules. */
export interface Rules {
  /** Counts after every step and stops at the first result that fits; a limit whose element is gone is met. */
  exactStop: boolean;
  /** A message that is not sent because it is empty costs nothing. */
  emptyFree: boolean;
  /** Skips elements without removable content while others can be removed. */
  trap: boolean;
  /** An expandable element that grew keeps priority, flags, name and metadata. */
  keepsRank: boolean;
  /** Growth that does not fit is undone, and later elements may grow; unless the growth alone exceeds the limit. */
  growthFits: boolean;
  /** Growth below a limit inside a message changes the message's text; the reference keeps the old text. */
  growthSeen: boolean;
  /** Dropped tool calls no longer cost anything; the reference keeps the old count. */
  callsFreed: boolean;
  /**
   * Texts that are cut at the same expression are independent; in the reference they share the expression's position.
   */
  ownBreaks: boolean;
  /** The content of a removed element is not counted as removed again. */
  countedOnce: boolean;
  /** Limits in layout do not depend on the order of siblings. */
  limits: boolean;
  /** Errors of an author name the element with the wrong content. */
  namesElement: boolean;
  /** A group whose bases sum to 0 gets nothing instead of NaN. */
  noBasis: boolean;
}

export const RULES = [
  "exactStop",
  "emptyFree",
  "trap",
  "keepsRank",
  "growthFits",
  "growthSeen",
  "callsFreed",
  "ownBreaks",
  "countedOnce",
  "limits",
  "namesElement",
  "noBasis",
] as const satisfies readonly (keyof Rules)[];

/** Sets all rules to the same value. */
export function rules(on: boolean): Rules {
  return {
    exactStop: on,
    emptyFree: on,
    trap: on,
    keepsRank: on,
    growthFits: on,
    growthSeen: on,
    callsFreed: on,
    ownBreaks: on,
    countedOnce: on,
    limits: on,
    namesElement: on,
    noBasis: on,
  };
}

const {
  GenericMaterializedContainer: Container,
  MaterializedChatMessage: Message,
  MaterializedChatMessageBreakpoint: Breakpoint,
} = materialized;
const LEGACY = 1;
const CHUNK = 2;
const PASSES = 4;

/** The renderer's tokens of one parent. */
class Purse {
  tokenBudget: number;
  endpoint: unknown;
  spent = 0;

  constructor(tokenBudget: number, endpoint: unknown) {
    this.tokenBudget = tokenBudget;
    this.endpoint = endpoint;
  }

  get consumed(): number {
    return Math.min(this.spent, this.tokenBudget);
  }

  get remainingTokenBudget(): number {
    return Math.max(0, this.tokenBudget - this.spent);
  }

  consume(tokens: number): void {
    this.spent += tokens;
  }
}

/** Thrown if the requested fit does not exist. */
export class NoFurtherFit extends Error {}

/**
 * Returns a class that replaces the reference's `PromptRenderer`. With `fit` 0 it stops at the first fit of the whole
 * prompt, with 1 it continues until that is exceeded again and stops at the next: removals do not always make a prompt
 * shorter, and ours may find another place at which one step less is too much.
 */
export function modelRenderer(switches: Rules, fit = 0): any {
  return class ModelRenderer extends peer.PromptRenderer {
    marked = new Map<unknown, boolean>();

    // Layout.

    async _processPromptPieces(purse: Purse, pieces: any[], progress: unknown, token: unknown): Promise<void> {
      const groups = new Map<number, any[]>();
      for (const item of pieces) {
        if (Array.isArray(item.children)) (item.props ??= {}).children = item.children;
        if (!item.ctor)
          throw new Error(
            `Invalid ChatMessage child! Child must be a TSX component that extends PromptElement at ${where(item)}`,
          );
        const element = this.createElement(item);
        const cap = element instanceof peer.TokenLimit ? item.props.max : undefined;
        if (cap !== undefined) this._tokenLimits.push({ limit: cap, id: item.node.id });
        item.node.setObj(element);
        const grow = item.props.flexGrow ?? Infinity;
        groups.set(grow, [...(groups.get(grow) ?? []), { item, element, cap, basis: item.props.flexBasis ?? 1 }]);
      }
      const order = [...groups.entries()].sort(([a], [b]) => b - a).map(([, group]) => group);
      for (const [at, group] of order.entries()) {
        const reserved = order
          .slice(at + 1)
          .flat()
          .reduce((sum, { item }) => sum + reserve(item.props.flexReserve, purse.remainingTokenBudget), 0);
        purse.consume(reserved);
        const budgets = share(purse.remainingTokenBudget, group, switches);
        purse.consume(-reserved);
        this.tracer?.addRenderEpoch?.({
          inNode: group[0].item.node.parent?.id,
          flexValue: group[0].item.props.flexGrow ?? 0,
          tokenBudget: purse.remainingTokenBudget,
          reservedTokens: reserved,
          elements: group.map(({ item }, i) => ({ id: item.node.id, tokenBudget: budgets[i] })),
        });
        const sizings = budgets.map((tokenBudget) => this.sizing(tokenBudget));
        await Promise.all(
          group.map(({ item, element }, i) =>
            blame(item, async () => item.node.setState(await element.prepare?.(sizings[i], progress, token))),
          ),
        );
        const yields = await Promise.all(
          group.map(({ item, element }, i) =>
            blame(item, () => element.render(item.node.getState(), sizings[i], progress, token)),
          ),
        );
        for (const [i, { item, element }] of group.entries()) {
          if (!yields[i]) continue;
          const consumed = await this._processPromptRenderPiece(
            new Purse(budgets[i] as number, this._endpoint),
            item,
            element,
            yields[i],
            progress,
            token,
          );
          if (element instanceof peer.Expandable) this._growables.push({ initialConsume: consumed, elem: item.node });
          purse.consume(consumed);
        }
      }
    }

    async _processPromptRenderPiece(
      purse: Purse,
      item: any,
      element: any,
      template: unknown,
      progress: unknown,
      token: unknown,
    ): Promise<number> {
      const run = () => super._processPromptRenderPiece(purse, item, element, template, progress, token);
      return switches.namesElement ? blame(item, run) : run();
    }

    createElement(item: any): any {
      const { breakOn, breakOnWhitespace } = item.props ?? {};
      const shared = breakOnWhitespace ? /\s+/g : breakOn;
      if (!switches.ownBreaks || item.ctor !== peer.TextChunk || !(shared instanceof RegExp))
        return super.createElement(item);
      return super.createElement({
        ...item,
        props: { ...item.props, breakOnWhitespace: undefined, breakOn: new RegExp(shared) },
      });
    }

    sizing(tokenBudget: number): any {
      const countTokens = (part: any, token: unknown) =>
        this._tokenizer.tokenLength(
          typeof part === "string" ? { type: peer.Raw.ChatCompletionContentPartKind.Text, text: part } : part,
          token,
        );
      return { tokenBudget, endpoint: this._endpoint, countTokens };
    }

    // Fitting.

    async _getFinalElementTree(budget: number, token: unknown): Promise<any> {
      const root = this._root.materialize();
      const originals = [...root.toChatMessages()];
      const allMetadata = [...root.allMetadata()];
      root.tokenCount = () => this.count(root);
      const gone = new Set<unknown>();
      let removed = 0;
      for (const { limit, id } of [{ limit: budget, id: this._root.id }, ...this._tokenLimits].reverse()) {
        const scope = limit > budget ? undefined : root.findById(id);
        if (!scope) continue;
        let tokens = await this.count(scope);
        if (tokens < limit) {
          if (!(await this.grow(root, scope, tokens, limit, token))) continue;
          tokens = await this.count(scope);
        }
        try {
          while (tokens > limit && !(switches.exactStop && !root.findById(id))) {
            const overhead = await scope.baseMessageTokenCount(this._tokenizer);
            do {
              for (const node of this.step(scope)) {
                if (!switches.countedOnce || !above(node).some((each) => gone.has(each))) removed += 1;
                gone.add(node);
                tokens -= 1.25 * (await node.upperBoundTokenCount(this._tokenizer));
              }
            } while (!switches.exactStop && tokens - overhead > limit);
            tokens = await this.count(scope);
          }
          if (id === this._root.id) removed += await this.goOn(root, limit);
        } catch (error) {
          if (error instanceof materialized.BudgetExceededError) {
            Object.assign(error as object, {
              metadata: peer.MetadataMap.from([...root.allMetadata()]),
              messages: originals,
            });
          }
          throw error;
        }
      }
      return { container: root, allMetadata, removed };
    }

    /** Continues to a later fit than the first. */
    async goOn(root: any, limit: number): Promise<number> {
      let removed = 0;
      for (let left = fit; left > 0; left--) {
        for (const above of [true, false]) {
          while ((await this.count(root)) > limit !== above) {
            if (!this.choose(root)) throw new NoFurtherFit();
            removed += this.step(root).length;
          }
        }
      }
      return removed;
    }

    async count(node: any): Promise<number> {
      if (node instanceof Message) {
        if (switches.callsFreed) node._tokenCount.clear();
        return switches.emptyFree && node.isEmpty ? 0 : node.tokenCount(this._tokenizer);
      }
      if (!(node instanceof Container)) return node.upperBoundTokenCount(this._tokenizer);
      let tokens = 0;
      for (const child of node.children) tokens += await this.count(child);
      return tokens;
    }

    /** Returns the tokens of the parts of an element, each counted alone. */
    async own(node: any): Promise<number> {
      if (!isLeaf(node))
        return (await Promise.all<number>(node.children.map((child: any) => this.own(child)))).reduce(
          (sum, tokens) => sum + tokens,
          0,
        );
      return typeof node.text === "string"
        ? this._tokenizer.tokenLength({ type: peer.Raw.ChatCompletionContentPartKind.Text, text: node.text }, undefined)
        : node.upperBoundTokenCount(this._tokenizer);
    }

    async grow(root: any, scope: any, used: number, limit: number, token: unknown): Promise<boolean> {
      if (this._growables.length === 0) return false;
      const place = switches.growthSeen ? root : scope;
      const undo: { id: number; old: any; used: number }[] = [];
      let next = 0;
      for (;;) {
        // An expandable element is never the limited one itself, so replacing it never replaces `scope`.
        for (; next < this._growables.length && used < limit; next++) {
          const { elem, initialConsume } = this._growables[next];
          const old = scope.findById(elem.id);
          if (!old) continue;
          const element = elem.getObj();
          const fresh = new elem.constructor(null, 0, elem.id);
          const purse = new Purse(limit - used + initialConsume, this._endpoint);
          const item = {
            node: fresh,
            ctor: switches.keepsRank ? element.constructor : this._ctor,
            props: switches.keepsRank ? element.props : {},
            children: [],
            path: [this._ctor],
          };
          if (switches.keepsRank) fresh.setObj(element);
          const consumed = await this._processPromptRenderPiece(
            purse,
            item,
            element,
            await element.render(undefined, this.sizing(purse.tokenBudget)),
            undefined,
            token,
          );
          const grown = fresh.materialize();
          if (switches.keepsRank) grown.metadata.push(...old.metadata);
          undo.push({ id: elem.id, old: place.replaceNode(elem.id, grown), used });
          used += consumed - initialConsume;
        }
        if (!switches.growthFits || (await this.count(scope)) <= limit) return true;
        if ((await Promise.all(undo.map(({ id }) => this.own(scope.findById(id))))).some((tokens) => tokens > limit))
          return true;
        const last = undo.pop();
        if (!last) return true;
        place.replaceNode(last.id, last.old);
        used = last.used;
      }
    }

    // Takes one step of pruning.

    step(scope: any): any[] {
      const victim = this.choose(scope);
      if (!victim) throw new materialized.BudgetExceededError(scope);
      // The reference removes the element that it chooses: give it a choice of one.
      return new Container(
        undefined,
        -1,
        "one",
        0,
        () => [victim],
        [],
        isLeaf(victim) ? LEGACY : 0,
      ).removeLowestPriorityChild();
    }

    choose(node: any): any {
      if (node instanceof Container && node.flags & LEGACY) {
        const lowest = leaves(node).reduce(
          (best: any, leaf: any) => (!best || leaf.priority < best.priority ? leaf : best),
          undefined,
        );
        if (!lowest && !switches.trap) throw new Error("No lowest priority node found");
        return lowest;
      }
      const ranked = this.candidates(node)
        .map((child: any, index: number) => ({ child, index, nested: nested(child) }))
        .sort((a: any, b: any) => a.child.priority - b.child.priority || a.nested - b.nested || a.index - b.index);
      for (const { child } of ranked) {
        if (isLeaf(child) || child.children.length === 0 || (child instanceof Container && child.flags & CHUNK))
          return child;
        const victim = this.choose(child);
        if (victim) return victim;
        if (!switches.trap) throw new materialized.BudgetExceededError(child);
      }
      return undefined;
    }

    candidates(node: any): any[] {
      const looks = node instanceof Message || !insideMessage(node);
      let found: any[] = [];
      const visit = (parent: any): void => {
        for (const child of parent.children) {
          if (looks && this.hasBreakpoint(child)) found = [];
          if (looks && child instanceof Breakpoint) continue;
          if (child instanceof Container && child.flags & PASSES && child.children.length > 0) visit(child);
          else found.push(child);
        }
      };
      visit(node);
      return found;
    }

    hasBreakpoint(node: any): boolean {
      const known = this.marked.get(node);
      if (known !== undefined) return known;
      let found = node instanceof Breakpoint;
      if (node instanceof Message) found = node.children.some((child: unknown) => child instanceof Breakpoint);
      else if (node instanceof Container) found = node.children.some((child: unknown) => this.hasBreakpoint(child));
      this.marked.set(node, found);
      return found;
    }
  };
}

/** Returns the shares of a group's members. */
function share(
  left: number,
  group: { cap: number | undefined; basis: number }[],
  { limits, noBasis }: Rules,
): number[] {
  let sum = group.reduce((sum, { basis }) => sum + basis, 0);
  let capped = 0;
  const fixed = new Set<number>();
  const part = (basis: number, left: number): number => {
    const tokens = Math.floor(left * (basis / sum));
    return noBasis && !Number.isFinite(tokens) ? 0 : tokens;
  };
  for (let again = true; again; ) {
    again = false;
    for (const [at, { cap, basis }] of group.entries()) {
      if (cap === undefined || fixed.has(at) || part(basis, limits ? left - capped : left) < cap) continue;
      fixed.add(at);
      sum -= basis;
      capped += cap;
      again = limits;
    }
  }
  return group.map(({ cap, basis }, at) => (fixed.has(at) ? (cap as number) : part(basis, left - capped)));
}

function reserve(wish: number | string | undefined, left: number): number {
  if (!wish) return 0;
  return typeof wish === "string" ? Math.floor(left / Number(wish.slice(1))) : wish;
}

function where({ path }: { path: any[] }): string {
  return path
    .map((step) => (typeof step === "string" ? step : step ? step.name || "<anonymous>" : String(step)))
    .join(" > ");
}

const blamed = new WeakSet<Error>();

async function blame<T>(item: { path: any[] }, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && !blamed.has(error) && error.constructor.name !== "CancellationError") {
      blamed.add(error);
      error.message += ` (at tsx element ${where(item)})`;
    }
    throw error;
  }
}

function isLeaf(node: any): boolean {
  return !(node instanceof Container) && !(node instanceof Message);
}

function leaves(node: any): any[] {
  return isLeaf(node) ? [node] : node.children.flatMap(leaves);
}

function nested(node: any): number {
  return isLeaf(node) ? -1 : Math.min(Number.MAX_SAFE_INTEGER, ...node.children.map((child: any) => child.priority));
}

function above(node: any): any[] {
  return node.parent ? [node.parent, ...above(node.parent)] : [];
}

function insideMessage(node: any): boolean {
  return above(node).some((each) => each instanceof Message);
}
