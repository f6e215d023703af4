/** Makes a page's storage as a browser has it that refuses it, or that has no room left. */

export const BROKEN = {
  refused: () => {
    Object.defineProperty(globalThis, "indexedDB", {
      value: {
        open: () => {
          throw new DOMException("no", "SecurityError");
        },
      },
    });
    Object.defineProperty(globalThis, "localStorage", {
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
  },
  full: () => {
    const full = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    IDBObjectStore.prototype.put = full;
    Storage.prototype.setItem = full;
  },
};
