/** Lines that clients of the reference contain: they must compile (`npm run check`) and do what they say. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type {
  BasePromptElementProps,
  PromptElementProps,
  PromptPiece,
  PromptPieceChild,
} from "../../../js/prompt/piece.ts";
import { rehearsal } from "./subject.ts";

const {
  BudgetExceededError,
  ChatResponseReferencePartStatusKind,
  createPiece,
  PromptElement,
  PromptReference,
  UserMessage,
} = espalier;

test("the kind of a reference's status may be a number", { skip: rehearsal }, () => {
  const reference = (done: boolean): InstanceType<typeof PromptReference> => {
    const options = {
      status: {
        description: "",
        kind: done ? ChatResponseReferencePartStatusKind.Complete : ChatResponseReferencePartStatusKind.Omitted,
      },
    };
    return new PromptReference({ variableName: "x" }, undefined, options);
  };
  const kind: number = reference(false).options?.status?.kind ?? 0;
  assert.equal(kind, 3);
  const back: (typeof ChatResponseReferencePartStatusKind)["Partial"] = 2 as number;
  assert.equal(ChatResponseReferencePartStatusKind[back], "Partial");
});

test("children are asked for their class without a cast", { skip: rehearsal }, () => {
  class Wrapper extends PromptElement<BasePromptElementProps> {
    constructor(props: PromptElementProps<BasePromptElementProps>) {
      super(props);
    }

    render(): PromptPiece | undefined {
      const { children = [] } = this.props;
      const isAsked = children.some((child) => typeof child === "object" && child.ctor === UserMessage);
      const first: PromptPieceChild = children[0];
      return isAsked && typeof first === "object" ? first : undefined;
    }
  }
  const message = createPiece(UserMessage, null, "question");
  assert.equal(new Wrapper({ children: [message] }).render(), message);
  assert.equal(new Wrapper({ children: ["text", undefined, false] }).render(), undefined);
});

test("a budget failure is found by its name, as logs do", { skip: rehearsal }, async () => {
  const error = await espalier
    .render(createPiece(UserMessage, null, "question", createPiece("cacheBreakpoint", {})), { budget: 5 })
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof BudgetExceededError);
  assert.equal(error.name, "BudgetExceededError");
  assert.match(String(error), /^BudgetExceededError: No lowest priority node found/);
});
