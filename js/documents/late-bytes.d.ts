export declare const bytes: () => Uint8Array<ArrayBuffer>;
