import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findAgent } from "./load.ts";
import { watchAgents } from "./watch-agents.ts";

const models = { default: "scripted/rehearsal", resolve: (name: string) => ({ model: name }) };
let root: string;
let agents: ReturnType<typeof watchAgents>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-last-good-"));
  mkdirSync(join(root, "agents"));
  agents = watchAgents({ project: root, builtin: join(root, "none") }, { models });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const writeAgent = (name: string, text: string) => writeFileSync(join(root, "agents", name), text);
const good = (prompt: string, yaml = "") => `---\nname: Fixer\ndescription: d\n${yaml}\n---\n${prompt}`;
const BROKEN = "---\nname: fixer\nname: fixer\n---\nhalf an ed";

async function look() {
  await setImmediate();
  return agents();
}
const promptNow = async () => findAgent(await look(), "fixer").definition.prompt;
const codesNow = async () => (await look()).agents.get("fixer")?.problems.map(({ code }) => code);

test("a new file adds an agent, and a changed file changes the agent's definition", async () => {
  expect((await look()).agents.size).toBe(0);
  writeAgent("a.md", good("One"));
  expect(await promptNow()).toBe("One");
  writeAgent("a.md", good("Two!"));
  expect(await promptNow()).toBe("Two!");
  rmSync(join(root, "agents/a.md"));
  expect((await look()).agents.size).toBe(0);
});

test("a change in a subfolder or in a linked file is noticed", async () => {
  mkdirSync(join(root, "agents/crew"));
  writeFileSync(join(root, "linked.md"), good("One"));
  symlinkSync(join(root, "linked.md"), join(root, "agents/crew/a.md"));
  writeAgent("crew/b.md", "---\ndescription: d\n---\nOne");
  const prompts = async () => [...(await look()).agents.values()].map(({ definition }) => definition?.prompt);
  expect(await prompts()).toEqual(["One", "One"]);
  writeFileSync(join(root, "linked.md"), good("Two!"));
  writeAgent("crew/b.md", "---\ndescription: d\n---\nThree");
  expect(await prompts()).toEqual(["Two!", "Three"]);
});

describe("requesting one agent by name", () => {
  const names = async (name: string) => {
    await setImmediate();
    return [...(await agents(name)).agents.keys()];
  };

  beforeEach(() => {
    mkdirSync(join(root, "builtin/crew"), { recursive: true });
    writeFileSync(join(root, "builtin/crew/scout.md"), "---\ndescription: d\n---\nScout.");
    agents = watchAgents({ project: root, builtin: join(root, "builtin") }, { models });
    writeAgent(
      "boss.md",
      "---\ndescription: d\nagents: fixer, Lead\nbestOf: { n: 2, strategies: [fast] }\n---\nLead.",
    );
    writeAgent("lead.md", "---\ndescription: d\n---\nLead.");
    writeAgent("fixer.md", good("Fix."));
  });

  test("loading one agent skips the built-in agents if no file refers to them; loading the whole set includes them", async () => {
    expect(await names("Fixer")).toEqual(["boss", "fixer", "lead"]);
    expect((await look()).agents.size).toBe(4);
    expect(findAgent(await agents("crew/scout"), "crew/scout").definition.prompt).toBe("Scout.");
  });

  test("if the project has no agent of the requested name, a built-in agent is found", async () => {
    expect(await names("crew/scout")).toContain("crew/scout");
    expect(await names("scout")).toContain("crew/scout");
  });

  test.each([
    "agents: [fixer, scout]",
    "extends: crew/scout",
    "handoff: { agent: scout }",
    "advisors: fixer, scout",
  ])("if a file says %s, requesting one agent also loads the built-in agents", async (key) => {
    writeAgent("boss.md", `---\ndescription: d\n${key}\n---\nLead.`);
    expect(await names("fixer")).toContain("crew/scout");
  });

  test("if the requested agent's file is broken, the agents in its last good version are loaded too", async () => {
    writeAgent("boss.md", "---\ndescription: d\nhandoff: scout\n---\nLead.");
    await names("boss");
    writeAgent("boss.md", BROKEN.replaceAll("fixer", "boss"));
    expect(await names("boss")).toContain("crew/scout");
    expect(findAgent(await agents("boss"), "boss").definition.handoff?.agent).toBe("crew/scout");
  });

  test("if the file of a requested agent is broken, loading the whole set also gives the agent's last good version", async () => {
    await names("fixer");
    writeAgent("fixer.md", BROKEN);
    expect(await promptNow()).toBe("Fix.");
  });
});

test("unchanged files are not read again; simultaneous callers get the same set", async () => {
  writeAgent("a.md", good("One"));
  const first = await look();
  expect(await look()).toBe(first);
  writeAgent("b.md", good("Two", "title: other"));
  const one = agents();
  writeAgent("c.md", "---\ndescription: comes in the same moment\n---\nHi");
  expect(agents()).toBe(one);
  expect((await look()).agents.has("c")).toBe(true);
});

describe("a file that was broken by an edit", () => {
  test("if an edit breaks a file, its last good version is used and the problem is reported, until the file is repaired", async () => {
    writeAgent("a.md", good("One"));
    await look();
    writeAgent("a.md", BROKEN);
    expect(await promptNow()).toBe("One");
    expect(await codesNow()).toEqual(["DUPLICATE_KEY", "LAST_GOOD_KEPT"]);
    expect((await look()).problems).toContainEqual(
      expect.objectContaining({ code: "DUPLICATE_KEY", severity: "error", file: "agents/a.md", line: 3 }),
    );
    writeAgent("b.md", "---\ndescription: another file changes\n---\nHi");
    expect(await promptNow()).toBe("One");
    writeAgent("a.md", good("Two"));
    expect([await promptNow(), await codesNow()]).toEqual(["Two", []]);
  });

  test.each([
    ["by a wrong value", good("Two", "kind: boss"), "BAD_VALUE"],
    ["by a missing agent", good("Two", "handoff: nobody"), "UNKNOWN_AGENT"],
    ["because it is being written at this moment", "", "NO_FRONTMATTER"],
    ["because its front matter is not closed", "---\nname: fixer\n", "FRONTMATTER_UNCLOSED"],
  ])("if an agent file is broken %s, its last good version is used", async (_, text, code) => {
    writeAgent("a.md", good("One"));
    await look();
    writeAgent("a.md", text);
    expect(await promptNow()).toBe("One");
    expect(await codesNow()).toEqual([code, "LAST_GOOD_KEPT"]);
  });

  test("if a file is broken, other agents use its last good version; their own changes still apply", async () => {
    writeAgent("a.md", good("One"));
    writeAgent("boss.md", "---\ndescription: d\nhandoff: Fixer\n---\nOld boss");
    await look();
    writeAgent("a.md", BROKEN);
    writeAgent("boss.md", "---\ndescription: d\nhandoff: Fixer\n---\nNew boss");
    expect(findAgent(await look(), "boss").definition).toMatchObject({
      prompt: "New boss",
      handoff: { agent: "fixer", onFailure: "fail" },
    });
    expect(await promptNow()).toBe("One");
  });

  test("a broken agent is not replaced by an older version if it never had a good one, or if a change to another file broke it", async () => {
    writeAgent("a.md", BROKEN);
    expect((await look()).agents.get("a")?.definition).toBeUndefined();
    writeAgent("a.md", good("One"));
    writeAgent("boss.md", "---\ndescription: d\nhandoff: fixer\n---\nBoss");
    expect(findAgent(await look(), "boss").name).toBe("boss");
    rmSync(join(root, "agents/a.md"));
    expect((await look()).agents.get("boss")?.definition).toBeUndefined();
  });
});
