/** Tokenizers of the drop-in module. */

import type { CancellationToken } from "./host-types.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import type { ChatCompletionContentPart } from "../formats/raw/prompt.ts";
import { OutputMode } from "./output/mode.ts";
import type { ModeToChatMessageType } from "./output/mode.ts";

/** A host's tokenizer; either method may be asynchronous. */
export interface ITokenizer<M extends OutputMode = OutputMode> {
  /** The form of the messages that it counts. */
  readonly mode: M;
  /** Returns the tokens of a part; 0 for kinds that the model does not accept. */
  tokenLength(part: ChatCompletionContentPart, token?: CancellationToken): Promise<number> | number;
  /** Returns the tokens of a whole message. */
  countMessageTokens(message: ModeToChatMessageType[M]): Promise<number> | number;
}

/** Counts with a model of VS Code, which counts texts and messages. */
export class VSCodeTokenizer implements ITokenizer<OutputMode.VSCode> {
  readonly mode = OutputMode.VSCode;
  readonly #count: (text: any, token?: CancellationToken) => PromiseLike<number>;

  constructor(countTokens: (text: any, token?: CancellationToken) => PromiseLike<number>, mode: OutputMode) {
    if (mode !== OutputMode.VSCode) {
      throw new Error("`mode` must be set to vscode when using vscode.LanguageModelChat as the tokenizer");
    }
    this.#count = countTokens;
  }

  async tokenLength(part: ChatCompletionContentPart, token?: CancellationToken): Promise<number> {
    return part.type === ChatCompletionContentPartKind.Text ? this.#count(part.text, token) : 0;
  }

  async countMessageTokens(message: any): Promise<number> {
    return this.#count(message);
  }
}
