/**
 * The conversation of this window's newest request, also after a reload. VS Code does not tell extensions which chat
 * is shown, so commands of the palette mean this one.
 */

import type { ModelLimits } from "espalier";
import type * as vscode from "vscode";

const KEY = "newest";

interface Noted {
  id: string;
  /** The model of the newest request. VS Code names it only with the next request. */
  limits?: ModelLimits;
}

export class Newest {
  readonly #state: vscode.Memento;

  /** `state`: that of the window's workspace. */
  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get id(): string | undefined {
    return this.#noted?.id;
  }

  get limits(): ModelLimits | undefined {
    return this.#noted?.limits;
  }

  note(noted: Noted): void {
    const { id, limits } = this.#noted ?? {};
    const isKnown = id === noted.id && (!noted.limits || JSON.stringify(limits) === JSON.stringify(noted.limits));
    if (!isKnown) void this.#state.update(KEY, { ...(limits && { limits }), ...noted });
  }

  get #noted(): Noted | undefined {
    return this.#state.get<Noted>(KEY);
  }
}
