// Tests how single permission maps of opencode are translated. Then compares random maps with opencode's own rule: the last match decides.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge } from "../../../test/support/judge.ts";
import { codesOf, plain, translateKeys } from "./dialect.fixture.ts";
import { opencodeDialect } from "./opencode.ts";
import { readPermissionMap } from "./permission-map.ts";
import { wildcard } from "./wildcards.ts";

const REST = [
  "Read",
  "Write",
  "Edit",
  "Grep",
  "Glob",
  "LS",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
  "AskUser",
  "Skill",
];

describe("translating single permission maps", () => {
  test.each<[permission: string, keys: object, codes?: string[]]>([
    ["{}", {}],
    ["", {}],
    ["allow", {}],
    ["deny", { tools: [], agents: [] }],
    ["{bash: ask}", { tools: { ask: ["Bash"] } }],
    ["{edit: deny}", { tools: { deny: ["Write", "Edit"] } }],
    [
      "{bash: {'rm -rf *': ask, 'sudo *': deny}}",
      { tools: { ask: ["Bash(rm -rf *)"], deny: ["Bash(sudo *)"] } },
    ],
    ["{edit: {'**/*.env': deny}}", { tools: { deny: ["Write(**/*.env)", "Edit(**/*.env)"] } }],
    ["{'*': deny, bash: {'*': deny, 'git *': allow}}", { tools: ["Bash(git *)"], agents: [] }],
    [
      "{bash: {'*': deny, 'git *': allow}}",
      { tools: [...REST.slice(0, 3), "Bash(git *)", ...REST.slice(3), "mcp__*__*"] },
    ],
    [
      "{'*': deny, read: allow, edit: {'docs/*': allow}}",
      {
        tools: ["Read", "Write(docs/**)", "Edit(docs/**)"],
        agents: [],
      },
    ],
    [
      "{'*': deny, bash: {'git *': allow, 'git push *': deny, 'git log *': ask}}",
      {
        tools: {
          allow: ["Bash(git *)", "Bash(git log *)"],
          ask: ["Bash(git log *)"],
          deny: ["Bash(git push *)"],
        },
        agents: [],
      },
    ],
    [
      "{bash: {'git *': deny, 'git log *': allow}}",
      { tools: { deny: ["Bash(git *)"] } },
      ["PERMISSION_NARROWED"],
    ],
    ["{bash: {'*': ask, 'git log *': allow}}", { tools: { ask: ["Bash"] } }, ["PERMISSION_NARROWED"]],
    ["{bash: {'*sudo*': deny}}", { tools: { deny: ["Bash"] } }, ["PERMISSION_NARROWED"]],
    ["{bash: {'git * --force': deny}}", { tools: { deny: ["Bash(git *)"] } }, ["PERMISSION_NARROWED"]],
    ["{bash: {'git *': deny, '*': allow}}", {}],
    [
      "{'*': deny, 'gh_*': allow, 'gh_del_*': deny}",
      {
        tools: { allow: ["mcp__gh__*"], deny: ["mcp__gh__del_*", "mcp__gh_del__*", "mcp__gh_del_*__*"] },
        agents: [],
      },
    ],
    [
      "{task: {'*': deny, reviewer: allow, 'core-*': allow}}",
      { agents: ["reviewer"] },
      ["PERMISSION_NARROWED"],
    ],
    ["{task: {'*': deny}}", { agents: [] }],
    ["{task: allow}", {}],
    ["{bash: maybe}", {}, ["BAD_PERMISSION"]],
    ["{bash: {rm: [deny]}}", {}, ["BAD_PERMISSION"]],
    ["[bash]", {}, ["BAD_PERMISSION"]],
  ])("the permission map %s is translated to rules", (permission, keys, codes = []) => {
    const result = translateKeys(opencodeDialect, `permission: ${permission}`);
    expect(plain(result.keys)).toEqual(keys);
    expect(codesOf(result)).toEqual(codes);
  });

  test("if a value is not a permission, the error has the value's position", () => {
    const { problems } = translateKeys(opencodeDialect, "permission:\n  bash:\n    rm: never");
    expect(problems).toMatchObject([{ code: "BAD_PERMISSION", severity: "error", line: 4, column: 9 }]);
  });
});

