import { describe, expect, it } from "vitest";
import { judge } from "../../test/support/judge.ts";
import { pathNames } from "./path-names.ts";

const project = "/w/proj";
const child = `${project}/.cadre/worktrees/r1`;
const grandchild = `${child}/.cadre/worktrees/r2`;

const absolutes = (path: string, workspace: string, mergesInto: string[]) =>
  pathNames(path, { workspace, mergesInto }).map((place) => place.absolute);

describe("pathNames", () => {
  it("[P12] for a file in a worktree, pathNames also returns the file's future path in each parent folder", () => {
    expect(pathNames("src/a.ts", { workspace: project })).toEqual([
      { path: "src/a.ts", absolute: "/w/proj/src/a.ts" },
    ]);
    expect(pathNames("src/a.ts", { workspace: grandchild, mergesInto: [child, project] })).toEqual([
      { path: "src/a.ts", absolute: `${grandchild}/src/a.ts` },
      { path: "src/a.ts", absolute: `${child}/src/a.ts` },
      { path: "src/a.ts", absolute: "/w/proj/src/a.ts" },
    ]);
  });

  it("[P12] for a file outside the worktree, pathNames returns its path relative to each workspace", () => {
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

  it("[P12] pathNames supports a workspace in a subfolder of the repository, and a parent folder that is reached through a link", () => {
    expect(absolutes("../api/x", `${child}/web`, [`${project}/web`])).toEqual([
      `${child}/api/x`,
      "/w/proj/api/x",
    ]);
    expect(absolutes("x", child, ["/link/to/it"])[1]).toBe("/link/to/it/x");
  });
});

describe("rules about the parent's folder also apply in a worktree", () => {
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

  it.each(["Write(/w/proj/secrets/**)", "Edit(secrets/**)", "Write(/w/proj/secrets)"])(
    "[P12] the deny rule %s also denies the file in a worktree",
    (rule) => {
      const deny = rules([rule]);
      expect(inWorktree("Write", write("secrets/x"), deny)).toBe("deny");
      expect(inWorktree("Write", write(`${grandchild}/secrets/x`), deny)).toBe("deny");
      expect(inWorktree("Bash", { command: "echo x > secrets/x" }, deny)).toBe("deny");
      expect(inWorktree("Bash", { command: "echo x > ../../../secrets/x" }, deny)).toBe("deny");
      expect(inWorktree("Bash", { command: "echo x > /w/proj/secrets/x" }, deny)).toBe("deny");
      expect(inWorktree("Write", write("src/x"), deny)).toBe("allow");
    },
  );

  it("[P12] ask rules and file protection also apply in a worktree; a rule for .cadre does not apply to the worktrees in .cadre", () => {
    expect(inWorktree("Write", write("db/x"), rules([], ["Write(/w/proj/db/**)"]))).toBe("ask");
    expect(inWorktree("Bash", { command: "cp x /w/proj/agents/y.md" }, rules([]))).toBe("ask");
    expect(inWorktree("Read", { path: "a.txt" }, rules(["Read(.cadre/**)"]))).toBe("allow");
  });

  it("[P12] an allow rule must match the path in the worktree; matching only the parent's path is not enough", () => {
    expect(inWorktree("Write", write("src/x"), rules([], [], ["Write(/w/proj/src/**)"]))).toBe("ask");
    expect(inWorktree("Write", write("src/x"), rules([], [], ["Write(src/**)"]))).toBe("allow");
  });
});
