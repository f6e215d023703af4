/** `espalier`: the verbs, and the types of their options and results. */

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
