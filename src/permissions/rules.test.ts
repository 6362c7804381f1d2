import { describe, expect, it } from "vitest";
import { bash, verdict, write } from "../../test/support/judge.ts";

describe("rules for commands", () => {
  it.each([
    ["npm test", "allow"],
    ["npm  test", "allow"],
    ["npm 'test'", "allow"],
    ["npm test | tail -5", "allow"],
    ["npm test 2>&1", "allow"],
    ["npm test; curl evil", "ask"],
    ["npm test --prefix /tmp/evil", "ask"],
    ["npm  test\ncurl evil", "ask"],
    ["npm test > out.txt", "ask"],
    ["FOO=1 npm test", "ask"],
    ["npm test $X", "ask"],
    ["npm test &", "allow"],
    ["npm test `x`", "ask"],
    ["cd /tmp && npm test", "ask"],
    ["npm testx", "ask"],
  ])("[A21] with `Bash(npm test)` allowed, %j has the verdict %s", (command, expected) => {
    expect(bash(command, { project: { allow: ["Bash(npm test)"] } }).verdict).toBe(expected);
    expect(bash(command, { grants: [{ rule: "Bash(npm test)" }] }).verdict).toBe(expected);
  });

  it.each([
    ["Bash(git diff *)", "git diff", "allow"],
    ["Bash(git diff *)", "git diff --output=x", "allow"],
    ["Bash(git push *)", "git pushx", "ask"],
    ["Bash(npm run *)", "npm run build", "allow"],
    ["Bash(npm run:*)", "npm run build", "allow"],
    ["Bash(npm run test:*)", "npm run test --x", "allow"],
    ["Bash(make * all)", "make -j4 all", "allow"],
    ["Bash(make * all)", "make a b all", "ask"],
    ["Bash(npm run test-*)", "npm run test-unit", "allow"],
    ["Bash(echo 'a * b')", "touch x", "ask"],
    ["Bash(touch 'a *')", "touch 'a *'", "allow"],
    ["Bash(touch 'a *')", "touch 'a b'", "ask"],
    ["Bash(*)", "anything at all", "allow"],
  ])("with %s allowed, %j has the verdict %s", (rule, command, expected) => {
    expect(bash(command, { project: { allow: [rule] } }).verdict).toBe(expected);
  });

  it.each([
    "rm -rf x",
    "ls; rm -rf x",
    "ls && (rm x)",
    "/bin/rm x",
    "r\\m x",
    "'rm' x",
    "echo $(rm x)",
    "sudo -u root rm x",
    "env A=1 rm x",
    "xargs rm",
    "find . -exec rm {} \\;",
    "bash -c 'ls; rm x'",
    "for f in a; do rm $f; done",
    "FOO=1 rm x",
    `${"true && ".repeat(60)}rm x`,
    "rm x\r",
  ])("[A28] a denied command is found in %j, even if everything else is allowed", (command) => {
    expect(bash(command, { project: { allow: ["Bash"], deny: ["Bash(rm *)"] } }).verdict).toBe("deny");
  });

  it("a rule recognises a subcommand that follows global options", () => {
    const setting = { project: { allow: ["Bash"], deny: ["Bash(git push *)"] } };
    expect(bash("git -C sub push origin", setting).verdict).toBe("deny");
    expect(bash("git --no-pager push", setting).verdict).toBe("deny");
    expect(bash("git log push", setting).verdict).toBe("allow");
  });

  it("a command that might match a deny rule needs approval", () => {
    const setting = { project: { allow: ["Bash"], deny: ["Bash(rm *)"] } };
    expect(bash("$x foo", setting)).toEqual({
      verdict: "ask",
      rule: "project deny Bash(rm *) cannot be ruled out",
    });
    expect(bash("for f in a b; do echo $f; done", setting).verdict).toBe("allow");
  });

  it("[A29] a bare `Bash` rule does not cover unreadable commands", () => {
    expect(bash("ls\u00a0x", { project: { allow: ["Bash"] } }).verdict).toBe("ask");
    expect(bash("echo 'unclosed", { project: { allow: ["Bash", "*"] } }).verdict).toBe("ask");
    expect(bash(`${"true && ".repeat(60)}curl evil`, { project: { allow: ["Bash"] } }).verdict).toBe("ask");
    expect(bash("ls *.ts | while read f; do echo $f; done", { project: { allow: ["Bash"] } }).verdict).toBe(
      "allow",
    );
  });

  it("a redirection is judged as an edit of its target file", () => {
    expect(bash("echo x > a.txt", { project: { allow: ["Bash(echo *)"] } }).verdict).toBe("ask");
    expect(bash("echo x > a.txt", { project: { allow: ["Bash(echo *)", "Edit(a.txt)"] } }).verdict).toBe(
      "allow",
    );
    expect(
      bash("echo x > secret/a", { project: { allow: ["Bash"], deny: ["Write(secret/**)"] } }).verdict,
    ).toBe("deny");
  });
});

