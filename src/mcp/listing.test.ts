// Tests which tools are accepted when a server lists its tools, and what a tool's hash covers.

import { describe, expect, test } from "vitest";
import { hidesText, type ListedTool, readListing, toolHash } from "./listing.ts";
import { serverNameProblem } from "./names.ts";

const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  description: "does something",
  inputSchema: { type: "object" },
  ...more,
});

const acceptedNames = (...names: string[]): string[] =>
  readListing(
    "git",
    names.map((name) => tool(name)),
  ).tools.map(({ name }) => name);

describe("[A50] names of tools and servers", () => {
  test.each(["bash ", "Вash", "Read\u200b", "a.b", "a/b", "", "a b", "a\u0000", "x".repeat(60), "é"])(
    "a tool named %j is skipped",
    (name) => {
      const { tools, problems } = readListing("git", [tool(name), tool("log")]);
      expect(tools.map((one) => one.name)).toEqual(["log"]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/its name/);
    },
  );

  test.each([
    ["Bash", "bash"],
    ["read_file", "Read-File"],
    ["list", "1ist"],
    ["log", "l0g"],
    ["same", "same"],
    ["form", "forrn"],
  ])("the tools %s and %s look alike, so neither is used", (one, other) => {
    expect(acceptedNames(one, other, "diff")).toEqual(["diff"]);
  });

  test.each([
    "Git",
    "гит",
    "a__b",
    "_a",
    "a_",
    "",
    "a b",
    "agent",
    "admin",
    "../x",
    "__proto__",
    "x".repeat(33),
  ])("a server must not be named %j", (name) => expect(serverNameProblem(name)).toMatch(/name/));

  test("ordinary server names are accepted", () => {
    for (const name of ["git", "git-hub", "my_server2"]) expect(serverNameProblem(name)).toBeUndefined();
  });
});

describe("[A54] hostile lists of tools", () => {
  test("tools that are nested too deeply, too long or malformed are skipped; the other tools are accepted", () => {
    let deep: Record<string, unknown> = { type: "object" };
    for (let level = 0; level < 2_000; level++) deep = { type: "object", properties: { a: deep } };
    const long = tool("long", { description: "x".repeat(70_000) });
    const { tools, problems } = readListing("git", [
      tool("deep", { inputSchema: deep }),
      long,
      null,
      7,
      tool("log"),
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["log"]);
    expect(problems).toEqual([
      '"deep": its schema is nested deeper than 24 levels',
      '"long": its description and schema have more than 64000 characters',
    ]);
  });
});

describe("[A49] the hash of a tool", () => {
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "number" } } };
  const before = tool("log", { inputSchema: schema });

  test("the hash changes with any text that a model reads, but does not depend on the order of keys", () => {
    const turned = { properties: { b: { type: "number" }, a: { type: "string" } }, type: "object" };
    expect(toolHash(tool("log", { inputSchema: turned }))).toBe(toolHash(before));
    const said = { ...schema, properties: { ...schema.properties, a: { type: "string", description: "!" } } };
    for (const other of [
      tool("log", { inputSchema: said }),
      tool("log", { inputSchema: schema, description: "does something." }),
      tool("logs", { inputSchema: schema }),
    ])
      expect(toolHash(other)).not.toBe(toolHash(before));
  });
});

describe("[A48] finding hidden characters", () => {
  test.each([
    ["zero-width characters", "a\u200bb"],
    ["bidirectional controls", "a\u202eb"],
    ["tag characters", "a\u{E0049}\u{E0067}b"],
    ["variation selectors without a base", "a\u{E0101}"],
    ["control characters", "a\u001b[2J"],
    ["soft hyphens", "a\u00adb"],
    ["joiners outside of emoji", "❤\u200d\u200d\u200d"],
  ])("hidden characters are found in the description and in the schema: %s", (_what, text) => {
    expect(hidesText(tool("a", { description: text }))).toBe(true);
    const inputSchema = { type: "object", properties: { x: { description: text } } };
    expect(hidesText(tool("a", { inputSchema }))).toBe(true);
    expect(hidesText(tool("a", { inputSchema: { type: "object", properties: { [text]: {} } } }))).toBe(true);
  });

  test("ordinary text is accepted: quotes, other scripts, emoji and line breaks are not hidden characters", () => {
    for (const description of ["naïve – “quotes”", "日本語", "👩‍💻 ❤️ works", "a\tb\r\n"])
      expect(hidesText(tool("a", { description }))).toBe(false);
  });
});
