/** The engine as Cloudflare imports it. */
declare const module: WebAssembly.Module;
export default module;
