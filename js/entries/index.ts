/** `espalier`: the verbs, and the types of what goes in and comes out. */

export * from "./verbs.ts";
export { render, renderRequest } from "../prompt/index.ts";
export type {
  RenderedRequest,
  RenderFormat,
  RenderOptions,
  RenderRequestOptions,
  Requests,
  RequestStatus,
} from "../prompt/index.ts";
