import * as espalier from "espalier";
import "espalier/inline/cl100k_base";
import "espalier/grammars/typescript";
import { use } from "./use.js";

export default {
  async fetch() {
    try {
      return new Response(await use(espalier));
    } catch (error) {
      return new Response(`${error.code}: ${error.message}`);
    }
  },
};
