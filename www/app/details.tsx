/** @jsxImportSource preact */
/** Something below a view that opens on demand; its content is made when it is open. */

import type { ComponentChildren } from "preact";

interface DetailsProps {
  id: string;
  title: string;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
  children: ComponentChildren;
}

export function Details({ id, title, isOpen, onToggle, children }: DetailsProps) {
  return (
    <details class="more-of" open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary id={`${id}-title`}>{title}</summary>
      {isOpen && children}
    </details>
  );
}
