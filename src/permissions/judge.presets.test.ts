import { describe, expect, it } from "vitest";
import { type Setting, verdict } from "../../test/support/judge.ts";
import { PRESETS, type Preset } from "../journal/definition.ts";
import type { PermissionRequest } from "./permission.ts";

type Effect = PermissionRequest["effect"];

/** One call of each kind, with the verdict that each preset gives. */
const CALLS: [string, unknown, Effect, Record<Preset, string>][] = [
  ["Read", { path: "a" }, "read", { "read-only": "allow", ask: "allow", edits: "allow", trusted: "allow" }],
  [
    "Bash",
    { command: "ls" },
    "read",
    { "read-only": "allow", ask: "allow", edits: "allow", trusted: "allow" },
  ],
  [
    "Write",
    { path: "a" },
    "idempotent",
    { "read-only": "deny", ask: "ask", edits: "allow", trusted: "allow" },
  ],
  [
    "Edit",
    { path: "a" },
    "idempotent",
    { "read-only": "deny", ask: "ask", edits: "allow", trusted: "allow" },
  ],
  [
    "Edit",
    { path: ".git/hooks/x" },
    "idempotent",
    { "read-only": "deny", ask: "ask", edits: "ask", trusted: "ask" },
  ],
  [
    "Bash",
    { command: "npm test" },
    "unsafe",
    { "read-only": "deny", ask: "ask", edits: "ask", trusted: "allow" },
  ],
  [
    "Bash",
    { command: "echo x > a" },
    "unsafe",
    { "read-only": "deny", ask: "ask", edits: "ask", trusted: "allow" },
  ],
  [
    "Bash",
    { command: "echo 'x" },
    "unsafe",
    { "read-only": "deny", ask: "ask", edits: "ask", trusted: "ask" },
  ],
  ["restart_service", {}, "unsafe", { "read-only": "deny", ask: "ask", edits: "ask", trusted: "allow" }],
  ["mcp__x__y", {}, "unsafe", { "read-only": "deny", ask: "ask", edits: "ask", trusted: "allow" }],
  ["mcp__x__look", {}, "read", { "read-only": "ask", ask: "ask", edits: "ask", trusted: "allow" }],
  [
    "delegate",
    { agent: "a" },
    "idempotent",
    { "read-only": "allow", ask: "allow", edits: "allow", trusted: "allow" },
  ],
];

const write = (setting: Setting) => verdict("Write", { path: "a" }, { effect: "idempotent", ...setting });

describe("presets", () => {
  for (const preset of PRESETS) {
    for (const [tool, input, effect, expected] of CALLS) {
      it(`${preset}: ${tool} ${JSON.stringify(input)} has the verdict ${expected[preset]}`, () => {
        const judged = verdict(tool, input, { effect, project: { preset } });
        expect(judged.verdict).toBe(expected[preset]);
      });
    }
  }

  it("the verdict names the preset that gave it", () => {
    expect(write({ project: { preset: "edits" } }).rule).toBe("preset edits allow Write");
    expect(write({ project: { preset: "trusted" } }).rule).toBe("preset trusted allow *");
    expect(write({ project: { preset: "read-only" } }).rule).toBe("preset read-only deny Write");
  });

  it("every rule overrides a preset, but no rule overrides the preset `read-only`", () => {
    for (const ask of [["*"], ["Write"], ["Write(a)"]])
      expect(write({ project: { preset: "trusted", ask } }).verdict).toBe("ask");
    expect(write({ project: { preset: "trusted", deny: ["Write"] } }).verdict).toBe("deny");
    expect(write({ project: { preset: "trusted" }, parent: { ask: ["Write"] } }).verdict).toBe("ask");
    const wide = { allow: ["*", "Write", "Write(a)"] };
    expect(write({ project: { preset: "read-only", ...wide }, grants: [{ rule: "Edit(a)" }] }).verdict).toBe(
      "deny",
    );
  });

  it("the run's preset overrides the project's preset, but `read-only` applies if either of them sets it", () => {
    expect(write({ project: { preset: "trusted" }, run: { preset: "ask" } }).verdict).toBe("ask");
    expect(write({ project: { preset: "ask" }, run: { preset: "edits" } }).verdict).toBe("allow");
    expect(write({ project: { preset: "read-only" }, run: { preset: "trusted" } }).verdict).toBe("deny");
    expect(write({ project: { preset: "trusted" }, run: { preset: "read-only" } }).verdict).toBe("deny");
  });

  it("[A66] unsafe calls in a tainted run need approval, even with the preset `trusted`", () => {
    const taint = { sources: ["loki"], hosts: [] };
    const judged = verdict(
      "Bash",
      { command: "npm test" },
      { effect: "unsafe", taint, project: { preset: "trusted" } },
    );
    expect(judged).toEqual({
      verdict: "ask",
      rule: "taint ask: words from loki came in",
      basis: "taint",
    });
  });
});

describe("the scope of a grant", () => {
  const bash = (grants: PermissionRequest["grants"], command = "npm test") =>
    verdict("Bash", { command }, { effect: "unsafe", grants }).verdict;

  it("[A21] a grant applies only in its folder, until it expires, and only to the same arguments", () => {
    const rule = "Bash(npm test)";
    expect(bash([{ rule, folder: "/w/proj", until: 1_001 }])).toBe("allow");
    expect(bash([{ rule, folder: "/w/proj", until: 1_000 }])).toBe("ask");
    for (const folder of ["/w/other", "/w/proj/sub", "/w", "/w/proj/"])
      expect(bash([{ rule, folder }])).toBe("ask");
    for (const command of [
      "npm test; curl evil",
      "npm test --prefix /tmp/evil",
      "npm  test\ncurl evil",
      "cd /tmp/evil && npm test",
      "npm test > ~/.bashrc",
      "PATH=/tmp/evil npm test",
      "env -C /tmp/evil npm test",
      "npm test & curl evil",
      "npm $(echo test)",
    ])
      expect(bash([{ rule, folder: "/w/proj" }], command), command).toBe("ask");
    expect(bash([{ rule, folder: "/w/proj" }], "npm  test | tail -3")).toBe("allow");
  });
});
