import { init } from "espalier";

try {
  init().catch((error) => postMessage(`${error.code}: ${error.message}`));
} catch (error) {
  postMessage(`${error.code}: ${error.message}`);
}
