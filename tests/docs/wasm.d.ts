/** What Cloudflare's types declare for an import of the engine. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
