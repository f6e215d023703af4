/** The main engine's side of {@link definitionsOf}. */

import "../../js/entries/engines/core-web.ts";
import { languageOf, languages, outline } from "../../js/entries/documents.ts";
import { init } from "../../js/entries/verbs.ts";
import type { Definition } from "../../js/documents/outline.ts";
import type { SearchDefinition } from "../../js/search/types.ts";
import type { Questions } from "./definitions.ts";
import { keepFetched } from "../offline.ts";
import { answering } from "../talk.ts";

const kept = new Set<string>();

async function definitions({ path, text }: Questions["definitions"][0]): Promise<SearchDefinition[] | undefined> {
  await init();
  const language = languageOf(path, text);
  if (language === undefined || !languages().includes(language)) return undefined;
  const { basis, definitions } = await outline(text, { path, language });
  if (!kept.has(language)) void keepFetched();
  kept.add(language);
  return basis.path === "syntax" ? flat(definitions) : undefined;
}

function flat(definitions: readonly Definition[]): SearchDefinition[] {
  const all: SearchDefinition[] = [];
  const open = definitions.toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    all.push({ name: next.name, start: next.start, end: next.end });
    open.push(...next.children.toReversed());
  }
  return all;
}

answering<Questions>({ definitions });
