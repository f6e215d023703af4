import { PromptElement, SystemMessage, type BasePromptElementProps, type PromptSizing } from "espalier/prompt-tsx";

interface Props extends BasePromptElementProps {
  name: string;
}

export class Greeting extends PromptElement<Props> {
  override render(_state: void, _sizing: PromptSizing) {
    return <SystemMessage priority={1}>Hello {this.props.name}</SystemMessage>;
  }
}
