import * as espalier from "espalier";
import "espalier/grammars/typescript";
import { use } from "./use.js";

await espalier.init({ encodings: ["o200k_base", "cl100k_base"] });
document.title = await use(espalier);
