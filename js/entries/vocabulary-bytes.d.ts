/** What the build puts beside the entries: a function that returns the bytes of a vocabulary file. */
export declare const bytes: () => Uint8Array<ArrayBuffer>;
