import * as espalier from "espalier";
import { use } from "./use.js";

use(espalier).then((line) => console.log(line));
