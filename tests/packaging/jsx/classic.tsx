// An extension as it is written for the library that `espalier/prompt-tsx` replaces: compiled without VS Code's types,
// and beside React's.
import {
  AssistantMessage,
  type BasePromptElementProps,
  BudgetExceededError,
  Chunk,
  contentType,
  Expandable,
  HTMLTracer,
  IfEmpty,
  Image,
  type ITokenizer,
  type JSONTree,
  MetadataMap,
  OpenAI,
  OutputMode,
  PrioritizedList,
  type PromptElementCtor,
  PromptElement,
  type PromptElementProps,
  PromptMetadata,
  type PromptPiece,
  PromptReference,
  PromptRenderer,
  type PromptSizing,
  type QueueItem,
  Raw,
  renderElementJSON,
  renderPrompt,
  SystemMessage,
  TextChunk,
  TokenLimit,
  type ToolCall,
  ToolMessage,
  ToolResult,
  useKeepWith,
  UserMessage,
} from "espalier/prompt-tsx";

interface Props extends BasePromptElementProps {
  name: string;
}

class Note extends PromptMetadata {
  readonly said: string;
  constructor(said: string) {
    super();
    this.said = said;
  }
}

class Hello extends PromptElement<Props, number> {
  readonly service: { mark: string };
  constructor(props: PromptElementProps<Props>, service = { mark: "?" }) {
    super(props);
    this.service = service;
  }
  override async prepare(): Promise<number> {
    return 2;
  }
  render(state: number, sizing: PromptSizing): PromptPiece | undefined {
    const KeepWith = useKeepWith();
    const call: ToolCall = {
      id: "1",
      type: "function",
      function: { name: "run", arguments: "{}" },
      keepWith: KeepWith,
    };
    return (
      <>
        <SystemMessage priority={1000}>
          Hi {this.props.name}
          {this.service.mark}
          <br />
          {state > 1 && <TextChunk breakOnWhitespace>breaks</TextChunk>}
          {state > 2 && "never"}
        </SystemMessage>
        <UserMessage name="a" flexGrow={1} flexReserve="/3">
          {this.props.children}
          {[1, 2].map((i) => (
            <Chunk priority={i}>{i}</Chunk>
          ))}
          <cacheBreakpoint type="ephemeral" />
        </UserMessage>
        <AssistantMessage toolCalls={[call]} />
        <KeepWith priority={2}>
          <ToolMessage toolCallId="1">
            <ToolResult data={{ content: [{ value: "done" }] }} />
          </ToolMessage>
        </KeepWith>
        <UserMessage>
          <PrioritizedList priority={3} descending={false}>
            <TokenLimit max={sizing.tokenBudget / 6}>limited</TokenLimit>
          </PrioritizedList>
          <IfEmpty alt="nothing">
            <Expandable value={async () => "expanded"} />
          </IfEmpty>
          <Image src="https://example.org/x.png" detail="low" />
          <meta value={new Note("kept")} local />
          <references value={[new PromptReference({ variableName: "x" })]} />
          <opaque value={{ type: "own" }} tokenUsage={3} />
        </UserMessage>
      </>
    );
  }
}

class Injected<P extends BasePromptElementProps, M extends OutputMode> extends PromptRenderer<P, M> {
  protected override createElement(element: QueueItem<PromptElementCtor<P, any>, P>) {
    return new element.ctor(element.props, { mark: "!" });
  }
}

const tokenizer: ITokenizer<OutputMode.Raw> = {
  mode: OutputMode.Raw,
  tokenLength: (part) => (part.type === Raw.ChatCompletionContentPartKind.Text ? part.text.length : 0),
  countMessageTokens: (message: Raw.ChatMessage) => message.content.length,
};

const { messages, metadata, usedContext } = await renderPrompt(
  Hello,
  { name: "you" },
  { modelMaxPromptTokens: 100 },
  tokenizer,
);
const system = messages.find((message): message is Raw.SystemChatMessage => message.role === Raw.ChatRole.System);
const typed: { role: Raw.ChatRole.System } | undefined = system;
const renderer = new Injected({ modelMaxPromptTokens: 1000 }, Hello, { name: "you" }, tokenizer);
renderer.tracer = new HTMLTracer();
const injected = await renderer.render();
const tree: JSONTree.PromptElementJSON = await renderElementJSON(
  class extends PromptElement {
    render() {
      return <Chunk>json</Chunk>;
    }
  },
  {},
  undefined,
);
const role: OpenAI.ChatRole.System = OpenAI.ChatRole.System;
const text = (message: Raw.ChatMessage | undefined) =>
  message?.content.map((part) => (part.type === Raw.ChatCompletionContentPartKind.Text ? part.text : "*")).join("");
console.log(
  JSON.stringify([
    text(system),
    typed?.role,
    text(injected.messages[0]),
    text(messages.at(-1)),
    metadata.get(Note)?.said,
    MetadataMap.empty.get(Note) ?? null,
    usedContext.length,
    tree.node.type,
    role,
    contentType,
    BudgetExceededError.name,
  ]),
);

// @ts-expect-error There is no such prop.
export const prop = () => <Hello nam="x" />;
// @ts-expect-error A number is no metadata, and this `meta` is not React's.
export const meta = () => <meta value={3} />;
