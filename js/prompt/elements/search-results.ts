/** Search results as a part of a prompt. */

import { badOption as bad } from "../../errors/errors.ts";
import { fittingHits, needHits } from "../../search/shown.ts";
import type { FoundHits } from "../../search/shown.ts";
import { PromptElement } from "../element.ts";
import type { UriComponents } from "../host-types.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptElementProps, PromptPiece } from "../piece.ts";
import { PromptReference } from "../results.ts";
import { Chunk } from "./containers.ts";

export interface SearchResultsProps extends BasePromptElementProps {
  /** The result of an index's `search`. */
  answer: FoundHits;
  /** Returns the address of a file, for the references of the hits. Default: hits have no references. */
  uri?: (path: string) => UriComponents;
}

/**
 * Shows the hits of a search, the most relevant last, each between tags with its path and lines. It shows as many as
 * fit its budget: the least relevant are left out first, and a hit larger than the room is summarised. With `flexGrow`
 * it takes the room that the rest of the prompt leaves. Of n hits, the one of rank i has the priority `priority + 1 -
 * (i + 1) / n` (without `priority`: from 0), so pruning removes the least relevant first, too.
 *
 * ```tsx
 * import { render, SearchResults, UserMessage } from "espalier/prompt";
 *
 * const answer = { // as `index.search` returns it
 *   query: "where are tokens counted?",
 *   hits: [
 *     { path: "src/count.ts", firstLine: 11, lastLine: 13, header: "", text: "function count() {\n  return 1;\n}" },
 *     { path: "src/parse.ts", firstLine: 0, lastLine: 0, header: "", text: "export const tokens = [];" },
 *   ],
 * };
 * const { messages } = await render(
 *   <UserMessage>
 *     <SearchResults answer={answer} priority={5} flexGrow={1} />
 *     Where are tokens counted?
 *   </UserMessage>,
 *   { budget: 50 },
 * );
 * const expected = '<file path="src/count.ts" lines="12-14">\nfunction count() {\n  return 1;\n}\n</file>\n';
 * messages[0]?.content; // => `${expected}Where are tokens counted?`
 * ```
 */
export class SearchResults extends PromptElement<SearchResultsProps> {
  constructor(props: PromptElementProps<SearchResultsProps>) {
    super(props);
    needHits(props.answer, "answer");
    if (props.uri !== undefined && typeof props.uri !== "function") throw bad("", "a function", props.uri, "uri");
  }

  async render(_state: void, sizing: BasePromptSizing): Promise<PromptPiece> {
    const { answer, uri, priority = 0 } = this.props;
    const count = answer.hits.length;
    const shown = await fittingHits(answer, sizing);
    const chunk = (text: string, rank: number) => {
      const hit = answer.hits[rank]!;
      const references = uri && createPiece("references", { value: [referenceTo(uri(hit.path), hit)] });
      return createPiece(Chunk, { priority: priority + 1 - (rank + 1) / count }, references, `${text}\n`);
    };
    return createPiece(Fragment, null, ...shown.map(chunk).reverse());
  }
}

function referenceTo(uri: UriComponents, { text, firstLine, lastLine }: FoundHits["hits"][number]): PromptReference {
  const character = text.length - (text.lastIndexOf("\n") + 1);
  return new PromptReference({
    uri,
    range: { start: { line: firstLine, character: 0 }, end: { line: lastLine, character } },
  });
}
