/** Limits of a request other than tokens. */

/** Limits of one request. An absent limit is not checked. */
export interface RequestLimits {
  /** Input tokens: the model's window without the room for its answer. */
  maxTokens?: number;
  /** Bytes of the request body. */
  maxBytes?: number;
  /** Messages in the request. */
  maxMessages?: number;
  /** Tool definitions in the request. */
  maxTools?: number;
  /** Pictures in the request. */
  maxImages?: number;
  /** Bytes of one picture, decoded. */
  maxImageBytes?: number;
  /** Pixels of the longer side of a picture. */
  maxImageSide?: number;
  /** The same for requests with more than 20 pictures. */
  maxImageSideOfMany?: number;
}

/** A limit that the request exceeds. */
export interface LimitFinding {
  limit: keyof RequestLimits;
  allowed: number;
  found: number;
  message: string;
}
