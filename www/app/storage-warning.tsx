/** @jsxImportSource preact */
/** Says that files and edits are not kept, until that is dismissed or solved. The status line has spoken it. */

import { warning } from "./store.ts";

export function StorageWarning() {
  if (!warning.value) return null;
  return (
    <div id="not-kept" class="notice">
      <span>{warning}</span>
      <button type="button" onClick={() => (warning.value = undefined)}>
        Close
      </button>
    </div>
  );
}
