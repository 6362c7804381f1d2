import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasErrors } from "../../config/problem.ts";
import { parseAgent } from "./parse.ts";

const parse = (yaml: string) => parseAgent(`---\n${yaml}\n---\nbody`, "agents/a.md");

describe("invalid YAML is read as its author meant it", () => {
  test.each([
    [
      "a colon in a description",
      "name: a\ndescription: do this: now",
      { name: "a", description: "do this: now" },
    ],
    [
      "a colon on the second line of a description",
      "description: First line\n  and then: this\nmodel: opus",
      { description: "First line\nand then: this", model: "opus" },
    ],
    [
      "an example line that starts like a key",
      "name: a\ndescription: Use it when: x\nContext: y\nuser: 'Hi'\nassistant: 'Ho'\nuser: 'Hi'\ntools: Read",
      {
        name: "a",
        description: "Use it when: x\nContext: y\nuser: 'Hi'\nassistant: 'Ho'\nuser: 'Hi'",
        tools: "Read",
      },
    ],
    [
      "an example line that repeats a key",
      "description: Use it.\nuser: Hi\nuser: Hi",
      { description: "Use it.\nuser: Hi\nuser: Hi" },
    ],
    ["quotes inside a quoted text", 'description: "say "x": y"', { description: 'say "x": y' }],
    ["a star", "disallowedTools: *", { disallowedTools: "*" }],
    ["an undefined alias", "name: *x\ntools: [Read]", { name: "*x", tools: ["Read"] }],
    ["a reserved character", "description: @you do it\nmodel: x", { description: "@you do it", model: "x" }],
    [
      "a colon in the value of an unknown key",
      "model: opus\nzebra: a: b\nother: 1",
      { model: "opus", zebra: "a: b", other: 1 },
    ],
    [
      "a colon in a description, with valid keys after it",
      "description: a: b\ntools:\n  - Read\n  - Bash(git log)\nlimits: { maxTurns: 3 }",
      { description: "a: b", tools: ["Read", "Bash(git log)"], limits: { maxTurns: 3 } },
    ],
  ])("invalid YAML is read as its author meant it: %s", (_, yaml, data) => {
    const parsed = parse(yaml);
    expect(JSON.parse(JSON.stringify(parsed.frontmatter))).toEqual(data);
    expect(parsed.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning YAML_REPAIRED",
    ]);
    expect(Object.getPrototypeOf(parsed.frontmatter)).toBeNull();
  });

  test("the warning about repaired YAML shows the invalid position and the reason, and suggests a valid spelling", () => {
    const text = "Use when the user asks: anything at all, at any time";
    expect(parse(`name: a\ndescription: ${text}`).problems).toEqual([
      {
        file: "agents/a.md",
        line: 3,
        column: 14,
        code: "YAML_REPAIRED",
        severity: "warning",
        message:
          "`description` is not valid YAML (a colon inside plain text looks like a key: put the whole value in quotes); it was read as text",
        suggestion: 'write `description: "Use when the user asks: anything at all,…"`',
      },
    ]);
  });

  test("positions in repaired YAML match the positions in the file", () => {
    const { document } = parse("description: a: b\n\ntools:\n  - Read\n  - Write");
    expect(document.at(["tools", 1])).toEqual({ line: 6, column: 5 });
    expect(document.at(["tools"], "key")).toEqual({ line: 4, column: 1 });
    expect(document.at(["description"], "key")).toEqual({ line: 2, column: 1 });
    expect(document.at(["description"])).toEqual({ line: 2, column: 13 });
  });
});

describe("front matter that is not repaired", () => {
  test.each([
    ["the same Cadre key twice", "name: a\nname: b", "DUPLICATE_KEY"],
    ["a tag", "name: a\ndescription: !!js x: y", "YAML_TAG"],
    ["a dangerous key", "__proto__: {a: 1}\ndescription: a: b", "BLOCK_AS_IMPLICIT_KEY"],
    ["tools on separate lines", "disallowedTools:\n\t- Bash\nname: a", "TAB_AS_INDENT"],
    ["tools twice", "tools: Read\ndescription: a: b\ntools: Bash", "BLOCK_AS_IMPLICIT_KEY"],
    ["limits", "limits:\n\tmaxTurns: 3", "TAB_AS_INDENT"],
    ["text without a key", "just text\ndescription: a: b", "MULTILINE_IMPLICIT_KEY"],
  ])(
    "front matter with %s is not repaired, because a guess could allow more than the author meant",
    (_, yaml, code) => {
      const { problems, frontmatter } = parse(yaml);
      expect([problems[0]?.code, problems[0]?.severity, Object.keys(frontmatter)]).toEqual([
        code,
        "error",
        [],
      ]);
    },
  );
});

test("any description is kept whole, or gives a problem with a line and a column", () => {
  const word = fc.constantFrom(
    "user:",
    "a",
    ": ",
    "\n",
    "'",
    '"',
    "- ",
    "#",
    "*",
    "tools:",
    "  ",
    "{",
    "é",
    "Use",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const { problems, frontmatter } = parse(`name: a\ndescription: ${words.join("")}\nmodel: opus`);
      for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
      if (!hasErrors(problems)) expect(frontmatter).toMatchObject({ name: "a", model: "opus" });
      else expect(Object.keys(frontmatter)).toEqual([]);
    }),
    { numRuns: 1_000, seed: 7 },
  );
});

test.each([
  ['description: Use when: x\n"disallowedTools": [Bash]'],
  ["description: Use when: x\n'tools': [Read]"],
  ["description: Use when: x\ndisallowedTools: [Bash, Write"],
  ["description: Use when: x\n? tools\n: [Read]"],
])("[N3] a key that restricts the agent is never repaired: %j stays broken", (yaml) => {
  expect(hasErrors(parse(yaml).problems)).toBe(true);
});
