/**
 * A list whose rows are buttons and which is one tab stop: arrows, Home and End move the focus. The focus survives a
 * redraw.
 */

export class Rows {
  readonly #list: HTMLElement;
  #current = 0;

  /** `leave` is called when the user moves up from the first row. */
  constructor(list: HTMLElement, leave: () => void = () => {}) {
    this.#list = list;
    list.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const last = this.#buttons.length - 1;
      const next = { ArrowDown: this.#current + 1, ArrowUp: this.#current - 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      if (next < 0) leave();
      else this.focus(Math.min(next, last));
    });
    list.addEventListener("focusin", ({ target }) => {
      const index = this.#buttons.indexOf((target as HTMLElement).closest("button")!);
      if (index >= 0) this.#stop(index);
    });
  }

  /** Shows other rows. A row with the same `data-key` keeps the focus. */
  replace(rows: readonly HTMLElement[]): void {
    const focused = this.#list.contains(document.activeElement)
      ? document.activeElement!.closest<HTMLElement>("[data-key]")?.dataset["key"]
      : undefined;
    const scrolled = focused === undefined ? undefined : document.activeElement!.getBoundingClientRect().top;
    this.#list.replaceChildren(...rows);
    const index =
      focused === undefined
        ? 0
        : Math.max(
            rows.findIndex(({ dataset }) => dataset["key"] === focused),
            0,
          );
    this.#stop(index);
    if (focused === undefined) return;
    const button = this.#buttons[index];
    button?.focus({ preventScroll: true });
    if (button) scrollBy({ top: button.getBoundingClientRect().top - scrolled!, behavior: "instant" });
  }

  focus(index: number): void {
    const button = this.#buttons[Math.min(index, this.#buttons.length - 1)];
    button?.focus();
    button?.scrollIntoView({ block: "nearest" });
  }

  get #buttons(): HTMLButtonElement[] {
    return [...this.#list.querySelectorAll<HTMLButtonElement>(":scope > li > button")];
  }

  #stop(index: number): void {
    this.#current = index;
    for (const [at, button] of this.#buttons.entries()) button.tabIndex = at === index ? 0 : -1;
  }
}
