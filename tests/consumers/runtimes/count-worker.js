import { count } from "espalier/count";
import "espalier/count/cl100k_base";

export default {
  async fetch() {
    return new Response(`${count("Hello world!")} ${count("Hello world!", { encoding: "cl100k_base" })}`);
  },
};
