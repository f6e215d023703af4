/** The forms of rendered messages. The numbers are bits, so that an opaque part can name several. */

import { enumeration } from "../enumeration.ts";

export const OutputMode = enumeration({ Raw: 1, OpenAI: 2, VSCode: 4 });
export type OutputMode = OutputMode.Raw | OutputMode.OpenAI | OutputMode.VSCode;
export declare namespace OutputMode {
  type Raw = 1;
  type OpenAI = 2;
  type VSCode = 4;
}
