/** @jsxImportSource preact */
/** Chooses the encoding with which all views count. */

import type { EncodingName } from "../../js/types/count.ts";
import { encoding } from "./state.ts";

export function EncodingChoice() {
  return (
    <select
      id="encoding"
      aria-label="Encoding"
      value={encoding.value}
      onChange={({ currentTarget }) => (encoding.value = currentTarget.value as EncodingName)}
    >
      <option value="o200k_base" title="gpt-4o and newer">
        o200k_base
      </option>
      <option value="cl100k_base" title="gpt-4, gpt-3.5">
        cl100k_base
      </option>
    </select>
  );
}
