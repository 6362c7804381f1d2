// Tests that a run without a model does not look like a success (issue 26, item 6).

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const without = () =>
  project({
    "agents/plain.md": "---\nname: plain\ndescription: Names no model.\n---\nDo it.\n",
    "agents/scripted.md": agent("scripted"),
    "scripted.script.yaml": "turns:\n  - text: As the script says.\n",
  });

test("[26.6] without a provider's key, `cadre run` and `cadre chat` refuse to start, and name the variables to set", async () => {
  await using p = await without();
  for (const args of [
    ["run", "plain", "do it"],
    ["run", "do it"],
    ["run", "--detach", "plain", "do it"],
    ["chat", "plain"],
  ]) {
    const { code, stdout, stderr } = await p.cadre(...args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("no provider's key was found: set ANTHROPIC_API_KEY");
    expect(stderr).toContain("--rehearse");
  }
  expect((await p.cadre("runs", "--json")).lines()).toEqual([]);
});

test("[26.6] without an API key, a run still starts with `--rehearse`, with a model in cadre.yaml, or with a scripted agent", async () => {
  await using p = await without();
  expect((await p.cadre("run", "scripted", "do it")).stdout).toContain("As the script says.");
  const rehearsed = await p.cadre("run", "--rehearse", "plain", "do it");
  expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining("This is a rehearsal")]);
  expect((await p.cadre("run", "--rehearse", "--model", "scripted/scripted", "plain", "do it")).code).toBe(2);
  expect((await p.cadre("run", "--model", "scripted/scripted", "plain", "do it")).stdout).toContain(
    "As the script",
  );
  await p.write("cadre.yaml", "model: scripted/rehearsal\n");
  expect((await p.cadre("run", "plain", "do it")).code).toBe(0);
});

test("[26.6] at a terminal, Cadre asks whether to rehearse with the scripted model", async () => {
  await using p = await without();
  const no = p.terminal("run", "plain", "do it");
  await no.shows(/Rehearse with a scripted model, which does nothing\? \[y\/N\] /);
  no.type("\r");
  expect(await no.code).toBe(2);
  const yes = p.terminal("run", "plain", "do it");
  await yes.shows(/\[y\/N\] /);
  yes.type("y\r");
  expect(await yes.code).toBe(0);
  expect(yes.text()).toContain("This is a rehearsal");
});
