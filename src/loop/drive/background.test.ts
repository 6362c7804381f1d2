import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  payloadsOf,
  promptOf,
  type ScenarioOptions,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import type { EventType } from "../../journal/events.ts";
import { decideOutcome } from "../commands/person-commands.ts";
import { probeOutcome } from "../commands/probe-outcome.ts";

const start = (command: string, more: object = {}) => ({
  tool: "Bash",
  input: { command, background: true, ...more },
});
const output = (id: string, more: object = {}) => ({ tool: "BashOutput", input: { id, ...more } });

const server = "echo ran >> marks; echo ready; sleep 300";
const config = "sandbox: none\npermissions: { allow: [Bash] }\n";
const marks = ({ folder }: World) => readFileSync(join(folder, "marks"), "utf8");
const left = ({ folder }: World, runId: string) => existsSync(join(folder, ".cadre/commands", runId));

/** Options for a world that dies at the nth append of this type, before or after the append is on disk. */
function dying(
  [at, when, nth]: readonly [EventType, "before" | "after", number],
  options: Omit<ScenarioOptions, "intercept">,
) {
  let current: World | undefined;
  let seen = 0;
  let doomed = false;
  const intercept: NonNullable<ScenarioOptions["intercept"]> = async (append, send) => {
    if (doomed) return new Promise(() => {});
    if (!append.events.some((event) => event.type === at) || ++seen < nth) return send();
    doomed = true;
    if (when === "after") await send();
    current!.die();
    return new Promise(() => {});
  };
  const live = async (world: World): Promise<string> => {
    current = world;
    const runId = await world.run("go on");
    void world.drive(runId).catch(() => {});
    await world.dead();
    await world.restart();
    return runId;
  };
  return { options: { idle: true, ...options, intercept }, live };
}

const script = turns(
  { calls: [start(server)] },
  { calls: [output("m1.0", { wait: 0 })] },
  { calls: [output("m1.0", { stop: true })] },
);

scenario(
  "[25.12] [BG3] a background command is in the journal, belongs to its run and ends with it; the result says so",
  { idle: true, config, script: turns({ calls: [start(server)] }) },
  async (world) => {
    const runId = await world.run("go on");
    const { end } = await world.drive(runId);
    expect(end?.status).toBe("completed");
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_RESULT")[0]).toMatchObject({
      output: expect.stringMatching(/^ready\n\[background command m1\.0 is still running/),
      background: {
        ...{ id: "m1.0", command: server, upTo: 6, pid: expect.any(Number), start: expect.any(String) },
        ...{ worker: expect.any(String), host: expect.any(String) },
      },
    });
    expect(payloadsOf(events, "RUN_COMPLETED")[0]!.result.warnings).toEqual([
      `The background command m1.0 (${server}) is ended together with the run.`,
    ]);
    expect(left(world, runId)).toBe(false);
  },
);

for (const at of [
  ["TOOL_RESULT", "after", 1],
  ["MODEL_CALL_STARTED", "before", 2],
  ["TOOL_PROPOSED", "after", 2],
  ["TOOL_RESULT", "before", 2],
  ["TOOL_STARTED", "after", 3],
  ["RUN_COMPLETED", "before", 1],
  ["RUN_COMPLETED", "after", 1],
] as const) {
  const { options, live } = dying(at, { config, script });
  scenario(
    `[25.12] [BG2] [BG3] [F04] killed ${at[1]} ${at[0]} ${at[2]}: the command has run once, and ends with its run`,
    options,
    async (world) => {
      const runId = await live(world);
      const before = await world.state(runId);
      if (before.end) await world.runtime.endCancelled([], new AbortController().signal);
      const state = await world.drive(runId);
      expect(state.end?.status).toBe("completed");
      expect(marks(world)).toBe("ran\n");
      expect(left(world, runId)).toBe(false);
    },
  );
}

const restarted = dying(["TOOL_RESULT", "after", 1], { config, script });
scenario(
  "[25.12] [BG4] after a restart the agent is told once that its command is still running",
  restarted.options,
  async (world) => {
    const runId = await restarted.live(world);
    await world.drive(runId);
    const notes = payloadsOf(await world.events(runId), "CONTEXT_ADDED");
    expect(notes).toMatchObject([
      {
        source: "system",
        text: expect.stringMatching(
          /^Cadre was restarted\. The background command m1\.0 \(.*\) is still running\. BashOutput m1\.0 shows its output\.$/,
        ),
      },
    ]);
  },
);

