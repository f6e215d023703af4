/** @jsxImportSource preact */
/** The parts of a prompt in the order of sending, and each candidate with its outcome. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useRoving } from "../app/roving.ts";
import { count, number } from "../conversation/words.ts";
import { KINDS, fromOf, outcomeOf } from "./outcomes.ts";
import type { Part } from "./outcomes.ts";
import type { Answer } from "./protocol.ts";

/** Prefix and suffix stay open whatever file they are of. */
const keyOf = ({ kind, from }: Part) => (kind === "prefix" || kind === "suffix" ? kind : `${kind} ${from}`);

export function Parts({ parts }: { parts: readonly Part[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(["prefix"]));
  const { tabIndex, list } = useRoving(parts.length);
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <ol id="prompt" {...list}>
      {parts.map((part, index) => {
        const { kind, from, tokens, text } = part;
        const key = keyOf(part);
        return (
          <li key={key}>
            <button type="button" tabIndex={tabIndex(index)} aria-expanded={open.has(key)} onClick={() => toggle(key)}>
              <span class="kind">{kind}</span>
              <span class="from">{from}</span>
              <span class="tokens-of">{tokens === undefined ? "" : count(tokens, "token")}</span>
            </button>
            {open.has(key) && <Body text={text} atEnd={kind === "prefix"} name={`${kind} ${from}`} />}
          </li>
        );
      })}
    </ol>
  );
}

/** `atEnd`: scrolls to the text next to the cursor, which matters most. */
function Body({ text, atEnd, name }: { text: string; atEnd: boolean; name: string }) {
  const body = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (atEnd) body.current!.scrollTop = body.current!.scrollHeight;
  }, [text, atEnd]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
    <section ref={body} tabIndex={0} aria-label={name}>
      <pre class="code">{text}</pre>
    </section>
  );
}

export function Candidates({ items }: { items: Answer["items"] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
    <section class="scroll" tabIndex={0} aria-labelledby="items-title">
      <table id="items">
        <thead>
          <tr>
            <th>what</th>
            <th>from</th>
            <th class="count">weight</th>
            <th class="count">tokens</th>
            <th>outcome</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={`${item.kind} ${fromOf(item)}`} class={item.dropped ? "missing" : ""}>
              <td>{KINDS[item.kind]}</td>
              <td class="from">{fromOf(item)}</td>
              <td class="count">{item.weight.toFixed(2)}</td>
              <td class="count">{number(item.tokens)}</td>
              <td>{outcomeOf(item)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
