/** What the build puts inside the JavaScript: a function that returns the bytes. */
declare const bytes: () => Uint8Array<ArrayBuffer>;
export default bytes;
