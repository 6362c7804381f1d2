// Data that could be dangerous elsewhere: prototype keys, and serialised objects of other products.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { look, payloadsOf, scenario, turns } from "../../../test/support/scenario.ts";
import { sendRequest, serveRuntime } from "../../api/fixtures/api.fixture.ts";
import { drive } from "../drive/drive.ts";

const POISON = '{"what":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}';
const isPolluted = (): boolean => "admin" in {} || "admin" in Object.assign({}, JSON.parse("{}"));

scenario(
  "[A57] prototype keys in a call's arguments have no effect, and the journal keeps them",
  { idle: true, script: turns({ calls: [{ tool: "look", input: JSON.parse(POISON) }] }) },
  async (world) => {
    const runId = await world.run("go");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(isPolluted()).toBe(false);
    const [thought] = payloadsOf(await world.events(runId), "AGENT_THOUGHT");
    const call = thought!.content.find((part) => part.type === "tool-call")!;
    expect(Object.getPrototypeOf(call.input)).toBe(Object.prototype);
    expect(JSON.stringify(call.input)).toBe(POISON);
  },
);

scenario(
  "[A57] prototype keys in the body of a request have no effect",
  { idle: true, script: turns() },
  async (world) => {
    const api = await serveRuntime(world.runtime, world.folder);
    const body = `{"agent":"tester","task":"go","input":${POISON}}`;
    expect((await sendRequest(api, "POST", "/api/runs", body)).status).toBe(201);
    const own = await sendRequest(
      api,
      "POST",
      "/api/runs",
      `{"agent":"tester","task":"x","__proto__":{"admin":1}}`,
    );
    expect(own.status).toBe(400);
    const refused = await sendRequest(
      api,
      "POST",
      "/api/approvals/x",
      '{"decision":"approve","__proto__":{}}',
    );
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(isPolluted()).toBe(false);
    await api.close();
  },
);

/** Texts that a careless loader might turn into objects or code: LangChain, Python, a module and a function. */
const REVIVED = {
  lc: 2,
  type: "constructor",
  id: ["node:child_process", "execSync"],
  kwargs: { command: "touch pwned" },
  __class__: "os.system",
  $type: "System.Diagnostics.Process",
  $blob: "0".repeat(64),
  _$$ND_FUNC$$_x: "function(){require('fs').writeFileSync('pwned','')}()",
};

scenario(
  "[A60] text that looks like a serialised object stays text, in the journal and after a restart",
  { idle: true, script: turns({ calls: [look(JSON.stringify(REVIVED))] }) },
  async (world) => {
    const runId = await world.run("go", { input: REVIVED });
    await world.drive(runId);
    await world.restart();
    const [started] = payloadsOf(await world.events(runId), "RUN_STARTED");
    expect(started!.input).toEqual(REVIVED);
    expect(existsSync(join(world.folder, "pwned"))).toBe(false);
  },
);

scenario(
  "[A60] an event inserted directly into the database breaks the hash chain: that run is quarantined, and other runs continue",
  { idle: true, script: turns({ calls: [look("x")] }) },
  async (world) => {
    const [bad, good] = [await world.run("go"), await world.run("go")];
    await world.runtime.store.close();
    const db = new DatabaseSync(join(world.folder, ".cadre", "cadre.db"));
    const text = JSON.stringify({ ...REVIVED, agent: "tester" });
    db.prepare("UPDATE events SET payload = ? WHERE type = 'RUN_STARTED' AND run = 1").run(text);
    db.close();
    const problems: string[] = [];
    await world.restart({ idle: true, onProblem: ({ error }) => problems.push(String(error)) });
    const { store, parts } = world.runtime;
    await drive(bad, parts, new AbortController().signal);
    expect(await store.leases.quarantined()).toMatchObject([{ runId: bad, seq: 1 }]);
    expect(problems[0]).toContain("damaged at event 1");
    expect((await world.drive(good)).end?.status).toBe("completed");
    expect(existsSync(join(world.folder, "pwned"))).toBe(false);
  },
);
