import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { judge } from "../../test/support/judge.ts";
import { openProject } from "./project.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "cadre-claude-rules-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, value: unknown) {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), typeof value === "string" ? value : JSON.stringify(value));
}

const LOCAL = "p/.claude/settings.local.json";
const PROJECT = "p/.claude/settings.json";

/** Judges calls of a project with these settings. */
function judged(permissions: unknown, { trusted = false, file = PROJECT } = {}) {
  put(file, { permissions });
  const home = join(base, "home");
  mkdirSync(join(base, "p"), { recursive: true });
  const folder = join(base, "p");
  const project = openProject({
    folder,
    env: { HOME: home, ...(trusted ? { CADRE_TRUST: "1" } : {}) },
    home,
  });
  return (tool: string, input: unknown) =>
    judge({
      ...{ tool, input, effect: "unsafe", workspace: folder, now: 1_000 },
      gate: { ask: [], deny: [] },
      ancestors: [],
      authority: project.authority,
      grants: [],
    });
}

const command = (text: string) => ["Bash", { command: text }] as const;

describe("[25.4] deny rules of .claude/settings.json apply in every folder", () => {
  it.each([
    ["Read(.env)", "Read", { path: ".env" }],
    ["Read(./.env)", "Read", { path: ".env" }],
    ["Read(.env)", "Read", { path: "apps/web/.env" }],
    ["Read(.env)", ...command("cat .env")],
    ["Read(.env)", "Edit", { path: ".env" }],
    ["Read(.env)", "Grep", { pattern: "KEY", path: ".env" }],
    ["Read(./.env.*)", "Read", { path: ".env.production" }],
    ["Read(./secrets/**)", "Read", { path: "secrets/a/b.key" }],
    ["Read(secrets/)", "Read", { path: "apps/secrets/key" }],
    ["Read(*.pem)", "Read", { path: "certs/a.pem" }],
    ["Read(/config/keys)", "Read", { path: "config/keys/a" }],
    ["Edit(package-lock.json)", "Write", { path: "package-lock.json", content: "" }],
    ["MultiEdit(db/**)", "Edit", { path: "db/a.sql" }],
    ["NotebookEdit", "Edit", { path: "a.ipynb" }],
    ["Bash(curl:*)", ...command("curl https://a.example")],
    ["Bash(curl:*)", ...command("ls && curl https://a.example")],
    ["Bash(git push*)", ...command("git push origin main")],
    ["Bash(git * main)", ...command("git push --force origin main")],
    ["Bash(rm *)", ...command("rm -rf x")],
    ["Bash(curl https://a.example/:*)", ...command("curl https://a.example/x")],
    ["Bash", ...command("ls")],
    ["WebFetch", "WebFetch", { url: "https://a.example" }],
    ["WebFetch(domain:a.example)", "WebFetch", { url: "https://a.example/x", prompt: "?" }],
    ["WebFetch(domain:a.example)", "WebFetch", { url: "https://docs.a.example./x" }],
    ["Task", "delegate", { agent: "coder", task: "x" }],
    ["Agent(coder)", "delegate", { agent: "coder", task: "x" }],
    ["mcp__github", "mcp__github__push", {}],
    ["mcp__github__*", "mcp__github__push", {}],
    ["Skill(deploy)", "Skill", { skill: "deploy" }],
    ["Read(.env", "Read", { path: "a" }],
  ])("%s denies %s %j", (rule, tool, input) => {
    expect(judged({ deny: [rule] })(tool, input)).toMatchObject({
      verdict: "deny",
      rule: expect.stringContaining(".claude/settings.json deny"),
    });
  });

  it.each([
    ["Read(.env)", "Read", { path: ".env.example" }],
    ["Read(/config/keys)", "Read", { path: "apps/config/keys/a" }],
    ["WebFetch(domain:a.example)", "WebFetch", { url: "https://b.example/?from=a.example" }],
    ["Bash(git * main)", ...command("git status")],
    ["Bash(git push*)", ...command("git log")],
    ["Agent(coder)", "delegate", { agent: "reviewer", task: "x" }],
  ])("%s does not deny %s %j", (rule, tool, input) => {
    // By default, an address that no person named asks.
    const byDefault = tool === "WebFetch" ? "ask" : "allow";
    expect(judged({ deny: [rule] })(tool, input).verdict).toBe(byDefault);
  });

  it("a rule about the home folder applies to absolute paths; if the shell has to expand the path, the call needs approval", () => {
    const call = judged({ deny: ["Read(~/.ssh/**)"] });
    expect(call(...command(`cat ${join(base, "home/.ssh/id_rsa")}`)).verdict).toBe("deny");
    expect(call(...command("cat ~/.ssh/id_rsa")).verdict).toBe("ask");
  });

  it("the deny rules of the local settings file and of the user's own file apply too", () => {
    const deny = { deny: ["Read(.env)"] };
    expect(judged(deny, { file: LOCAL })("Read", { path: ".env" }).rule).toContain(
      ".claude/settings.local.json deny",
    );
    rmSync(join(base, LOCAL));
    expect(judged(deny, { file: "home/.claude/settings.json" })("Read", { path: ".env" }).rule).toContain(
      "~/.claude/settings.json deny",
    );
  });
});

it("[25.4] an ask rule applies in every folder, and wins over a more specific allow rule, as in Claude Code", () => {
  const rules = { ask: ["Bash(git push:*)"], allow: ["Bash(git push origin main)"] };
  for (const trusted of [false, true])
    expect(judged(rules, { trusted })(...command("git push origin main"))).toMatchObject({
      verdict: "ask",
      rule: ".claude/settings.json ask Bash(git push:*)",
    });
});

it("[25.4] an allow rule applies only in a trusted folder, and never to a denied call", () => {
  const rules = { allow: ["Bash(npm run test:*)", "Edit(src/**)", "Bash(rm:*)"], deny: ["Bash(rm:*)"] };
  expect(judged(rules)(...command("npm run test -- a")).verdict).toBe("ask");
  const trusted = judged(rules, { trusted: true });
  expect(trusted(...command("npm run test -- a")).verdict).toBe("allow");
  expect(trusted("Edit", { path: "src/a.ts" }).verdict).toBe("allow");
  expect(trusted("Edit", { path: "lib/a.ts" }).verdict).toBe("ask");
  expect(trusted(...command("npm run testing")).verdict).toBe("ask");
  expect(trusted(...command("rm x")).verdict).toBe("deny");
});

it("[25.4] `acceptEdits` needs a trusted folder, `plan` forbids changes everywhere, and bypassing approvals is not possible", () => {
  const write = ["Write", { path: "a", content: "" }] as const;
  expect(judged({ defaultMode: "acceptEdits" })(...write).verdict).toBe("ask");
  expect(judged({ defaultMode: "acceptEdits" }, { trusted: true })(...write).verdict).toBe("allow");
  expect(judged({ defaultMode: "plan" })(...write).verdict).toBe("deny");
  expect(judged({ defaultMode: "bypassPermissions" }, { trusted: true })(...write).verdict).toBe("ask");
});

it.each([
  [{ deny: "Read(.env)" }, "settings.json:1:24 `permissions.deny` must be a list of rules"],
  [{ ask: [{ tool: "Bash" }] }, "`permissions.ask` must be a rule, such as Read(.env)"],
  [["Read(.env)"], "`permissions` must be an object"],
])("[25.4] settings with %j are refused, because their rules would be lost", (permissions, message) => {
  expect(() => judged(permissions)).toThrow(message);
});
