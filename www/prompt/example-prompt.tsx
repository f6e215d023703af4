/** An agent that is asked why a build fails. Change anything: the prompt is rendered again as you type. */

import {
  AssistantMessage,
  Chunk,
  SystemMessage,
  Tag,
  TextChunk,
  TokenLimit,
  ToolMessage,
  UserMessage,
} from "espalier/prompt";
import type { PromptPiece, PromptSizing } from "espalier/prompt";

const TURNS = [
  [
    "What does this repository do?",
    "It parses dates that people write by hand. The parser is in src/parse.ts, the formats are in src/formats.ts.",
  ],
  [
    "Add the Dutch month names.",
    "Done: src/formats.ts has them now, and a test for each. Names are compared without case.",
  ],
  ["Can it read week numbers?", "Not yet. ISO weeks would need a second pass, since a week alone is no day. Shall I?"],
  [
    "Yes, with Monday as the first day.",
    "Done: parseWeek in src/parse.ts gives the Monday. Weeks of years that do not have 53 are refused.",
  ],
] as const;

/**
 * Earlier turns; the newest is removed last. With `passPriority` each of them competes with the messages around them by
 * itself.
 */
function History(_: { passPriority: true }): PromptPiece[] {
  return TURNS.map(([asked, said], age) => (
    <>
      <UserMessage priority={10 + age}>{asked}</UserMessage>
      <AssistantMessage priority={10 + age}>{said}</AssistantMessage>
    </>
  ));
}

/** The end of a log, with as many lines as fit its share of the budget; the last lines are removed last. */
function Log(_: { flexGrow: number }, { tokenBudget }: PromptSizing): PromptPiece[] {
  const line = (at: number) =>
    `src/parse.ts(${40 + at},7): error TS2322: Type 'string' is not assignable to type 'number'.`;
  return Array.from({ length: Math.min(8, Math.floor(tokenBudget / 100)) }, (_, at) => (
    <TextChunk priority={at}>{line(at)}</TextChunk>
  ));
}

/** One round: a call is removed together with its result. */
function Round({
  id,
  path,
  text,
  rank,
}: {
  id: string;
  path: string;
  text: string;
  rank: number;
  passPriority: true;
}): PromptPiece {
  const call = { id, type: "function" as const, function: { name: "read_file", arguments: JSON.stringify({ path }) } };
  return (
    <>
      <AssistantMessage priority={rank} toolCalls={[call]} />
      <ToolMessage priority={rank} toolCallId={id}>
        {text}
      </ToolMessage>
    </>
  );
}

export default function Prompt(): PromptPiece {
  return (
    <>
      <SystemMessage priority={1000}>
        You find what broke a build, and say it in two sentences.
        <TokenLimit max={60}>
          <TextChunk priority={5}>Prefer the smallest change that makes the build pass. Never change tests.</TextChunk>
          <Chunk priority={3}>House style: two spaces, double quotes, no abbreviations in names.</Chunk>
        </TokenLimit>
      </SystemMessage>
      <History passPriority />
      <UserMessage priority={900}>
        Why does the build fail since this morning?
        <br />
        <Tag name="log" priority={50}>
          <Log flexGrow={1} />
        </Tag>
      </UserMessage>
      <Round
        id="call_1"
        path="src/parse.ts"
        rank={60}
        passPriority
        text={
          'export function parseWeek(text: string): number {\n  const [year, week] = text.split("-W");\n  return monday(year, week);\n}\n'
        }
      />
      <Round
        id="call_2"
        path="tsconfig.json"
        rank={55}
        passPriority
        text={'{ "compilerOptions": { "strict": true, "target": "es2022" } }'}
      />
    </>
  );
}