describe("rules for paths", () => {
  const verdictFor = (rule: string, path: string) => write(path, { project: { allow: [rule] } }).verdict;

  it.each([
    ["Write(src/**)", "src/a/b.ts", "allow"],
    ["Write(src/**)", "./src/a.ts", "allow"],
    ["Write(src/**)", "/w/proj/src/a.ts", "allow"],
    ["Write(src/**)", "/w/proj-evil/src/a.ts", "ask"],
    ["Write(src/**)", "src/../package.json", "ask"],
    ["Write(src/**)", "srcx/a.ts", "ask"],
    ["Write(src/**)", "SRC/a.ts", "ask"],
    ["Edit(src/**)", "src/a.ts", "allow"],
    ["Edit(**)", "a.ts", "allow"],
    ["Edit(**)", "../a.ts", "ask"],
    ["Edit(src/[id].ts)", "src/i.ts", "allow"],
    ["Edit(src/\\[id\\].ts)", "src/[id].ts", "allow"],
    ["Edit(src/\\[id\\].ts)", "src/i.ts", "ask"],
    ["Edit", "a.ts", "ask"],
    ["Write", "a.ts", "allow"],
  ])("with %s allowed, writing %s has the verdict %s", (rule, path, expected) => {
    expect(verdictFor(rule, path)).toBe(expected);
  });

  it("a deny rule covers Write and Edit, in any letter case; a rule that names a folder covers everything in it", () => {
    const setting = { project: { allow: ["Write", "Edit"], deny: ["Write(secret)"] } };
    expect(write("secret/a", setting).verdict).toBe("deny");
    expect(write("SECRET/a", setting).verdict).toBe("deny");
    expect(verdict("Edit", { path: "secret/a" }, setting).verdict).toBe("deny");
    expect(write("secrets/a", setting).verdict).toBe("allow");
  });

  it("a deny rule for Read covers every tool that reads files", () => {
    const setting = { project: { deny: ["Read(secret/**)"] } };
    for (const tool of ["Read", "LS", "Grep", "Glob"]) {
      expect(verdict(tool, { path: "secret/a" }, setting).verdict).toBe("deny");
    }
    expect(verdict("Grep", { pattern: "x" }, setting).verdict).toBe("allow");
  });

  it.each([
    "cadre.yaml",
    "agents/x.md",
    ".agents/x.md",
    ".cadre/agents/y.md",
    ".mcp.json",
    ".git/hooks/pre-commit",
    ".git/config",
    ".GIT/config",
    ".git./config",
    "sub/.git/config",
    "src/../.git/config",
    ".github/workflows/ci.yml",
    ".vscode/tasks.json",
    ".bashrc",
    ".ssh/authorized_keys",
  ])("[A37] writing %s needs approval even if all edits are allowed", (path) => {
    const all = {
      project: { allow: ["Write", "Edit", "Edit(**)", "Write(**)", "*", "Bash"] },
      grants: [{ rule: "Write" }, { rule: "Edit(**)" }],
    };
    expect(write(path, all).verdict).toBe("ask");
    expect(verdict("Edit", { path }, all).verdict).toBe("ask");
    expect(bash(`echo x > ${path}`, all).verdict).toBe("ask");
    expect(bash(`cp evil ${path}`, all).verdict).toBe("ask");
    expect(verdict("Read", { path }, all).verdict).toBe("allow");
  });

  it("[A37] only a rule that names the exact path of a protected file allows writing it", () => {
    expect(write("agents/x.md", { project: { allow: ["Edit(agents/x.md)"] } }).verdict).toBe("allow");
    expect(write("agents/y.md", { project: { allow: ["Edit(agents/x.md)"] } }).verdict).toBe("ask");
    expect(write("agents/x.md", { grants: [{ rule: "Edit(agents/x.md)" }] }).verdict).toBe("allow");
    expect(write("agents/x.md").rule).toBe("protected agents/x.md");
  });
});

describe("[A61] a recorded rule that contains a masked secret", () => {
  const masked = "Bash(⟦secret X_TOKEN⟧ *)";

  it("if a deny or ask rule contains a masked secret, every call needs approval, because the rule's target is unknown", () => {
    for (const setting of [
      { parent: { deny: [masked] } },
      { parent: { ask: [masked] } },
      { gate: { deny: [masked] } },
    ])
      expect(bash("git push", { ...setting, project: { allow: ["Bash(git push)"] } })).toMatchObject({
        verdict: "ask",
      });
  });

  it("an allow rule that contains a masked secret allows no call", () => {
    expect(bash("git push", { project: { allow: [masked] } })).toMatchObject({ verdict: "ask" });
  });
});
