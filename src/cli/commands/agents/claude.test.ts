import { expect, test } from "vitest";
import { agent, project } from "../../cli.fixture.ts";

const SETTINGS = `{
  "permissions": {
    "allow": ["Bash(npm test:*)"],
    "deny": ["Read(.env)", "Raed(.env)"],
    "defaultMode": "bypassPermissions",
    "additionalDirectories": ["../docs"]
  },
  "env": { "NODE_ENV": "test" },
  "hooks": { "PreCompact": [] },
  "statusLine": { "type": "command", "command": "x" },
  "somethingNew": true
}
`;

test("[25.4] `agents validate` lists the Claude Code settings that Cadre does not use, each with its file and line", async () => {
  await using place = await project({
    ".claude/agents/reviewer.md": agent("reviewer"),
    ".claude/settings.json": SETTINGS,
    ".mcp.json": `{"mcpServers": {}}`,
    "CLAUDE.md": "See @docs/gone.md.",
  });
  const { code, stdout } = await place.cadre("agents", "validate");
  expect(code).toBe(0);
  for (const line of [
    ".mcp.json:1:1 `mcpServers` is ignored: this folder is not trusted to set commands and endpoints",
    ".claude/settings.json:3:5 `permissions.allow` is ignored: this folder is not trusted to set allow rules",
    ".claude/settings.json:4:28 no tool is called `Raed`",
    ".claude/settings.json:5:5 `permissions.defaultMode: bypassPermissions` is not taken over",
    ".claude/settings.json:6:5 `permissions.additionalDirectories` is not taken over",
    ".claude/settings.json:8:3 `env` is not taken over: set these variables in the shell",
    ".claude/settings.json:9:3 `hooks",
    ".claude/settings.json:10:3 `statusLine` is not taken over",
    ".claude/settings.json:11:3 `somethingNew` is not taken over",
    "docs/gone.md:1:1 does not exist",
  ])
    expect(stdout.replace(/\n +/g, " ")).toContain(line);
});

test("[25.4] a broken settings file stops every run; the error says where the mistake is and what it would cause", async () => {
  await using place = await project({
    "agents/clerk.md": agent("clerk"),
    ".claude/settings.json": `{\n  "permissions": { "deny": ["Read(.env)"], }\n}`,
  });
  const { code, stderr } = await place.cadre("run", "clerk", "work");
  expect(code).toBe(2);
  expect(stderr).toContain(".claude/settings.json:2:44 is no valid JSON");
  expect(stderr).toContain("deny rules would be lost");
});
