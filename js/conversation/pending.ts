/** Refuses requests in which calls still wait for their results. */

import type { ConversationLog } from "../log/log.ts";
import type { ProviderName } from "../types/validity.ts";
import { RULES } from "../formats/table.ts";
import { providerOf } from "../validity/providers.ts";
import { refusePending, validate } from "../validity/validity.ts";

/**
 * @throws EspalierError `pending_calls` if calls at the end of the view have no result yet. The paths in its details
 *   are those of the view's messages.
 */
export function refuseOpenCalls(log: ConversationLog<unknown>, given: ProviderName | undefined): void {
  const { format } = log;
  // Formats without a provider: those of items pair calls and results as Responses does.
  const provider = providerOf(format, given) ?? (RULES[format].inAnswer ? "openai-responses" : "openai-chat");
  refusePending(validate(log.view().messages, provider, { format }));
}
