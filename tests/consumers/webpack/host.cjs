// Runs the bundle of an extension as VS Code does: `require("vscode")` returns the host's classes.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname } = require("node:path");

class Part {}
class Message {
  static User = () => new Message();
}
const vscode = { LanguageModelChatMessage: Message, LanguageModelTextPart: Part };
const [file] = process.argv.slice(2);
const own = createRequire(file);
const code = new Function("module", "exports", "require", "__filename", "__dirname", readFileSync(file, "utf8"));
const module_ = { exports: {} };
code(module_, module_.exports, (name) => (name === "vscode" ? vscode : own(name)), file, dirname(file));
module_.exports.activate(Message).then((line) => console.log(line));
