// The native API: functions as elements, children of all kinds, no globals.
import {
  AssistantMessage,
  Chunk,
  PromptElement,
  render,
  Tag,
  TextChunk,
  TokenLimit,
  toOpenAI,
  useKeepWith,
  UserMessage,
  type BasePromptElementProps,
  type PromptPieceChild,
  type PromptSizing,
} from "espalier/prompt";

const Rules = ({ list, children }: { list: string[]; children?: PromptPieceChild[] }, sizing: PromptSizing) => (
  <TextChunk priority={5}>
    {list.slice(0, sizing.tokenBudget).join(", ")}
    {children}
  </TextChunk>
);

async function Later({ count }: { count: number }) {
  return (
    <>
      {count}
      {null}
      {false}
      {new Set(["a", "b"])}
    </>
  );
}

class Old extends PromptElement<BasePromptElementProps & { said: string }> {
  render() {
    return (
      <Tag name="old" attrs={{ n: 1 }}>
        {this.props.said}
        {this.props.children}
      </Tag>
    );
  }
}

const Keep = useKeepWith();
const Prompt = () => (
  <>
    <UserMessage priority={1}>
      Hello {"you"} {1}
      <br />
      <Rules list={["be brief"]} priority={3} />
      <Rules list={[]}>one</Rules>
      <Later count={1} key="k" />
      <Old said="x">child</Old>
      <TokenLimit max={30}>
        <Chunk>a</Chunk>b
      </TokenLimit>
    </UserMessage>
    <Keep priority={1}>
      <AssistantMessage toolCalls={[]} name="b">
        done
      </AssistantMessage>
    </Keep>
  </>
);

console.log(JSON.stringify([typeof render, typeof toOpenAI, Prompt().children.length, "vscpp" in globalThis]));

// @ts-expect-error A prop is missing.
export const missing = () => <Rules />;
// @ts-expect-error There is no such element.
export const unknown = () => <div />;
// @ts-expect-error A number is wanted.
export const wrong = () => <Later count="1" />;
// @ts-expect-error An object is no child.
export const child = () => <UserMessage>{{ a: 1 }}</UserMessage>;
