/** The worker of the view of search: it reads the folder, keeps its index, and searches. */

import type { SearchAnswer } from "../../js/search/types.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import type { Profile } from "../app/knobs.tsx";
import { sourceOf } from "../folder/source.ts";
import { keepFetched } from "../offline.ts";
import { answering, tell } from "../talk.ts";
import { other } from "./protocol.ts";
import type { Found, Progress, Questions, Wanted } from "./protocol.ts";
import { forgetStored, Workspace } from "./workspace.ts";

let workspace: Workspace | undefined;

async function open({ name, folder, encoding, definitions, profile }: Questions["open"][0]): Promise<undefined> {
  const source = await sourceOf(folder);
  await workspace?.dispose();
  const opened = new Workspace({ name, source, encoding, definitions }, (progress) =>
    tell({ ...progress } satisfies Progress),
  );
  workspace = opened;
  await opened.index(profile);
  void keepFetched();
  return undefined;
}

async function search(wanted: Wanted): Promise<Found> {
  const { query, profile, isCompared } = wanted;
  if (!workspace) throw new EspalierError({ code: "bad_input", message: "No folder is open." });
  const isComplete = workspace.isComplete(profile) && (!isCompared || workspace.isComplete(other(profile)));
  if (query.trim() === "") return { wanted, ms: 0, isComplete };
  const started = performance.now();
  const answer = await find(workspace, wanted, profile);
  const ms = performance.now() - started;
  const second = isCompared && { second: await find(workspace, wanted, other(profile)) };
  return { wanted, answer, ...second, ms, isComplete };
}

async function find(from: Workspace, { query, budget, isWhole }: Wanted, profile: Profile): Promise<SearchAnswer> {
  const index = await from.index(profile);
  return index.search(query, { budget, contributions: true, ...(!isWhole && { fullWorkspace: false }) });
}

answering<Questions>(
  {
    open,
    search,
    again: async () => void (await workspace?.again()),
    forget: forgetStored,
  },
  ["search"],
);
