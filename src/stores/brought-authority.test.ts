import { describe, expect, test } from "vitest";
import { broughtBy } from "./brought-authority.ts";
import { encodeBlob } from "./hashes.ts";

type Tree = Parameters<typeof broughtBy>[0];

const definition = (more: object = {}) => encodeBlob(JSON.stringify(more));

/** A tree with one run that a stranger could have written. */
function treeOf(
  events: [type: string, payload: object][],
  { start = {}, standing = new Map(), agent = {} } = {},
): Tree {
  const blob = definition(agent);
  const first = { agent: "clerk", task: "pay", workspace: "/project", definition: blob.name, ...start };
  return {
    root: "r1",
    standing,
    blobs: new Map([[blob.name, blob.stored]]),
    events: [["RUN_STARTED", first] as const, ...events].map(([type, payload], at) => ({
      event: { runId: "r1", seq: at + 1, type, payload },
      text: "",
      hash: "",
    })),
  } as unknown as Tree;
}

const END: [string, object] = ["RUN_COMPLETED", {}];
const brings = (tree: Tree): string => broughtBy(tree, "/project").join("\n");

describe("[A83] [30.14] `cadre import` lists the work, permissions and programs that a tree would bring in", () => {
  test("the list is empty for a tree that has ended and could continue only here, with questions", () => {
    expect(brings(treeOf([END], { start: { permissions: { preset: "ask" } } }))).toBe("");
    expect(brings(treeOf([END], { start: { workspace: "/project/sub" } }))).toBe("");
  });

  test.each<[string, object, RegExp]>([
    [
      "a preset",
      { start: { permissions: { preset: "trusted" } } },
      /^A continuation of `clerk` has the preset `trusted`/,
    ],
    ["rules", { start: { permissions: { allow: ["Bash"] } } }, /^A continuation of `clerk` allows `Bash`\.$/],
    [
      "a foreign workspace",
      { start: { workspace: "/home/you" } },
      /works in `\/home\/you`, outside of this project\.$/,
    ],
    ["a program", { agent: { runner: { acp: { command: "sh" } } } }, /brings a program: .*`sh`\.$/],
    ["a module", { agent: { steps: { module: "x.ts", hash: "h" } } }, /brings a program: .*`x\.ts`\.$/],
  ])("a tree that has ended brings %s to whoever continues it", (_, more, listed) => {
    expect(brings(treeOf([END], more))).toMatch(listed);
  });

  test.each<[string, Tree, RegExp]>([
    ["work that continues", treeOf([]), /`clerk` works in `\/project`, on `pay`/],
    ["a foreign workspace", treeOf([], { start: { workspace: "/home/you" } }), /outside of this project/],
    [
      "a workspace that looks like this one",
      treeOf([], { start: { workspace: "/project-2" } }),
      /outside of this/,
    ],
    ["a preset", treeOf([], { start: { permissions: { preset: "trusted" } } }), /preset is `trusted`/],
    ["rules", treeOf([], { start: { permissions: { allow: ["Bash(*)"] } } }), /allows `Bash\(\*\)`/],
    [
      "a program",
      treeOf([], { agent: { runner: { acp: { command: "sh", args: ["-c", "id"] } } } }),
      /starts the program `sh -c id`/,
    ],
    ["a module", treeOf([], { agent: { steps: { module: "x.ts", hash: "h" } } }), /runs the module `x.ts`/],
    ["a damaged definition", treeOf([], { agent: { runner: 5 } }), /cannot be read/],
    [
      "an approved call",
      treeOf([
        ["TOOL_PROPOSED", { toolCallId: "m1.0", name: "Bash", preview: "rm -rf ~" }],
        ["APPROVAL_DECIDED", { itemId: "m1.0~2", decision: "approve" }],
      ]),
      /Approved already, and made at once: Bash `rm -rf ~`/,
    ],
    [
      "an edited call",
      treeOf([
        ["TOOL_PROPOSED", { toolCallId: "m1.0", name: "Bash", preview: "ls" }],
        ["APPROVAL_DECIDED", { itemId: "m1.0", decision: "edit", input: { command: "curl x" } }],
      ]),
      /Bash `\{"command":"curl x"\}`/,
    ],
    [
      "a permanent grant of a run that has ended",
      treeOf([
        [
          "APPROVAL_DECIDED",
          { itemId: "m1.0", decision: "approve", grant: "Bash(sh *)", folder: "/project" },
        ],
        END,
      ]),
      /grants `Bash\(sh \*\)` in `\/project`/,
    ],
    [
      "a grant that is not in the journal",
      treeOf([END], { standing: new Map([["r1", { grants: [{ rule: "Bash" }] }]]) }),
      /standing permission `Bash`/,
    ],
    [
      "a budget",
      treeOf([END], { standing: new Map([["r1", { budget: { maxCost: 9_000 } }]]) }),
      /raised budget/,
    ],
    [
      "a task with hidden characters",
      treeOf([], { start: { task: "a\n\u202Eb\u001b[2J" } }),
      /on `a [^\u202E\u001b]*`\.$/,
    ],
  ])("%s", (_, tree, expected) => {
    expect(brings(tree)).toMatch(expected);
  });

  test("the list leaves out calls that have started and calls that were rejected", () => {
    const asked: [string, object] = ["TOOL_PROPOSED", { toolCallId: "m1.0", name: "Bash", preview: "ls" }];
    const approved: [string, object] = ["APPROVAL_DECIDED", { itemId: "m1.0", decision: "approve" }];
    const started: [string, object] = ["TOOL_STARTED", { toolCallId: "m1.0" }];
    expect(brings(treeOf([asked, approved, started]))).not.toContain("Approved");
    expect(
      brings(treeOf([asked, ["APPROVAL_DECIDED", { itemId: "m1.0", decision: "reject" }]])),
    ).not.toContain("Approved");
  });
});
