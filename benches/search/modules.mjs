// The same tasks for each module. The peers get pieces of 900 characters at ends of lines, about 250 tokens each:
// cutting them is not counted as their work. Ours gets whole files, and its time includes cutting and counting.

const PIECE = 900;

function pieces({ path, text }) {
  const found = [];
  let open = "";
  const close = () => {
    if (open.trim() !== "") found.push({ id: `${path}#${found.length}`, text: open });
    open = "";
  };
  for (const line of text.split("\n")) {
    if (open.length + line.length > PIECE) close();
    open += `${line}\n`;
  }
  close();
  return found;
}

/** A search asks for as many hits as a prompt of 128 chunks has. */
const MAX = 128;

/** Returns the pieces of files, cut before the clock starts; texts of an update replace those of their file. */
function cut(files) {
  return new Map(files.map((file) => [file.path, pieces(file)]));
}

export const modules = { espalier, minisearch, orama };

async function espalier() {
  const place = process.env.ESPALIER_PKG ?? new URL("../../pkg/", import.meta.url);
  const { openIndex } = await import(new URL("dist/search-node.js", place).href);
  const open = async (files, storage) => {
    const texts = new Map(files.map((file) => [file.path, { text: file.text, version: "1" }]));
    const source = {
      list: () => [...texts].map(([path, { version }]) => ({ path, version })),
      read: async (path) => texts.get(path),
    };
    return { texts, storage, index: await openIndex({ source, storage }) };
  };
  return {
    async warm() {
      const { index } = await open([{ path: "a.ts", text: "export const warm = 1;" }], memory());
      await index.sync();
      await index.search("warm", { fullWorkspace: false });
      await index.dispose();
    },
    async build(files) {
      const opened = await open(files, undefined);
      await opened.index.sync();
      return opened;
    },
    search: ({ index }, query) => index.search(query, { maxResults: MAX, fullWorkspace: false }),
    async update({ index, texts }, files) {
      for (const { path, text } of files) texts.set(path, { text, version: "2" });
      await index.refresh(files.map((file) => file.path));
    },
    async save(opened) {
      opened.storage = memory();
      const second = await open(
        [...opened.texts].map(([path, { text }]) => ({ path, text })),
        opened.storage,
      );
      await second.index.sync();
      await second.index.save();
      await second.index.dispose();
      return opened.storage;
    },
    load: (storage, files) => open(files, storage),
    size: (storage) => storage.bytes(),
  };
}

function memory() {
  const blobs = new Map();
  return {
    readBytes: (name) => blobs.get(name),
    writeBytes: (name, bytes) => void blobs.set(name, bytes.slice()),
    list: (prefix) => [...blobs.keys()].filter((name) => name.startsWith(prefix)),
    delete: (name) => void blobs.delete(name),
    bytes: () => [...blobs.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

async function minisearch() {
  const { default: MiniSearch } = await import("minisearch");
  const options = { fields: ["text"] };
  return {
    warm: () => new MiniSearch(options).addAll(pieces({ path: "a", text: "warm" })),
    build(files) {
      const known = cut(files);
      const index = new MiniSearch(options);
      for (const own of known.values()) index.addAll(own);
      return { index, known };
    },
    search: ({ index }, query) => index.search(query).slice(0, MAX),
    update({ index, known }, files) {
      for (const file of files) {
        index.discardAll(known.get(file.path).map(({ id }) => id));
        known.set(file.path, pieces(file));
        index.addAll(known.get(file.path));
      }
    },
    save: ({ index }) => JSON.stringify(index),
    load: (saved) => ({ index: MiniSearch.loadJSON(saved, options) }),
    size: (saved) => Buffer.byteLength(saved),
  };
}

async function orama() {
  const { create, insertMultiple, load, removeMultiple, save, search } = await import("@orama/orama");
  const empty = () => create({ schema: { text: "string" } });
  return {
    warm: () => insertMultiple(empty(), [{ id: "a", text: "warm" }]),
    async build(files) {
      const known = cut(files);
      const index = empty();
      await insertMultiple(index, [...known.values()].flat(), 5000, undefined, undefined, 0);
      return { index, known };
    },
    search: ({ index }, query) => search(index, { term: query, limit: MAX }),
    async update({ index, known }, files) {
      await removeMultiple(
        index,
        files.flatMap((file) => known.get(file.path).map(({ id }) => id)),
        5000,
      );
      for (const file of files) known.set(file.path, pieces(file));
      await insertMultiple(
        index,
        files.flatMap((file) => known.get(file.path)),
        5000,
      );
    },
    save: ({ index }) => JSON.stringify(save(index)),
    load(saved) {
      const index = empty();
      load(index, JSON.parse(saved));
      return { index };
    },
    size: (saved) => Buffer.byteLength(saved),
  };
}
