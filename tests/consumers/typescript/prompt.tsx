import { render, SystemMessage, TextChunk, UserMessage } from "espalier/prompt";

export const prompt = render(
  <>
    <SystemMessage priority={10}>Be brief.</SystemMessage>
    <UserMessage>
      <TextChunk breakOn={/\s+/g}>text</TextChunk>
    </UserMessage>
  </>,
  { budget: 100 },
);
