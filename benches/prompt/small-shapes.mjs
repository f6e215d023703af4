// Small prompts, as chat extensions render them thousands of times a day: own components around the module's elements.
import { text } from "./shapes.mjs";

const h = (ctor, props, ...children) => ({ ctor, props, children });
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** Makes a class of elements from a `render`. */
function component(module, render) {
  return class extends module.PromptElement {
    render(_state, sizing) {
      return render(this.props, sizing);
    }
  };
}

const fragment = Object.assign(() => undefined, { isFragment: true });
const group = (...children) => h(fragment, {}, ...children);

/** Each returns the root class. The number in the key counts the elements, including the root. */
export const smallShapes = {
  "one message, one text": (module) => component(module, () => h(module.UserMessage, {}, LINE)),
  "25: instructions and a question": tiny,
  "67: chat request": (module) => chat(module, { turns: 6, files: 6 }),
  "171: agent request": (module) => chat(module, { turns: 20, files: 16 }),
  "40 own components side by side": (module) => {
    const Own = component(module, (props) => props.children);
    return component(module, () => h(module.UserMessage, {}, ...times(40, (index) => h(Own, {}, `${index} ${LINE}`))));
  },
  "40 own components nested": (module) => {
    const Own = component(module, (props) => props.children);
    return component(module, () =>
      h(
        module.UserMessage,
        {},
        times(40, (index) => index).reduce((inner, index) => h(Own, {}, `${index} `, inner), LINE),
      ),
    );
  },
  "40 text chunks": (module) =>
    component(module, () =>
      h(module.UserMessage, {}, ...times(40, (index) => h(module.TextChunk, { priority: index }, LINE))),
    ),
};

const LINE = text(12);
const PARAGRAPH = text(60);

function tiny(module) {
  const { SystemMessage, UserMessage, TextChunk } = module;
  const Rules = component(module, () =>
    group(...times(12, (index) => h(TextChunk, { priority: index }, `${index}. ${LINE}`))),
  );
  const Question = component(module, (props) => group("Question: ", props.children));
  return component(module, () =>
    group(
      h(SystemMessage, { priority: 1000 }, h(Rules, {})),
      h(
        UserMessage,
        { priority: 900 },
        ...times(8, (index) => h(TextChunk, { priority: index }, LINE)),
        h(Question, { priority: 100 }, LINE),
      ),
    ),
  );
}

/**
 * Returns a prompt of an editor's agent: instructions, history and attachments that adapt to their budgets, rounds of
 * calls, and the question.
 */
function chat(module, { turns, files }) {
  const { SystemMessage, UserMessage, AssistantMessage, TextChunk, TokenLimit } = module;
  const Safety = component(module, () => group("Refuse what harms. ", LINE));
  const Rules = component(module, () =>
    group(h(Safety, {}), ...times(7, (index) => h(TextChunk, { priority: index }, `${index}. ${LINE}`))),
  );
  const Turn = component(module, ({ index }) =>
    group(
      h(UserMessage, { priority: index }, h(TextChunk, {}, `${index} ${LINE}`)),
      h(
        AssistantMessage,
        { priority: index },
        h(TextChunk, { priority: 1 }, PARAGRAPH),
        h(TextChunk, { priority: 2 }, LINE),
      ),
    ),
  );
  const History = component(module, () =>
    group(...times(turns, (index) => h(Turn, { index, priority: index, passPriority: true }))),
  );
  const File = component(module, ({ index }, { tokenBudget }) =>
    group(
      h(TextChunk, { priority: index }, `File ${index}:`, h("br", {}), tokenBudget > 40 ? PARAGRAPH : LINE),
      h("references", { value: [new module.PromptReference({ variableName: `file${index}` })] }),
    ),
  );
  const Files = component(module, () =>
    h(TokenLimit, { max: 4000 }, ...times(files, (index) => h(File, { index, priority: index }))),
  );
  const Question = component(module, (props) =>
    group(h(TextChunk, { priority: 10 }, "The question: "), props.children),
  );
  return component(module, () =>
    group(
      h(SystemMessage, { priority: 1000 }, h(Rules, {})),
      h(History, { priority: 700, flexGrow: 1, passPriority: true }),
      h(UserMessage, { priority: 800, flexGrow: 3 }, h(Files, { priority: 1 }), h(TextChunk, { priority: 2 }, LINE)),
      h(UserMessage, { priority: 900, flexGrow: 7 }, h(Question, {}, LINE)),
    ),
  );
}
