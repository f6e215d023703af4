/** `espalier/log`: the log of a conversation by itself. */

export { ConversationLog } from "../log/log.ts";
export type * from "../log/types.ts";
export type { FindOptions, FoundMessage } from "../log/search.ts";
export type { MessageIndexLike, SearchLoader, SearchModule } from "../log/loader.ts";
