import espalier = require("espalier");
import promptTsx = require("espalier/prompt-tsx");

const tokens: number = espalier.count("a");
const mode: promptTsx.OutputMode = promptTsx.OutputMode.Raw;
export = { tokens, mode };
