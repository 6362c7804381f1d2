import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { charge, payloadsOf, promptOf, scenario, turns } from "../../../test/support/scenario.ts";
import { openApprovalIds } from "../../../test/support/world.ts";
import { sendMessage } from "../commands/messages.ts";
import { decideApproval } from "../commands/person-commands.ts";

const SECRET = 'sw0rd"fish/4711';
const MARK = "⟦secret A_TOKEN⟧";
const env = { CADRE_TRUST: "1", A_TOKEN: SECRET };

scenario(
  "[A61] [P5] a call with a secret is shown, approved and run in its masked form; a repeated decision is recognised",
  {
    idle: true,
    env,
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [charge(SECRET)] }, (seen) => ({ text: `seen: ${seen}` })),
  },
  async (world) => {
    const runId = await world.run(`use ${SECRET}`);
    await world.drive(runId);
    const [id] = await openApprovalIds(world, runId);
    const { people } = world.runtime;
    const edit = { decision: "edit" as const, input: { what: `${SECRET}, twice` }, note: SECRET };
    expect(await decideApproval(id!, edit, "maria", people)).toEqual({ alreadyDecided: false });
    expect(await decideApproval(id!, edit, "maria", people)).toEqual({ alreadyDecided: true });
    await sendMessage(runId, `and ${SECRET}`, "maria", people);
    const state = await world.drive(runId);
    expect(state.end?.status).toBe("completed");
    const events = await world.events(runId);
    expect(payloadsOf(events, "APPROVAL_DECIDED")).toMatchObject([
      { input: { what: `${MARK}, twice` }, note: MARK },
    ]);
    for (const text of [JSON.stringify(events), JSON.stringify(promptOf(events))]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
      expect(text).toContain(MARK);
    }
  },
);

scenario(
  "[A61] the values of a .env file that is created during a run are masked from the next result on",
  { idle: true, env, script: turns({ calls: [{ tool: "Read", input: { path: ".env" } }] }) },
  async (world) => {
    const runId = await world.run("read it");
    writeFileSync(join(world.folder, ".env"), "NEW_PASSWORD=came-later-1\n");
    await world.drive(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(result?.output).toBe("1\tNEW_PASSWORD=⟦secret NEW_PASSWORD⟧");
  },
);

scenario(
  "[A61] the values of a .env file stay secret after the file is moved",
  {
    idle: true,
    env,
    files: { ".env": "OLD_PASSWORD=was-there-1\n" },
    script: turns({ calls: [{ tool: "Read", input: { path: "notes.txt" } }] }),
  },
  async (world) => {
    const runId = await world.run("read it");
    renameSync(join(world.folder, ".env"), join(world.folder, "notes.txt"));
    await world.drive(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(result?.output).toBe("1\tOLD_PASSWORD=⟦secret OLD_PASSWORD⟧");
  },
);
