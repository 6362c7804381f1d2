import { describe, expect, it } from "vitest";
import { bash, verdict } from "../../test/support/judge.ts";

describe("Cadre's own files", () => {
  const READS = [
    "cat .cadre/token",
    "cat ./src/../.CADRE/token",
    "cat /w/proj/.cadre/token",
    "head -c 20 .cadre/token",
    "grep -r . .cadre",
    "wc -c < .cadre/token",
    "rg --hidden . .cadre",
  ];
  it("[A32] a command that reads Cadre's own files needs approval, even if all commands are allowed", () => {
    for (const command of READS) {
      expect(bash(command).verdict, command).toBe("ask");
      expect(bash(command, { project: { allow: ["Bash", "Bash(cat *)"] } }).verdict, command).toBe("ask");
    }
  });

  it("[A32] a tool that reads one of Cadre's own files needs approval, unless a rule names the exact file", () => {
    for (const tool of ["Read", "Grep"]) {
      const ask = { verdict: "ask", rule: "protected .cadre/token", protected: ".cadre/token" };
      expect(verdict(tool, { path: ".cadre/token" })).toEqual(ask);
      expect(
        verdict(tool, { path: ".cadre/token" }, { project: { preset: "trusted", allow: [tool] } }),
      ).toEqual(ask);
    }
    const named = { project: { allow: ["Read(.cadre/token)"] } };
    expect(verdict("Read", { path: ".cadre/token" }, named).verdict).toBe("allow");
    expect(verdict("LS", { path: ".cadre" }).verdict).toBe("allow");
    expect(verdict("Read", { path: "src/.cadrerc" }).verdict).toBe("allow");
  });
});

it("[A34] a command that searches outside the workspace needs approval, even if combined short flags contain the pattern", () => {
  for (const command of ["rg -0e. /etc/passwd", "rg -0ne. /etc/passwd", "grep -ne. /etc/passwd"])
    expect(bash(command).verdict, command).toBe("ask");
  expect(bash("rg -0e. src").verdict).toBe("allow");
});