const STRICTNESS = { allow: 0, ask: 1, deny: 2 };
type Action = keyof typeof STRICTNESS;
type Map = Record<string, Action | Record<string, Action>>;

/** Applies opencode's own rule: the last entry that matches tool and pattern decides. Undefined if no entry matches the call. */
function theirs(map: Map, words: readonly string[], subject: string): Action {
  const rules = Object.entries(map).flatMap(([key, value]) =>
    Object.entries(typeof value === "string" ? { "*": value } : value).map(([pattern, action]) => ({
      key,
      pattern,
      action,
    })),
  );
  const found = rules.findLast(
    ({ key, pattern }) => words.some((word) => wildcard(key).test(word)) && matches(pattern, subject),
  );
  return found?.action ?? "allow";
}

/** `git *` also matches the command `git` without arguments. */
const matches = (pattern: string, subject: string): boolean =>
  wildcard(pattern).test(subject) || (pattern.endsWith(" *") && wildcard(pattern.slice(0, -2)).test(subject));

function ours(map: Map, tool: string, input: unknown): Action {
  const { gate } = readPermissionMap(map);
  const everything = { source: "person", rules: { allow: ["*"], ask: [], deny: [] } };
  const request = { tool, input, effect: "unsafe" as const, gate, ancestors: [], authority: [everything] };
  return judge({ ...request, grants: [], workspace: "/w", now: 0 }).verdict;
}

const action = fc.constantFrom<Action>("allow", "ask", "deny");

function mapsOf(keys: string[], patterns: string[]): fc.Arbitrary<Map> {
  const value = fc.oneof(
    action,
    fc.dictionary(fc.constantFrom(...patterns), action, { minKeys: 1, maxKeys: 4 }),
  );
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), value), { selector: ([key]) => key, maxLength: 4 })
    .map(Object.fromEntries<Action | Record<string, Action>>);
}

describe("a translated permission map never allows more than opencode would", () => {
  test("[T1] the translated command rules never allow more than opencode's last matching entry", () => {
    const maps = mapsOf(
      ["*", "bash", "b*", "edit"],
      ["*", "git *", "git log *", "git*", "rm", "git * -f", "*log*", "ls"],
    );
    const commands = fc.constantFrom(
      "git",
      "git log",
      "git log -f",
      "git push -f",
      "rm",
      "rm x",
      "ls",
      "gitk log",
    );
    fc.assert(
      fc.property(maps, commands, (map, command) => {
        const mine = ours(map, "Bash", { command });
        expect(STRICTNESS[mine]).toBeGreaterThanOrEqual(STRICTNESS[theirs(map, ["bash"], command)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("[T1] the translated file rules never allow more than opencode's last matching entry", () => {
    const maps = mapsOf(
      ["*", "edit", "write", "read"],
      ["*", "src/*", "*.md", "src/a*", "a*b", "src/*/x.md", "*src*"],
    );
    const files = fc.constantFrom("src/a.md", "src/a/x.md", "a.md", "ab", "a/x/b", "lib/src/q", "src/b/x.md");
    const tools = fc.constantFrom(["Edit", "edit"], ["Write", "edit"], ["Read", "read"]);
    fc.assert(
      fc.property(maps, files, tools, (map, file, [tool, word]) => {
        // opencode has no `write` permission, but many files contain one.
        const words = tool === "Write" && "write" in map && !("edit" in map) ? ["write"] : [word!];
        const mine = ours(map, tool!, { path: file, file_path: file });
        expect(STRICTNESS[mine]).toBeGreaterThanOrEqual(STRICTNESS[theirs(map, words, file)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("[T1] the translated rules for MCP tools never allow more than opencode's last matching entry", () => {
    const maps = mapsOf(["*", "gh_*", "gh_get_*", "*_del", "g*", "gh_get_x", "git_*"], ["*"]);
    const tools = fc.constantFrom(
      ["gh", "get_x"],
      ["gh", "get_y"],
      ["gh", "a_del"],
      ["gh_get", "z"],
      ["git", "log"],
    );
    fc.assert(
      fc.property(maps, tools, (map, [server, tool]) => {
        const mine = ours(map, `mcp__${server}__${tool}`, {});
        expect(STRICTNESS[mine]).toBeGreaterThanOrEqual(STRICTNESS[theirs(map, [`${server}_${tool}`], "*")]);
      }),
      { numRuns: 1_000 },
    );
  });
});