const failing = dying(["TOOL_RESULT", "after", 1], {
  config,
  script: turns({ calls: [start("echo ready; until [ -e go ]; do sleep 0.05; done; exit 7")] }),
  files: {},
});
scenario(
  "[25.12] [BG4] after a restart the agent is told that its command has ended, and with which exit code",
  failing.options,
  async (world) => {
    const runId = await failing.live(world);
    await import("node:fs/promises").then(({ writeFile }) => writeFile(join(world.folder, "go"), ""));
    const { commands } = world.runtime.parts;
    await expect
      .poll(async () => (await commands.look(runId, "m1.0")).isOver, { timeout: 20_000 })
      .toBe(true);
    await world.drive(runId);
    expect(payloadsOf(await world.events(runId), "CONTEXT_ADDED")).toMatchObject([
      { text: expect.stringContaining("has ended with exit code 7"), background: { ended: true } },
    ]);
  },
);

const lost = dying(["TOOL_RESULT", "before", 1], { config, script });
scenario(
  "[25.12] [P4] [BG2] killed before the start is recorded: a person decides, a probe finds the command, and it runs once",
  lost.options,
  async (world) => {
    const runId = await lost.live(world);
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    const { people } = world.runtime;
    expect(await probeOutcome(runId, "m1.0", "ann", people)).toMatchObject({
      found: "done",
      evidence: [expect.stringContaining("m1.0 is still running")],
    });
    await decideOutcome(runId, "m1.0", { verdict: "run_again" }, "ann", people);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(marks(world)).toBe("ran\n");
    expect(left(world, runId)).toBe(false);
  },
);

scenario(
  "[25.12] [BG5] Read and Grep show the whole output of a command that is still running",
  {
    idle: true,
    config,
    script: turns(
      { calls: [start("seq 1 20; sleep 300")] },
      { calls: [{ tool: "Read", input: { path: "output:m1.0", offset: 19 } }] },
      { calls: [{ tool: "Grep", input: { path: "output:m1.0", pattern: "^1.$" } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("go on");
    await world.drive(runId);
    const [, read, grep] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(read!.output).toBe("19\t19\n20\t20");
    expect(String(grep!.output).split("\n")).toHaveLength(10);
  },
);

scenario(
  "[25.12] [BG1] text typed into a command needs approval even if it looks harmless; a rule that denies a command also denies typing it",
  {
    idle: true,
    config: 'sandbox: none\npermissions: { allow: [Bash], deny: ["Bash(git push *)"] }\n',
    script: turns(
      { calls: [start("cat")] },
      { calls: [{ tool: "BashInput", input: { id: "m1.0", input: "git push origin" } }] },
      { calls: [{ tool: "BashInput", input: { id: "m1.0", input: "ls" } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("go on");
    expect((await world.drive(runId)).waitingOn?.kind).toBe("approval");
    const [, push, list] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
    expect(push!.verdict).not.toBe("allow");
    expect(list).toMatchObject({ verdict: "ask", effect: "unsafe" });
    expect(list).not.toHaveProperty("afterCrash");
    await world.runtime.store.runs.cancel(runId, { by: "ann" });
    await world.drive(runId);
    expect(left(world, runId)).toBe(false);
  },
);

scenario(
  "[25.12] [BG4] the agent is told that its server has ended",
  {
    idle: true,
    config,
    script: turns(
      { calls: [start("echo up; until [ -e go ]; do sleep 0.05; done; exit 1")] },
      { calls: [{ tool: "Write", input: { path: "go", content: "" } }] },
      { calls: [{ tool: "Bash", input: { command: "sleep 1" } }] },
    ),
    agent: "tools: { allow: [Bash, Write] }",
  },
  async (world) => {
    world.runtime.parts.authority = () => [
      { source: "project", rules: { allow: ["Bash", "Write"], ask: [], deny: [] } },
    ];
    const runId = await world.run("go on");
    await world.drive(runId);
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain("has ended with exit code 1");
  },
);
