/** The lines that outlines and maps name: those of declarations, not those of their annotations. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Definition } from "../../../js/documents/outline.ts";

const { outline, repositoryMap } = espalier;

/** Files with annotations on lines of their own, in every language that has them. */
const FILES: Record<string, string> = {
  "A.java": `package a;\n\n@Entity\n@Table(name = "a")\npublic class A {\n  @Inject\n  private Foo foo;\n\n  @Override\n  @SuppressWarnings("unchecked")\n  public String toString() {\n    return "";\n  }\n\n  @Test void run() {}\n\n  /** Doc. */\n  @Deprecated\n  // why\n  int size() { return 1; }\n}\n@FunctionalInterface\ninterface B {\n  @GET\n  String get();\n}\n@Retention\n@interface C {}\nenum E {\n  @JsonProperty("x")\n  X, Y;\n}\n`,
  "a.cs": `using System;\n\n[ApiController]\n[Route("x")]\npublic class A {\n  [HttpGet]\n  public int Get() {\n    return 1;\n  }\n\n  [Required]\n  public string Name { get; set; }\n  [Obsolete]\n  A() {}\n  [Flags]\n  enum F { [X]\n A }\n}\n[Serializable]\nrecord R(int X);\n`,
  "a.py": `import a\n\n@dataclass\nclass A:\n    x: int = 1\n\n    @property\n    @cached(\n        1,\n    )\n    def size(self):\n        return 1\n\n@app.route("/x")\nasync def run():\n    pass\n`,
  "a.rs": `#[derive(Debug)]\n#[serde(default)]\npub struct A {\n    #[serde(skip)]\n    x: u32,\n}\n\n#[test]\nfn run() {}\n\nimpl A {\n    #[inline]\n    pub fn size(&self) -> u32 {\n        1\n    }\n}\nenum E {\n    #[default]\n    A,\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n`,
  "a.php": `<?php\n#[Entity]\n#[Table("a")]\nclass A {\n    #[Column]\n    private int $x;\n\n    #[Route("/x")]\n    public function run(): int {\n        return 1;\n    }\n    #[X]\n    const A = 1;\n}\n#[Y]\nfunction f() {}\n#[Z]\nenum E: string {\n    #[W]\n    case A = "a";\n}\n`,
  "a.ts": `@Component({\n  selector: "a",\n})\nexport class A {\n  @Input() name = "";\n  @Input()\n  size = 1;\n\n  @HostListener("x")\n  run() {}\n}\nexport @Dec() class B {}\n@Injectable()\nclass C {}\n`,
  "a.cpp": `[[nodiscard]]\nint f();\n\nclass A {\n public:\n  [[deprecated]]\n  int g() { return 1; }\n};\n`,
};

test("the line of a definition is that of its declaration", async () => {
  for (const [path, text] of Object.entries(FILES)) {
    const lines = text.split("\n");
    const { definitions, text: drawn, basis } = await outline(text, { path });
    assert.ok(basis.path === "syntax" && !basis.hasErrors, path);
    const check = (list: readonly Definition[]): void => {
      for (const { name, line, children } of list) {
        assert.ok(lines[line - 1]!.includes(name), `${path}: ${name} in line ${line}\n${drawn}`);
        check(children);
      }
    };
    check(definitions);
    for (const [, number, signature] of drawn.matchAll(/^(\d+): *(.*)$/gm)) {
      assert.ok(
        lines[Number(number) - 1]!.includes(signature!.split(/[ ({:]/)[0]!),
        `${path}: ${number}: ${signature}`,
      );
      assert.doesNotMatch(signature!, /^(?:@(?!interface)|[#[])/, path);
    }
    const map = await repositoryMap([{ path, text }], { budget: 2_000 });
    for (const { name, line } of map.definitions) assert.ok(lines[line - 1]!.includes(name), `${path}: ${name}`);
  }
});

test("annotations belong to the range of a definition", async () => {
  const { definitions } = await outline(FILES["A.java"]!, { path: "A.java" });
  const [type] = definitions;
  assert.ok(FILES["A.java"]!.slice(type!.start, type!.end).startsWith("@Entity"));
});
