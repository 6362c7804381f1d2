import { describe, expect, test } from "vitest";
import type { ApprovalView } from "../../api/client/types.ts";
import { createCommandLine } from "../command-line.ts";
import { answerCommands, approvalLines, cardLines, editLines } from "./approval.ts";
import { neededLines } from "./summary.ts";

const item = (over: Partial<ApprovalView>): ApprovalView => ({
  id: "r1:m1.0",
  itemId: "m1.0",
  kind: "tool",
  runId: "r1",
  rootRunId: "r1",
  path: ["lead", "pen"],
  agent: "pen",
  callId: "m1.0",
  tool: "Edit",
  input: { path: "a.txt" },
  round: 1,
  requestedAt: 0,
  trail: [],
  blocks: { runs: 1, root: false },
  spent: { run: { cost: 0, unpriced: 0 }, tree: { cost: 0, unpriced: 0 } },
  did: { turns: 1, toolCalls: 0, files: [] },
  recent: [],
  ...over,
});

const asker = { path: ["lead", "pen"], task: "Mend the parser" };

const page = (paint: (format: unknown, text: string) => string) => ({ rich: false, columns: 80, paint });
const marks = page((format, text) => `<${String(format)}>${text}</>`);
const bare = page((_, text) => text);
const here = createCommandLine("cadre", { cwd: "x", folder: "x" });
const elsewhere = createCommandLine("cadre", { cwd: "/p", folder: "x" });

