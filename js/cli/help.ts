export const HELP = `espalier fits a conversation into a context window.

  espalier count   FILE                what it costs, message by message
  espalier prune   FILE --budget N     one request cut to N tokens; the result goes to standard output
  espalier compact FILE --budget N     older history replaced by a summary
  espalier log     LOG                 what happened to a conversation, from a log that compact keeps
  espalier summarize FILE… --budget N  source files cut to N tokens, with a comment where something is missing
  espalier outline DIR  --budget N     the definitions that matter most in a folder of source files; of one FILE all of them

FILE is JSON (or JSON Lines): messages, or a request with messages, of OpenAI chat or Responses, Anthropic, Gemini, VS Code or the
AI SDK; the format is detected. "-" reads standard input. N is in tokens; 32k is 32000.

  -b, --budget N        tokens the request may have
      --json            one object with messages, report and edits, instead of messages on stdout and a report on stderr
  -o, --output FILE     write there instead of to standard output
      --format NAME     openai-chat, openai-responses, anthropic, gemini, vscode, ai-sdk, espalier
      --encoding NAME   o200k_base (default) or cl100k_base
      --model NAME      pick the encoding by model
      --cost-model NAME espalier (default), copilot-chat or copilot-chat-extension
      --headroom N      prune: tokens to leave free

compact:
      --llm PROVIDER:MODEL let a model write the summary: openai, openai-responses, anthropic or gemini; the key comes from
                           OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY. Without it rules do, offline.
      --base-url URL       of any server that speaks like that provider (default: the provider's own)
      --llm-budget N       tokens that model accepts (default: the budget)
      --on-failure WHAT    leave (default): a model that fails changes nothing; offline: rules take over
      --timeout SECONDS    for each model call (default 120)
      --focus TEXT         what the summary should pay attention to
      --force              even if the conversation fits
      --plan               show what would be done, message by message, and the summary; nothing is written
      --log FILE           keep what was done in FILE, an event log of JSON lines beside the messages; FILE may have grown since
      --undo, --redo       with --log: take back the newest compaction (a step each time), or put it back
      --pin IDS            messages that stay word for word, with commas between them; with --log for good, without --budget nothing else
      --unpin IDS          with --log: the end of that
      --profile NAME       whose rules: espalier (default), copilot-chat, gemini-cli or copilot-cli

log:
      --recall ID          what an edit hid: of a message (m17), a range (m3..m9), an edit (e40) or a summary (e40:summary)

summarize:
      --selection A[:B]    lines of the first file that stay, from 1; one line is a cursor: what is around it comes first
      --lines              begin each line with its number
      --language NAME      of sources whose name does not say it, such as standard input

outline:
      --language NAME      the same
      --focus PATHS        files that the work is about, with commas between them: what they refer to comes first, and they are left out
      --mention NAMES      names and paths that matter more
      --json               definitions and ranks, too
      Left out are node_modules, .git, what the repository's .gitignore files name, links, binary files, files of more than 1 MB, and files
      of languages without a grammar; standard error says how many.

Exit codes: 0 done, 2 usage, 3 unreadable input, 4 the budget cannot be met, 5 the model failed and nothing was changed, 1 a bug.
`;
