/** Limits of providers other than tokens. */

/** Limits of one request. An absent limit is not checked. */
export interface RequestLimits {
  /** Input tokens: the model's window without the room for its answer. */
  maxTokens?: number;
  /** Bytes of the request body. */
  maxBytes?: number;
  /** Pictures in the request. */
  maxImages?: number;
  /** Bytes of one picture, decoded. */
  maxImageBytes?: number;
  /** Pixels of the longer side of a picture. */
  maxImageSide?: number;
  /** The same for requests with more than 20 pictures. */
  maxImageSideOfMany?: number;
}

export const MB = 1_000_000;
export const MIB = 1_048_576;
