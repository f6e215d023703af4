/** A file of the package inside the JavaScript: a function that returns its bytes. */
declare const bytes: () => Uint8Array<ArrayBuffer>;
export default bytes;
