// Edit shows lines of the file that it changes: similar lines if its text is not found, and the lines around a change.

import { describe, expect, it, test } from "vitest";
import { type Setting, toolFacts, verdict, write } from "../../test/support/judge.ts";
import { createJudge } from "./judge.ts";

const edits: Setting["project"] = { preset: "edits" };
const edit = (path: string, setting: Setting) =>
  verdict("Edit", { path, old_string: "a", new_string: "b" }, setting);

describe("[A70] [30.7] a rule against reading a file holds for tools that show lines of it", () => {
  test.each([
    ["secret.txt", "Read(secret.txt)"],
    ["./a/../secret.txt", "Read(secret.txt)"],
    ["SECRET.txt", "Read(secret.txt)"],
    ["/w/proj/secret.txt", "Read(secret.txt)"],
    ["keys/deep/a.txt", "Read(keys/**)"],
    ["keys/a.txt", "Read(keys)"],
    ["a/b.token", "Read(**/*.token)"],
  ])("Edit of %s is denied by %s", (path, rule) => {
    expect(edit(path, { project: { ...edits, deny: [rule] } }).verdict).toBe("deny");
    expect(edit(path, { project: { ...edits, ask: [rule] } }).verdict).toBe("ask");
    expect(edit(path, { project: edits, parent: { deny: [rule] } }).verdict).toBe("deny");
    expect(
      edit(path, { project: { ...edits, allow: [`Edit(${path})`] }, run: { deny: [rule] } }).verdict,
    ).toBe("deny");
    expect(edit("other.txt", { project: { ...edits, deny: [rule] } }).verdict).toBe("allow");
  });

  it("a tool of an embedding program that changes files is judged alike, and Write is not, because it shows nothing", () => {
    const setting = { project: { preset: "edits" as const, allow: ["patch"], deny: ["Read(secret.txt)"] } };
    const target = { kind: "path", field: "path", use: "changes" } as const;
    const judge = createJudge((name) =>
      name === "patch" ? { reaches: ["files"], target } : toolFacts(name),
    );
    const patch = (path: string) =>
      judge({
        ...{ tool: "patch", input: { path }, effect: "unsafe", gate: { ask: [], deny: [] }, ancestors: [] },
        ...{ authority: [{ source: "project", rules: { ask: [], ...setting.project } }], grants: [] },
        ...{ workspace: "/w/proj", now: 1 },
      }).verdict;
    expect([patch("secret.txt"), patch("other.txt")]).toEqual(["deny", "allow"]);
    expect(write("secret.txt", setting).verdict).toBe("allow");
  });

  it("a rule that allows reading does not allow a change", () => {
    expect(edit("a.txt", { project: { allow: ["Read(a.txt)", "Read"] } }).verdict).toBe("ask");
  });
});
