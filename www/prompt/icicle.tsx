/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/noStaticElementInteractions: the outline has the same for the keyboard.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the outline has the same for the keyboard.
/**
 * The tree as an icicle. A removed node is hatched, shrinks and closes up, by transforms only. The outline says the
 * same in words, so screen readers skip the picture.
 */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { boxesOf } from "./icicle-layout.ts";
import { briefOf, isGone, nameOf, rowFor, sizesAfter, textIn } from "./model.ts";
import type { Shown, Tree } from "./model.ts";

export interface IcicleProps {
  shown: Shown;
  count: number;
  selected: number;
  onSelect(index: number): void;
  /** Tokens of the whole prompt: the width of the picture. */
  whole: number;
  budget: number;
  /** True while removals are shown one by one: hatching is then seen before the box shrinks. */
  isStepping: boolean;
}

/** Pixels of a level; the style sheet has the same number. */
const LEVEL = 22;
const MAX_DEPTH = 7;
/** Pixels below which a box is not drawn. */
const MIN_WIDTH = 3;
/** Pixels from which a box has a label. */
const LABEL_WIDTH = 44;

export function Icicle({ shown, count, selected, onSelect, whole, budget, isStepping }: IcicleProps) {
  const picture = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = picture.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  const { tree, steps, stepOf } = shown;
  const sizes = useMemo(() => sizesAfter(shown, count), [shown, count]);
  // The request has tokens beside those of its elements.
  const scale = (shown.whole[0]! || 1) / Math.max(whole, shown.whole[0]!, 1);
  const boxes = useMemo(
    () => boxesOf(shown, sizes, { root: 0, count, maxDepth: MAX_DEPTH, minWidth: MIN_WIDTH / Math.max(1, width) }),
    [shown, sizes, count, width],
  );
  const depth = Math.max(0, ...boxes.map((box) => box.depth));
  const px = (share: number) => share * scale * width;
  const graves = useMemo(() => gravesOf(boxes, steps, count, px), [boxes, steps, count, width, scale]);
  return (
    <div
      class={`icicle ${isStepping ? "stepping" : ""}`}
      ref={picture}
      aria-hidden="true"
      style={{ height: `${(depth + 1) * LEVEL + 20}px` }}
    >
      {boxes.map(({ index, depth: level, left, width: share, gone }) => {
        const at = `translate(${px(left)}px, ${level * LEVEL}px)`;
        const type = tree.nodes[index]!.type;
        return (
          <div
            key={tree.nodes[index]!.id}
            class={`box ${type} ${gone ? "gone" : ""} ${rowFor(tree, index) === selected ? "selected" : ""}`}
            title={briefOf(tree, index)}
            onClick={() => onSelect(rowFor(tree, index))}
            style={{ transform: at }}
          >
            <i style={{ transform: `scaleX(${Math.max(0, px(share) - 1) / 100})` }} />
            {!gone && px(share) >= LABEL_WIDTH && (
              <span style={{ maxWidth: `${px(share) - 6}px` }}>{labelOf(tree, index)}</span>
            )}
          </div>
        );
      })}
      {graves.map(({ step, x, y }) => (
        <b
          key={step}
          class={isGone(stepOf[selected] ?? -1, count) && stepOf[selected] === step ? "grave selected" : "grave"}
          style={{ transform: `translate(${x}px, ${y}px)` }}
          onClick={() => onSelect(rowFor(tree, steps[step]!.victim))}
        >
          {step + 1}
        </b>
      ))}
      <div class="limit" style={{ transform: `translateX(${Math.min(1, whole ? budget / whole : 1) * width}px)` }} />
    </div>
  );
}

/** An element that contains more than one text is named alone: its first text has a box of its own. */
const labelOf = (tree: Tree, index: number) =>
  tree.children[index]!.length > 0 && textIn(tree, index) === undefined ? nameOf(tree, index) : briefOf(tree, index);

/** The order numbers, where the nodes were; a number that would cover another one is left out. */
function gravesOf(
  boxes: ReturnType<typeof boxesOf>,
  steps: Shown["steps"],
  count: number,
  px: (share: number) => number,
): { step: number; x: number; y: number }[] {
  const places = new Map(boxes.map((box) => [box.index, box]));
  const graves: { step: number; x: number; y: number }[] = [];
  const taken = new Map<number, number[]>();
  steps.slice(0, count).forEach(({ victim }, step) => {
    const box = places.get(victim);
    if (!box) return;
    const x = px(box.left);
    const row = taken.get(box.depth) ?? [];
    if (row.some((other) => Math.abs(other - x) < 16)) return;
    taken.set(box.depth, [...row, x]);
    graves.push({ step, x, y: box.depth * LEVEL + 3 });
  });
  return graves;
}
