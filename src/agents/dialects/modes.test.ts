import { describe, expect, test } from "vitest";
import { codesOf, plain, translateAll } from "./dialect.fixture.ts";
import { modesDialect } from "./modes.ts";
import { regexWildcards } from "./wildcards.ts";

const modes = (text: string, file = ".roomodes") => translateAll(modesDialect, text, file);

test("each mode in the list is translated to an agent whose prompt is the mode's role", () => {
  const [writer, runner] = modes(
    [
      "customModes:",
      "  - slug: doc-writer",
      "    name: 📝 Writer",
      "    roleDefinition: You write.",
      "    customInstructions: Keep it short.",
      "    description: For people",
      "    whenToUse: When text is needed",
      "    groups: [read, [edit, {fileRegex: '\\.md$', description: Markdown}], mcp]",
      "    source: project",
      "  - slug: runner",
      "    roleDefinition: You run.",
      "    groups: [command, browser]",
    ].join("\n"),
  );
  expect(plain(writer!.keys)).toEqual({
    name: "doc-writer",
    title: "📝 Writer",
    description: "When text is needed",
    tools: ["Read", "Grep", "Glob", "LS", "mcp__*__*", "Edit(**/*.md)", "Write(**/*.md)"],
  });
  expect(writer!.body).toBe("You write.\n\nKeep it short.");
  expect(codesOf(writer!)).toEqual([]);
  expect(writer!.from["name"]).toEqual(["customModes", 0, "slug"]);
  expect(plain(runner!.keys)).toEqual({ name: "runner", tools: ["Bash", "WebFetch", "WebSearch"] });
});

test("a JSON file can have a map of modes, with the slug as the key", () => {
  const text = JSON.stringify({
    coder: { description: "Codes", prompt: "You code.", tools: ["Read", "Memory"] },
  });
  const [coder] = modes(text);
  expect(plain(coder!.keys)).toEqual({ name: "coder", description: "Codes", tools: ["Read"] });
  expect(coder!.body).toBe("You code.");
  expect(codesOf(coder!)).toEqual(["UNKNOWN_TOOL"]);
});

describe("if a tool group cannot be translated, the agent gets no additional tools", () => {
  test.each([
    ["groups: []", [], []],
    ["groups: [[edit, {fileRegex: '[a-z]+'}]]", [], ["PERMISSION_NARROWED"]],
    ["groups: [[command, {fileRegex: '.*'}]]", [], ["PERMISSION_NARROWED"]],
    ["groups: [[edit, {description: all}], [read]]", ["Read", "Grep", "Glob", "LS", "Edit", "Write"], []],
    ["groups: [fly]", [], ["UNKNOWN_TOOL", "NO_KNOWN_TOOLS"]],
    ["groups: read", undefined, ["BAD_TOOLS"]],
    ["name: a", undefined, []],
  ])("the groups of a mode never allow more than the file says: %s", (groups, tools, codes) => {
    const [mode] = modes(`customModes:\n  - slug: a\n    ${groups}`);
    expect(mode!.keys["tools"]).toEqual(tools);
    expect(codesOf(mode!)).toEqual(codes);
  });

  test("an invalid mode is rejected, and the other modes are kept", () => {
    const [broken, good] = modes("customModes:\n  - just text\n  - slug: b");
    expect(broken!.problems).toMatchObject([{ code: "BAD_MODE", severity: "error", line: 2 }]);
    expect(codesOf(good!)).toEqual([]);
  });
});

test.each([
  ["\\.md$", ["*.md"]],
  ["(.*\\.(md|ts)$|.*\\.json$)", ["*.md", "*.ts", "*.json"]],
  ["^docs\\/.*", ["docs/*"]],
  ["readme", ["*readme*"]],
  ["^a$|b", ["a", "*b*"]],
  ["^(?:src|lib)/x$", ["src/x", "lib/x"]],
  ["a+", undefined],
  ["[ab]", undefined],
  ["\\d", undefined],
  ["a.b", undefined],
  ["(a", undefined],
  ["a)", undefined],
  ["(a)?", undefined],
  ["(?!a)b", undefined],
  ["a$b", undefined],
  ["a\\*", undefined],
])(
  "the regular expression %s is translated to wildcards if wildcards can match the same paths",
  (regex, patterns) => {
    expect(regexWildcards(regex)).toEqual(patterns);
  },
);