describe("an approval", () => {
  test("an approval shows a diff in colours, without the diff's banner", () => {
    const preview = "Index: a.txt\n=====\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new\n same\n";
    const lines = approvalLines(item({ preview, rule: "project ask Edit" }), marks, asker);
    expect(lines).toContain("<dim>why it asks: the rule “project ask Edit” asks first</>");
    expect(lines.slice(-8, -1)).toEqual([
      "",
      "  <bold>--- a.txt</>",
      "  <bold>+++ a.txt</>",
      "  <cyan>@@ -1 +1 @@</>",
      "  <red>-old</>",
      "  <green>+new</>",
      "   same",
    ]);
  });

  test("[36.3] the card of a call with an unknown outcome shows the call as the person edited it", () => {
    const over = { kind: "outcome", tool: "Bash", input: { command: "rm b" }, editedBy: "ann" } as const;
    const text = approvalLines(
      item({ ...over, target: { kind: "command", field: "command" } }),
      bare,
      asker,
    ).join("\n");
    expect(text).toContain("rm b");
    expect(text).toContain("ann changed the input; this is what ran");
  });

  test.each([
    [`npm test${"\n".repeat(55)}rm -rf x`, "rm -rf x"],
    ["npm test\nrm -rf x", "  rm -rf x"],
    [`echo ${"a ".repeat(150)}; rm -rf x`, "rm -rf x"],
    ["npm test\r\nrm -rf x", "rm -rf x"],
    ["npm  test   # x\t; rm -rf x", "npm  test"],
  ])(
    "[A17] above the commands that answer it, a command that is not one short line is shown in full",
    (command, shown) => {
      const bash = item({ tool: "Bash", input: { command }, target: { kind: "command", field: "command" } });
      const lines = neededLines([bash], here, bare);
      const text = lines.slice(
        2,
        lines.findIndex((line) => line.includes("approve r1:m1.0")),
      );
      expect(text.join("\n")).toContain(shown);
      const short = item({
        tool: "Bash",
        input: { command: "ls" },
        target: { kind: "command", field: "command" },
      });
      expect(neededLines([short], here, bare)[2]).toContain("approve r1:m1.0");
    },
  );

  test("[A17] [A64] names, rules, text and previews cannot control the terminal; long text is shown in full", () => {
    const order = "\u001b[2J\u202e";
    const evil = item({
      path: [`lead${order}`, "pen"],
      tool: `Edit${order}`,
      rule: `ask${order}`,
      input: { description: `fine${order}` },
      preview: `a${order}${"\n".repeat(50)}${"line\n".repeat(60)}last`,
    });
    const text = approvalLines(evil, bare, { path: evil.path, task: `mend${order}` }).join("\n");
    expect(text).not.toMatch(/[^\n\P{C}]/u);
    expect(text).toContain("agent says: fine⟦U+001B⟧[2J⟦U+202E⟧");
    expect(text).toContain("works on: mend⟦U+001B⟧[2J⟦U+202E⟧");
    expect(text).toContain("⟦49 empty lines⟧");
    expect(text.match(/^ {2}line$/gm)).toHaveLength(60);
    expect(text).toContain("  last\n(63 lines: scroll up to see all)");
  });

  test("if a call has no preview, its approval shows the call's input; a repeated question says why it is repeated", () => {
    const text = approvalLines(item({ input: { path: "a.txt", n: 1 }, round: 2 }), bare, asker).join("\n");
    expect(text).toContain('  {\n    "path": "a.txt",\n    "n": 1\n  }');
    expect(text).toContain("lead › pen needs your approval again: what it depends on has changed");
  });

  test("each kind of item is shown with the commands that answer it", () => {
    expect(answerCommands(item({}), elsewhere)).toEqual([
      "cadre approve r1:m1.0 -C x",
      'cadre reject r1:m1.0 --note "why" -C x',
    ]);
    expect(answerCommands(item({ kind: "outcome" }), here)).toEqual([
      "cadre outcome r1 m1.0 happened|run_again|fail",
      "cadre outcome r1 m1.0   # probes whether it took effect",
    ]);
    expect(answerCommands(item({ kind: "question" }), here)[0]).toContain("--answer");
    expect(answerCommands(item({ kind: "budget" }), here)[0]).toContain("--max-tokens");
  });

  test("a card names its run and prints shell-quoted commands to approve, reject and edit the call", () => {
    const card = cardLines(
      [{ item: item({ input: { path: "it's\u202e.txt" } }), task: "Mend it", stale: [] }],
      elsewhere,
      bare,
    );
    expect(card.slice(1, 3)).toEqual(["lead › pen needs your approval", "works on: Mend it"]);
    expect(card.slice(-4)).toEqual([
      "run r1 · agent pen",
      "  cadre approve r1:m1.0 -C x",
      '  cadre reject r1:m1.0 --note "why" -C x',
      `  cadre approve r1:m1.0 --edit '{"path":"it'\\''s\\u202e.txt"}' -C x`,
    ]);
    const long = cardLines(
      [{ item: item({ input: { content: "x".repeat(500) } }), task: "", stale: [] }],
      here,
      bare,
    ).at(-1);
    expect(long).toBe("  cadre approve r1:m1.0 --edit '{ … }'");
  });

  test("[A17] [W4] wrapped lines of a call are marked, so that they do not look like new lines of the call", () => {
    const narrow = { ...bare, rich: true, columns: 24 };
    const preview = "rm -rf build && npm run build -- --watch\nls";
    const lines = approvalLines(
      item({ tool: "Bash", preview, rule: "project ask Bash(rm *)" }),
      narrow,
      asker,
    );
    expect(lines).toEqual([
      "",
      "lead › pen needs your",
      "  approval",
      "works on: Mend the",
      "  parser",
      "tool Bash",
      "why it asks: the rule",
      "  “project ask Bash(rm",
      "  *)” asks first",
      "",
      "  rm -rf build && npm",
      "↪ run build -- --watch",
      "  ls",
      "",
    ]);
    const [command] = cardLines(
      [{ item: item({}), task: "", stale: [] }],
      createCommandLine("cadre", { cwd: "/p", folder: "a/long/folder" }),
      narrow,
    ).slice(-3);
    expect(command).toBe("  cadre approve r1:m1.0 -C a/long/folder");
  });

  test("[A46] [A66] an approval warns that its call might be based on untrusted input", () => {
    const lines = approvalLines(item({ untrusted: ["https://evil.test", "loki"] }), bare, asker);
    expect(lines).toContain("may be based on untrusted input from: https://evil.test, loki");
  });

  test("an edited call is shown with its proposed input and its edited input", () => {
    const lines = editLines({ path: "a", n: 1 }, { path: "b\u001b", n: 1 }, bare);
    expect(lines).toEqual([
      "It runs with this input:",
      "   {",
      '  -  "path": "a",',
      '  +  "path": "b\\u001b",',
      '     "n": 1',
      "   }",
    ]);
  });
});
