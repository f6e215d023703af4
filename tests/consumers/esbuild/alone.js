import * as espalier from "espalier/inline/o200k_base";
import "espalier/inline/cl100k_base";
import { use } from "./use.js";

use(espalier).then((line) => {
  if (typeof document === "undefined") postMessage(line);
  else document.title = line;
});
