import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FindFacts, MAX_COMMAND, MAX_PATH } from "../journal/tool-facts.ts";
import { inspectPath } from "../tools/files/workspace-path.ts";
import { createGrantFor } from "./grant.ts";
import { createJudge } from "./judge.ts";
import type { PermissionRequest } from "./permission.ts";
import { explainCommand } from "./shell/explain-command.ts";
import { judgeShell } from "./shell/judge-shell.ts";

const FACTS: Record<string, ReturnType<FindFacts>> = {
  Bash: { reaches: ["commands", "files", "network"], target: { kind: "command", field: "text" } },
  Read: { reaches: [], target: { kind: "path", field: "text", use: "reads" } },
  Write: { reaches: ["files"], target: { kind: "path", field: "text", use: "changes" } },
};
const find: FindFacts = (tool) => FACTS[tool];
const workspace = mkdtempSync(join(tmpdir(), "cadre-long-"));

const request = (tool: string, text: string, more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  ...{ tool, input: { text }, effect: tool === "Read" ? "read" : "unsafe" },
  ...{ gate: { ask: [], deny: [] }, ancestors: [], grants: [], now: 0, workspace, inspectPath },
  authority: [
    {
      source: "project",
      rules: {
        allow: ["Bash(echo *)"],
        ask: ["Read(secret/**)"],
        deny: ["Bash(git push *)", "Read(.env)", "Edit(**/*.key)", "Read(keys/**/*.pem)"],
      },
    },
  ],
  ...more,
});

/** Repeats a text up to a length. */
const fill = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

const COMMANDS: Record<string, (length: number) => string> = {
  "words that end in many paths": (length) => `x ${fill("a/=", length)}`,
  "a script of many paths": (length) => `node -e '${fill("a/b/c,", length)}'`,
  "paths in many folders": (length) => `cd a; cd b; cd c; cd d; x ${fill("q/=", length)}`,
  "paths that go up and down": (length) => `x ${fill("a/../", length)}`,
  "scripts in scripts": (length) => `sh -c "sh -c 'sh -c x ${fill("y=z ", length)}'"`,
  "wrappers of wrappers": (length) => fill("sudo ", length),
  "options of a wrapper": (length) => `env ${fill("-a ", length)}`,
  "substitutions in substitutions": (length) => fill("$(", length),
  "strings in substitutions": (length) => fill('"$(', length),
  "here-documents": (length) => `cat ${fill("<<a ", length)}`,
  "many pipes": (length) => fill("a|", length),
  "many flags of git": (length) => `git ${fill("-c a=b ", length)}`,
  "addresses without an end": (length) => `x ${fill("a.", length)}`,
  "text that looks like base64": (length) => `x ${fill("QUJD", length)}`,
};

describe("[A69] [30.6] no command or path of a model makes the judge slow", () => {
  test.each(Object.keys(COMMANDS))("a command of the maximum length is judged quickly: %s", (kind) => {
    const command = COMMANDS[kind]!(MAX_COMMAND - 100);
    expect(createJudge(find)(request("Bash", command)).verdict).not.toBe("allow");
    expect(judgeShell(command).readOnly).toBe(false);
    explainCommand(command, workspace);
  });

  test.each(Object.keys(COMMANDS))(
    "a command of 100,000 characters asks without being parsed: %s",
    (kind) => {
      const command = COMMANDS[kind]!(100_000);
      expect(createJudge(find)(request("Bash", command))).toMatchObject({
        verdict: "ask",
        rule: "project deny Bash(git push *) cannot be ruled out",
      });
      expect(judgeShell(command).readOnly).toBe(false);
      expect(createGrantFor(find)("Bash", command)).toBeUndefined();
      expect(explainCommand(command, workspace)).toMatchObject({
        grade: "broken",
        why: "longer than 8192 characters",
      });
    },
  );

  test.each(["a/", "./", "src/../", "//", "é/"])(
    "a very long path of %j asks, and no system call gets the path",
    (part) => {
      let looked = 0;
      const look = (path: string) => {
        looked++;
        return inspectPath(path);
      };
      for (const tool of ["Read", "Write"])
        expect(createJudge(find)(request(tool, fill(part, 100_000), { inspectPath: look })).verdict).toBe(
          "ask",
        );
      expect(looked).toBe(0);
      inspectPath(`${workspace}/${fill(part, 100_000)}`);
    },
  );

  test("a long path or command is still denied by a rule for the whole tool", () => {
    const denied = [{ source: "project", rules: { allow: [], ask: [], deny: ["Bash", "Read"] } }];
    for (const tool of ["Bash", "Read"])
      expect(createJudge(find)(request(tool, fill("a/", 100_000), { authority: denied })).verdict).toBe(
        "deny",
      );
  });

  test("no grant, gate or preset allows a command or path that is too long to be judged", () => {
    const judge = createJudge(find);
    const command = `echo ${fill("a ", 10_000)}`;
    const noDeny = [
      {
        source: "project",
        rules: { allow: ["Bash(echo *)", "Bash"], ask: [], deny: [], preset: "trusted" as const },
      },
    ];
    expect(
      judge(request("Bash", command, { authority: noDeny, grants: [{ rule: "Bash(echo *)" }] })),
    ).toMatchObject({
      verdict: "ask",
      unjudged: "longer than 8192 characters",
    });
    expect(
      judge(request("Bash", command, { gate: { allow: ["Bash(echo *)"], ask: [], deny: [] } })).verdict,
    ).toBe("deny");
    expect(judge(request("Read", fill("a/", MAX_PATH + 1), { authority: noDeny })).verdict).toBe("ask");
  });

  test("if the judge reaches its deadline, the call asks", () => {
    let ms = 0;
    const slow = createJudge(find, () => (ms += 1_500));
    for (const [tool, text] of [
      ["Bash", "cat a b c d"],
      ["Read", "a"],
      ["Write", "a"],
    ] as const) {
      const { verdict, rule } = slow(request(tool, text));
      expect([verdict, rule]).toEqual(["ask", expect.stringMatching(/cannot be ruled out|too long/)]);
    }
    const bare = [{ source: "project", rules: { allow: ["*"], ask: [], deny: ["Bash"] } }];
    expect(slow(request("Bash", "cat a", { authority: bare })).verdict).toBe("deny");
  });
});
