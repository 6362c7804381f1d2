import { describe, expect, it } from "vitest";
import { judge } from "../../test/support/judge.ts";
import { pathNames } from "./path-names.ts";

const project = "/w/proj";
const child = `${project}/.cadre/worktrees/r1`;
const grandchild = `${child}/.cadre/worktrees/r2`;

const absolutes = (path: string, workspace: string, mergesInto: string[]) =>
  pathNames(path, { workspace, mergesInto }).map((place) => place.absolute);

describe("places", () => {
  it("[P12] knows a file of a copy as the file that it will be, through every copy", () => {
    expect(pathNames("src/a.ts", { workspace: project })).toEqual([
      { path: "src/a.ts", absolute: "/w/proj/src/a.ts" },
    ]);
    expect(pathNames("src/a.ts", { workspace: grandchild, mergesInto: [child, project] })).toEqual([
      { path: "src/a.ts", absolute: `${grandchild}/src/a.ts` },
      { path: "src/a.ts", absolute: `${child}/src/a.ts` },
      { path: "src/a.ts", absolute: "/w/proj/src/a.ts" },
    ]);
  });

  it("[P12] knows a file outside of the copy as itself, seen from each workspace", () => {
    expect(pathNames("../../../src/a.ts", { workspace: child, mergesInto: [project] })[1]).toEqual({
      path: "src/a.ts",
      absolute: "/w/proj/src/a.ts",
    });
    expect(
      pathNames(`${child}/src/a.ts`, { workspace: grandchild, mergesInto: [child, project] })[2],
    ).toEqual({
      path: "src/a.ts",
      absolute: "/w/proj/src/a.ts",
    });
  });

  it("[P12] follows a workspace that is a folder of what was copied, or has another name", () => {
    expect(absolutes("../api/x", `${child}/web`, [`${project}/web`])).toEqual([
      `${child}/api/x`,
      "/w/proj/api/x",
    ]);
    expect(absolutes("x", child, ["/link/to/it"])[1]).toBe("/link/to/it/x");
  });
});

describe("rules about the parent's folder, in a worktree", () => {
  const rules = (deny: string[], ask: string[] = [], allow: string[] = ["Write", "Bash"]) => ({
    allow,
    ask,
    deny,
  });
  const inWorktree = (tool: string, input: unknown, project: ReturnType<typeof rules>) =>
    judge({
      tool,
      input,
      effect: "idempotent",
      gate: { ask: [], deny: [] },
      ancestors: [],
      authority: [{ source: "project", rules: project }],
      grants: [],
      workspace: grandchild,
      mergesInto: [child, "/w/proj"],
      now: 1_000,
    }).verdict;
  const write = (path: string) => ({ path, content: "x" });

  it.each(["Write(/w/proj/secrets/**)", "Edit(secrets/**)", "Write(/w/proj/secrets)"])("[P12] %s", (rule) => {
    const deny = rules([rule]);
    expect(inWorktree("Write", write("secrets/x"), deny)).toBe("deny");
    expect(inWorktree("Write", write(`${grandchild}/secrets/x`), deny)).toBe("deny");
    expect(inWorktree("Bash", { command: "echo x > secrets/x" }, deny)).toBe("deny");
    expect(inWorktree("Bash", { command: "echo x > ../../../secrets/x" }, deny)).toBe("deny");
    expect(inWorktree("Bash", { command: "echo x > /w/proj/secrets/x" }, deny)).toBe("deny");
    expect(inWorktree("Write", write("src/x"), deny)).toBe("allow");
  });

  it("[P12] an ask and a protected file hold as well; a rule about Cadre's own folder is not about its worktrees", () => {
    expect(inWorktree("Write", write("db/x"), rules([], ["Write(/w/proj/db/**)"]))).toBe("ask");
    expect(inWorktree("Bash", { command: "cp x /w/proj/agents/y.md" }, rules([]))).toBe("ask");
    expect(inWorktree("Read", { path: "a.txt" }, rules(["Read(.cadre/**)"]))).toBe("allow");
  });

  it("[P12] what allows a file of the parent does not allow more than its copy's own name says", () => {
    expect(inWorktree("Write", write("src/x"), rules([], [], ["Write(/w/proj/src/**)"]))).toBe("ask");
    expect(inWorktree("Write", write("src/x"), rules([], [], ["Write(src/**)"]))).toBe("allow");
  });
});
