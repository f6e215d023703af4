/** The used part of IndexedDB, in memory: transactions, one store with a key and an index, cursors. */

type Row = { at: number; name: string; text: string };
type Request = { result: unknown; onsuccess?: () => void; onerror?: () => void; onupgradeneeded?: () => void };

/** `asked`: records each operation and its text. */
export function fakeIndexedDb(asked: string[] = []): IDBFactory {
  const rows = new Map<number, Row>();
  let next = 1;
  (globalThis as Record<string, unknown>)["IDBKeyRange"] ??= { only: (value: unknown) => ({ only: value }) };
  const index = (transaction: Transaction) => {
    const of = (range: { only: string } | null) => {
      asked.push(`read ${range === null ? "all" : range.only}`);
      return [...rows.values()].filter(({ name }) => range === null || name === range.only);
    };
    return {
      getAll: (range: { only: string }) => transaction.run(() => of(range).toSorted((a, b) => a.at - b.at)),
      openCursor: (range: { only: string }) =>
        transaction.walk(
          () => of(range),
          (row) => ({ delete: () => rows.delete(row.at) }),
        ),
      openKeyCursor: (range: null) =>
        transaction.walk(
          () => [...new Map(of(range).map((row) => [row.name, row])).values()],
          (row) => ({ key: row.name }),
        ),
    };
  };
  class Transaction {
    oncomplete?: () => void;
    private open = 0;
    constructor() {
      this.open += 1;
      setImmediate(() => this.done());
    }
    private done() {
      this.open -= 1;
      if (this.open === 0) setImmediate(() => (this.open === 0 ? this.oncomplete?.() : undefined));
    }
    run(work: () => unknown): Request {
      const request: Request = { result: undefined };
      this.open += 1;
      setImmediate(() => {
        request.result = work();
        request.onsuccess?.();
        this.done();
      });
      return request;
    }
    walk(list: () => Row[], cursor: (row: Row) => object): Request {
      const request: Request = { result: undefined };
      const found = list();
      let at = 0;
      const step = () => {
        this.open += 1;
        setImmediate(() => {
          const row = found[at++];
          request.result = row ? { ...cursor(row), continue: step } : null;
          request.onsuccess?.();
          this.done();
        });
      };
      step();
      return request;
    }
    objectStore() {
      return {
        index: () => index(this),
        add: (row: Omit<Row, "at">) =>
          this.run(() => {
            asked.push(`add ${row.name}`);
            const at = next++;
            rows.set(at, { ...row, at });
            return at;
          }),
      };
    }
  }
  const database = {
    transaction: () => new Transaction(),
    createObjectStore: () => ({ createIndex: () => undefined }),
    close: () => undefined,
  };
  return {
    open() {
      const request: Request = { result: database };
      setImmediate(() => {
        request.onupgradeneeded?.();
        request.onsuccess?.();
      });
      return request;
    },
  } as unknown as IDBFactory;
}
