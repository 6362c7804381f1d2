import { describe, expect, it } from "vitest";
import { parseShell } from "./parse-shell.ts";

describe("parseShell", () => {
  it("parseShell finds every simple command in a compound command", () => {
    const parsed = parseShell("npm test && git log --format='%h %s' | head -5; echo \"a b\"");
    expect(parsed.grade).toBe("exact");
    expect(parsed.commands.map((one) => one.argv)).toEqual([
      ["npm", "test"],
      ["git", "log", "--format=%h %s"],
      ["head", "-5"],
      ["echo", "a b"],
    ]);
  });

  it("parseShell decodes words exactly as bash does", () => {
    const parsed = parseShell("find . \\( -name a\\ b -o -name 'x*' \\) HEAD~1 HEAD^ r\\m");
    expect(parsed.grade).toBe("exact");
    expect(parsed.commands[0]!.argv).toEqual([
      "find",
      ".",
      "(",
      "-name",
      "a b",
      "-o",
      "-name",
      "x*",
      ")",
      "HEAD~1",
      "HEAD^",
      "rm",
    ]);
  });

  it("parseShell reports redirections to files, but not to descriptors or /dev/null", () => {
    expect(parseShell("make 2>&1 >/dev/null").redirects).toEqual([]);
    expect(parseShell("make > out.txt 2>> err.txt").redirects.map((one) => one.target)).toEqual([
      "out.txt",
      "err.txt",
    ]);
    expect(parseShell("cat < /dev/tcp/evil/80").redirects).toHaveLength(1);
  });

  it.each([
    ["ls *.ts"],
    ["echo $HOME"],
    ["ls ~"],
    ["echo {a,b}"],
    ["for f in a b; do echo x; done"],
    ["(cd x; ls)"],
    ["cat <<< x"],
    ["cat <<E\nx\nE\n"],
    ["FOO=$(x) ls"],
    ["echo é"],
    ["! ls"],
    ["time ls"],
    ["f() { ls; }"],
    ["l\\\ns"],
    ["export A=b"],
  ])("parseShell grades %j as dynamic, because its words are known only at run time", (source) => {
    expect(parseShell(source).grade).toBe("dynamic");
  });

  it.each([
    ["[A29] carriage return", "ls\rX"],
    ["[A29] vertical tab", "ls\x0bX"],
    ["[A29] no-break space", "ls\u00a0X"],
    ["[A29] line separator", "ls\u2028X"],
    ["[A29] bidi override", "ls \u202eX"],
    ["[A29] NUL", "ls\0X"],
    ["[A29] unbalanced quote", "echo 'a"],
    ["an empty command", "   "],
    ["an error inside a substitution", "echo $(ls ;; x)"],
    ["[A28] more than fifty commands", `${"true && ".repeat(60)}curl evil`],
    ["a command that is too long", `echo ${"a".repeat(9000)}`],
  ])("parseShell grades a command as broken: %s", (_, source) => {
    expect(parseShell(source).grade).toBe("broken");
  });

  it("[A25] parseShell finds the commands inside substitutions of every kind", () => {
    for (const source of [
      "echo `X`",
      'echo "$(X)"',
      "cat <(X)",
      "echo \u0024{a:=$(X)}",
      "echo $((a[$(X)0]))",
    ]) {
      const parsed = parseShell(source);
      expect(parsed.grade, source).not.toBe("exact");
      expect(
        parsed.commands.map((one) => one.argv[0]),
        source,
      ).toContain("X");
    }
  });
});
