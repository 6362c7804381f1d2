import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { effects, oracleTools } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  familyOf,
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  type ScenarioOptions,
  scenario,
  stamp,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import { CadreError } from "../../errors.ts";
import type { EventType } from "../../journal/events.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import type { Append } from "../../stores/store.ts";
import { decideApproval, decideOutcome, decideOutcomes, resumeRun } from "../commands/person-commands.ts";
import { drive } from "./drive.ts";

/** Options for a test world whose process dies at the first append of this type, before or right after the append is on disk. */
function dyingWorld(at: EventType, when: "before" | "after", options: Omit<ScenarioOptions, "intercept">) {
  let current: World | undefined;
  let doomed = false;
  const holds = (append: Append) => append.events.some((event) => event.type === at);
  const world: ScenarioOptions = {
    idle: true,
    ...options,
    async intercept(append, send) {
      // Later appends get no answer, as in a dead process.
      if (doomed) return new Promise(() => {});
      if (!holds(append)) return send();
      doomed = true;
      if (when === "after") await send();
      current!.die();
      return new Promise(() => {});
    },
  };
  const attach = (made: World): void => {
    current = made;
  };
  return { world, attach };
}

function crash(
  title: string,
  [at, when]: [EventType, "before" | "after"],
  options: Omit<ScenarioOptions, "intercept">,
  body: (world: World, runId: string) => Promise<void>,
): void {
  const { world, attach } = dyingWorld(at, when, options);
  scenario(title, world, async (made) => {
    attach(made);
    const runId = await made.run("go on");
    await driveToDeath(made, runId);
    await made.restart();
    await body(made, runId);
  });
}

async function driveToDeath(world: World, runId: string): Promise<void> {
  void world.drive(runId).catch(() => {});
  await world.dead();
}

/** Changes the notes on commands as if the commands had begun but not ended. */
function loseAnswers(world: World): void {
  const folder = join(world.folder, ".cadre", "calls");
  for (const name of readdirSync(folder)) if (name !== "id") writeFileSync(join(folder, name), "{}");
}

const inputs = (world: World) => effects(world.oracle).map((effect) => effect.input);
const steps = turns({ calls: [charge("a")] }, (seen) => ({ text: seen }));

crash(
  "[F01] if the process is killed between the proposal and the unsafe tool, the tool runs exactly once",
  ["TOOL_STARTED", "before"],
  { script: steps },
  async (world, runId) => {
    expect(typesOf(await world.events(runId))).not.toContain("TOOL_STARTED");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a"]);
  },
);

crash(
  "[F01] after a crash, calls are judged again: a call that is now forbidden does not run",
  ["TOOL_STARTED", "before"],
  { changes: true, script: steps },
  async (world, runId) => {
    world.runtime.parts.authority = () => [
      { source: "project", rules: { allow: [], ask: [], deny: ["charge"] } },
    ];
    expect((await world.drive(runId)).end?.summary).toContain("project deny charge");
    expect(inputs(world)).toEqual([]);
  },
);

for (const [id, when] of [
  ["F02", "before the effect"],
  ["F03", "after the effect"],
] as const) {
  const happened = id === "F03" ? 1 : 0;
  for (const [effect, tool] of [
    ["unsafe", charge],
    ["idempotent", stamp],
    ["read", look],
  ] as const) {
    const at: ["TOOL_STARTED" | "TOOL_RESULT", "after" | "before"] =
      id === "F02" ? ["TOOL_STARTED", "after"] : ["TOOL_RESULT", "before"];
    crash(
      `[${id}] a kill ${when}: recovery of a call marked as ${effect}`,
      at,
      { script: turns({ calls: [tool("a")] }) },
      async (world, runId) => {
        expect(inputs(world)).toHaveLength(happened);
        const state = await world.drive(runId);
        if (effect === "unsafe") {
          expect(state).toMatchObject({
            status: "suspended",
            waitingOn: { kind: "outcome_unknown", items: ["outcome/m1.0"] },
          });
          expect(await world.runtime.store.inbox.openItems()).toMatchObject([{ kind: "outcome" }]);
          expect(inputs(world), "it is not done again by itself").toHaveLength(happened);
        } else {
          expect(state.end?.status).toBe("completed");
          expect(inputs(world)).toHaveLength(effect === "read" ? happened + 1 : 1);
          expect(payloadsOf(await world.events(runId), "TOOL_STARTED").at(-1)).toMatchObject({ attempt: 2 });
        }
      },
    );
  }
}

const marks = { tool: "Bash", input: { command: "sh mark.sh" } };
const bashProject = (permissions: string, effects: string): Omit<ScenarioOptions, "intercept"> => ({
  script: turns({ calls: [marks] }),
  files: { "mark.sh": "echo ran >> marks" },
  config: `sandbox: none\npermissions: ${permissions}\neffects: ${effects}\n`,
});
const marked = ({ folder }: World) =>
  readFileSync(join(folder, "marks"), "utf8")
    .split("\n")
    .filter((line) => line !== "").length;

for (const effect of ["read", "idempotent"])
  crash(
    `[25.12] [P4] a command to which the project gives the class ${effect} runs again after a crash, without a person`,
    ["TOOL_RESULT", "before"],
    bashProject('{ allow: ["Bash(sh mark.sh)"] }', `{ "Bash(sh mark.sh)": ${effect} }`),
    async (world, runId) => {
      expect(marked(world)).toBe(1);
      expect((await world.drive(runId)).end?.status).toBe("completed");
      expect(marked(world)).toBe(2);
    },
  );

crash(
  "[25.12] [P4] without a class, a command that a crash cut off waits for a person",
  ["TOOL_RESULT", "before"],
  bashProject('{ allow: ["Bash(sh mark.sh)"] }', '{ "Bash(sh other.sh)": read }'),
  async (world, runId) => {
    loseAnswers(world);
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    expect(marked(world)).toBe(1);
  },
);

crash(
  "[25.12] a command with the class read is not repeated automatically if rules now require approval; the person decides once",
  ["TOOL_RESULT", "before"],
  {
    ...bashProject('{ allow: ["Bash(sh mark.sh)"] }', '{ "Bash(sh mark.sh)": read }'),
    changes: true,
  },
  async (world, runId) => {
    world.runtime.parts.authority = () => [
      { source: "project", rules: { allow: [], ask: ["Bash(sh mark.sh)"], deny: [] } },
    ];
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    expect(marked(world)).toBe(1);
    const { people } = world.runtime;
    await decideOutcome(runId, "m1.0", { verdict: "run_again" }, "ann", people);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(marked(world)).toBe(2);
  },
);

scenario(
  "[25.12] the class `read` does not allow a command: the command needs approval, and afterwards it counts as unsafe",
  { ...bashProject("{}", '{ "Bash(sh mark.sh)": read }'), idle: true },
  async (world) => {
    const runId = await world.run("go on");
    expect((await world.drive(runId)).waitingOn?.kind).toBe("approval");
    const [proposed] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
    expect(proposed).toMatchObject({ verdict: "ask", effect: "unsafe" });
    expect(proposed).not.toHaveProperty("afterCrash");
  },
);

for (const [verdict, told, count] of [
  [{ verdict: "happened", output: "receipt 7" }, "receipt 7", 1],
  [{ verdict: "run_again" }, "charge a: done", 2],
  [{ verdict: "fail", note: "The bank is closed." }, "not known whether this was done. The bank", 1],
] as const) {
  crash(
    `[P4] a person resolves an unknown outcome with the verdict ${verdict.verdict}`,
    ["TOOL_RESULT", "before"],
    { script: steps },
    async (world, runId) => {
      await world.drive(runId);
      const { people } = world.runtime;
      expect(await decideOutcome(runId, "m1.0", verdict, "ann", people)).toEqual({ alreadyDecided: false });
      expect(await decideOutcome(runId, "m1.0", verdict, "ann", people)).toEqual({ alreadyDecided: true });
      const other = verdict.verdict === "fail" ? "happened" : "fail";
      for (const another of [{ verdict: other } as const, { ...verdict, output: "receipt 8" }])
        await expect(decideOutcome(runId, "m1.0", another, "bob", people)).rejects.toMatchObject({
          code: "ALREADY_DECIDED",
          message: expect.stringContaining(`ann has decided already (${verdict.verdict}, `),
          details: { by: "ann", at: expect.any(Number), decision: verdict.verdict },
        });
      const { end } = await world.drive(runId);
      expect(end?.summary).toContain(told);
      expect(inputs(world)).toHaveLength(count);
      await expect(decideOutcome(runId, "m1.0", verdict, "ann", people)).rejects.toMatchObject({
        code: "RUN_TERMINAL",
      });
    },
  );
}

crash(
  "[F04] if the process is killed between a result and the next model call, the result is used in that call",
  ["TOOL_RESULT", "after"],
  { script: steps },
  async (world, runId) => {
    expect((await world.drive(runId)).end?.summary).toBe("charge a: done");
    expect(inputs(world)).toEqual(["a"]);
    expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")).toHaveLength(2);
  },
);

crash(
  "[F05] if the process is killed in the middle of a model's answer, the partial answer is dropped; the journal says that it might be paid for twice",
  ["AGENT_THOUGHT", "before"],
  { agent: "limits: { maxTokens: 100000 }", script: ({ attempt }) => ({ text: `attempt ${attempt}` }) },
  async (world, runId) => {
    const { end, usage } = await world.drive(runId);
    expect(end?.summary).toBe("attempt 2");
    const [failure] = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
    expect(failure).toMatchObject({ cause: "interrupted", message: expect.stringContaining("paid for") });
    expect(failure!.usage!.input).toBeGreaterThan(0);
    expect(usage).toMatchObject({ wastedCalls: 1, modelCalls: 1 });
  },
);

crash(
  "[P3] [B2] a call that is lost in a crash costs its estimate, even in a run without a budget",
  ["AGENT_THOUGHT", "before"],
  {
    config: "prices: { scripted/test: { input: 3, output: 15 } }\n",
    script: ({ attempt }) => ({ text: `attempt ${attempt}`, usage: { input: 0, output: 0 } }),
  },
  async (world, runId) => {
    const { usage } = await world.drive(runId);
    const [lost] = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
    expect(lost!.cost, "at least the price of the answer").toBeGreaterThan(0.015);
    expect(usage.cost).toBe(lost!.cost);
  },
);

crash(
  "[P3] if the process is killed after a model's answer, the answer is not requested again",
  ["AGENT_THOUGHT", "after"],
  { script: ({ attempt }) => ({ text: `attempt ${attempt}` }) },
  async (world, runId) => {
    expect((await world.drive(runId)).end?.summary).toBe("attempt 1");
    expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")).toHaveLength(1);
  },
);

crash(
  "[F11] if the process dies when one of three calls has a result, the prompt is valid, and every call still runs",
  ["TOOL_RESULT", "after"],
  { script: turns({ calls: [charge("a"), charge("b"), look("c")] }) },
  async (world, runId) => {
    const [, said, read] = promptOf(await world.events(runId));
    const calls = (said!.content as { toolCallId: string }[]).map((call) => call.toolCallId);
    expect((read!.content as { toolCallId: string }[]).map((result) => result.toolCallId)).toEqual(calls);
    expect(resultsRead(await world.events(runId))).toEqual([
      "charge a: done",
      expect.stringContaining("Interrupted"),
      expect.stringContaining("Interrupted"),
    ]);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a", "b", "c"]);
  },
);

const edits = dyingWorld("TOOL_RESULT", "before", {
  config: "permissions: { ask: [Bash] }",
  script: turns({ calls: [{ tool: "Bash", input: { command: "ls" } }] }),
});
scenario(
  "[P4] a read that a person edited is not repeated automatically after a crash",
  edits.world,
  async (world) => {
    edits.attach(world);
    const runId = await world.run("list");
    await world.drive(runId);
    const input = { command: "echo once >> log.txt" };
    await decideApproval(`${runId}:m1.0`, { decision: "edit", input }, "ann", world.runtime.people);
    await driveToDeath(world, runId);
    loseAnswers(world);
    await world.restart();
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    expect(readFileSync(join(world.folder, "log.txt"), "utf8")).toBe("once\n");
  },
);

for (const at of ["MODEL_CALL_STARTED", "TOOL_PROPOSED", "RUN_COMPLETED"] as const) {
  for (const when of ["before", "after"] as const) {
    crash(
      `[F01] if the process is killed ${when} it writes ${at}, the run still ends`,
      [at, when],
      { script: steps },
      async (world, runId) => {
        if ((await world.state(runId)).end === undefined) await world.drive(runId);
        expect((await world.state(runId)).end?.summary).toBe("charge a: done");
        expect(inputs(world)).toEqual(["a"]);
      },
    );
  }
}

scenario(
  "[F09] after five kills during recovery, the run is quarantined, and a person can resume it",
  { idle: true, script: steps },
  async (world) => {
    const runId = await world.run("charge");
    for (let crashes = 0; crashes < 5; crashes++) {
      let alive = true;
      await world.restart({
        intercept: async () => {
          if (alive) world.die();
          alive = false;
          throw new Error("killed");
        },
      });
      await driveToDeath(world, runId);
    }
    await world.restart();
    const other = await world.run("charge");
    expect(await world.drive(runId)).toMatchObject({
      status: "suspended",
      waitingOn: { kind: "quarantine", detail: expect.stringContaining("5 times") },
    });
    expect((await world.drive(other)).end?.status, "[P9]").toBe("completed");
    await resumeRun(runId, "ann", world.runtime.people);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(inputs(world)).toEqual(["a", "a"]);
  },
);

const bash = (command: string) => ({ tool: "Bash", input: { command } });
const TRUSTED = "permissions: { allow: [Bash] }\n";
const noted: ScenarioOptions["script"] = turns(
  { calls: [bash("echo $((40 + 2)) | tee -a log.txt")] },
  (seen) => ({
    text: seen,
  }),
);
const log = (world: World): string => {
  const path = join(world.folder, "log.txt");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

crash(
  "[P4] [36.10] a command that had not begun when the process was killed runs without a question, and the journal says why",
  ["TOOL_STARTED", "after"],
  { config: TRUSTED, script: noted },
  async (world, runId) => {
    expect(log(world)).toBe("");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(log(world)).toBe("42\n");
    expect(payloadsOf(await world.events(runId), "OUTCOME_DECIDED")).toMatchObject([
      { verdict: "run_again", by: "cadre", note: expect.stringContaining("had not begun") },
    ]);
  },
);

crash(
  "[P4] [36.10] a command that had ended when the process was killed is not asked about: its answer was kept",
  ["TOOL_RESULT", "before"],
  { config: TRUSTED, script: noted },
  async (world, runId) => {
    expect(log(world)).toBe("42\n");
    expect((await world.drive(runId)).end?.summary).toContain("42\n[exit 0");
    expect(log(world)).toBe("42\n");
    expect(typesOf(await world.events(runId))).not.toContain("OUTCOME_DECIDED");
    const notes = () => readdirSync(join(world.folder, ".cadre", "calls")).filter((name) => name !== "id");
    await expect.poll(notes, { message: "the note is deleted once the result is stored" }).toEqual([]);
  },
);

crash(
  "[P4] [36.10] a person is asked about a command that had begun and not ended, and about one whose notes are gone",
  ["TOOL_RESULT", "before"],
  { config: TRUSTED, script: noted },
  async (world, runId) => {
    loseAnswers(world);
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    rmSync(join(world.folder, ".cadre", "calls"), { recursive: true });
    await world.restart();
    expect((await world.drive(runId)).waitingOn?.kind).toBe("outcome_unknown");
    expect(log(world)).toBe("42\n");
  },
);

const committing = () =>
  dyingWorld("TOOL_RESULT", "before", {
    config: TRUSTED,
    script: turns({ calls: [bash("git add a.txt && git commit -q -m 'Add a'")] }, (seen) => ({ text: seen })),
  });
const commits = ({ folder }: World): string[] =>
  execFileSync("git", ["log", "--format=%s"], { cwd: folder, encoding: "utf8" }).trim().split("\n");

for (const isUndone of [false, true]) {
  const { world: options, attach } = committing();
  scenario(
    isUndone
      ? "[PB5] [P4] [36.10] a person is asked about an interrupted commit that is not there"
      : "[PB5] [P4] [36.10] nobody is asked about an interrupted commit that is there: it is not made again, and the journal shows the commit",
    { ...options, changes: true },
    async (world) => {
      attach(world);
      const git = (...args: string[]) => execFileSync("git", args, { cwd: world.folder });
      git("init", "-q");
      for (const [name, value] of [
        ["name", "a"],
        ["email", "a@example.com"],
      ])
        git("config", `user.${name}`, value!);
      git("commit", "-q", "--allow-empty", "-m", "First");
      writeFileSync(join(world.folder, "a.txt"), "a\n");
      const runId = await world.run("go on");
      await driveToDeath(world, runId);
      expect(commits(world)).toEqual(["Add a", "First"]);
      loseAnswers(world);
      if (isUndone) git("reset", "-q", "--hard", "HEAD~1");
      await world.restart();
      const { end, waitingOn } = await world.drive(runId);
      if (isUndone) {
        expect(waitingOn?.kind).toBe("outcome_unknown");
        return;
      }
      expect(end?.summary).toContain("Add a");
      expect(commits(world)).toEqual(["Add a", "First"]);
      const events = await world.events(runId);
      expect(payloadsOf(events, "OUTCOME_DECIDED")).toMatchObject([{ verdict: "happened", by: "cadre" }]);
      expect(payloadsOf(events, "OUTCOME_PROBED")).toMatchObject([{ found: "done", by: "cadre" }]);
    },
  );
}

/** Restarts the world until a process lives. Each process dies as soon as `isFatal` says so. Returns the number of deaths. */
async function restartUntilAlive(world: World, isDone: () => Promise<boolean>): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    const isDead = await Promise.race([world.dead().then(() => true), until(isDone).then(() => false)]);
    if (!isDead) return deaths;
    world.runtime.parts.drainMs = 0;
    await world.restart({ idle: false });
  }
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 5));
}

let poisoned: World;
scenario(
  "[E5] [P9] [36.1] only the run that crashes its process whenever it is driven is quarantined; the eight others complete",
  {
    idle: true,
    script: ({ task, turn }) => {
      if (task === "poison") {
        poisoned.die();
        return { delay: 600_000, text: "never" };
      }
      return turn === 1 ? { calls: [look("a")] } : { text: "well" };
    },
  },
  async (world) => {
    poisoned = world;
    const runs: string[] = [];
    for (let i = 0; i < 9; i++) runs.push(await world.run(i === 4 ? "poison" : "look"));
    await world.restart({ idle: false });
    const isQuiet = async () => {
      const { runs: rows } = await world.runtime.store.runs.list({});
      return rows.every(({ endedAt, status }) => endedAt !== undefined || status === "suspended");
    };
    expect(await restartUntilAlive(world, isQuiet)).toBe(5);
    for (const [i, runId] of runs.entries()) {
      const { end, waitingOn } = await world.state(runId);
      if (i === 4) expect(waitingOn).toMatchObject({ kind: "quarantine" });
      else expect(end?.status).toBe("completed");
    }
  },
);

scenario(
  "[E5] [36.1] kills from outside quarantine no run: Cadre checks that the process also dies without the run",
  { idle: true, script: ({ attempt }) => ({ delay: attempt < 7 ? 600_000 : 0, text: "in the end" }) },
  async (world) => {
    const runId = await world.run("wait");
    for (let kills = 0; kills < 7; kills++) {
      await world.restart();
      world.runtime.parts.trialMs = 600_000;
      world.runtime.parts.drainMs = 0;
      const { store, parts } = world.runtime;
      const isCheck = kills === 5;
      void drive(runId, parts, new AbortController().signal);
      const calls = async () =>
        typesOf(await store.journal.read(runId)).filter((type) => type === "MODEL_CALL_STARTED");
      if (isCheck) await until(async () => parts.drives.has(runId));
      else await until(async () => (await calls()).length > (kills > 5 ? kills - 1 : kills));
      if (isCheck) await new Promise((resolve) => setTimeout(resolve, 50));
      world.die();
    }
    expect(typesOf(await reopened(world, runId))).not.toContain("RUN_SUSPENDED");
    expect((await world.drive(runId)).end?.summary).toBe("in the end");
  },
);

async function reopened(world: World, runId: string) {
  await world.restart();
  return world.events(runId);
}

scenario(
  "[F30] a run with a damaged journal is quarantined, and the number of the damaged event is recorded; other runs continue",
  { idle: true, config: "permissions: { ask: [charge] }", script: steps },
  async (world) => {
    const [bad, good] = [await world.run("charge"), await world.run("charge")];
    await world.drive(bad);
    await world.restart({ idle: true });
    const path = join(world.folder, ".cadre", "cadre.db");
    await world.runtime.store.close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE events SET payload = replace(payload, 'charge', 'chargf') WHERE type = 'AGENT_THOUGHT'");
    db.close();
    const problems: string[] = [];
    await world.restart({ onProblem: ({ error }) => problems.push(String(error)) });
    const { store, parts } = world.runtime;
    await store.journal.append({
      runId: bad,
      after: 0,
      events: [{ type: "RUN_RESUMED", payload: { by: "ann" }, key: "wake" }],
    });
    await drive(bad, parts, new AbortController().signal);
    expect(await store.leases.quarantined()).toMatchObject([{ runId: bad, seq: 3 }]);
    expect(problems[0]).toContain("damaged at event 3");
    expect((await world.drive(good)).waitingOn?.kind).toBe("approval");
    expect(await store.leases.due(Date.now(), 10)).toEqual([]);
  },
);

let full = 0;
scenario(
  "[F29] while the disk is full nothing starts and nothing is lost; once there is space, the run continues by itself",
  {
    script: steps,
    intercept: async (append, send) => {
      if (append.events.some((event) => event.type === "TOOL_STARTED") && full++ === 0)
        throw new CadreError("STORAGE_FULL", "There is no space left.");
      return send();
    },
  },
  async (world) => {
    const runId = await world.run("charge");
    await world.seen(runId, "RUN_COMPLETED");
    expect(full).toBe(2);
    expect(inputs(world)).toEqual(["a"]);
  },
);

let unwritten = 0;
scenario(
  "[F29] an outcome that cannot be written yet is kept until writing works; no person is asked, and nothing is repeated",
  {
    script: steps,
    intercept: async (append, send) => {
      if (append.events.some((event) => event.type === "TOOL_RESULT") && unwritten++ < 2)
        throw new CadreError("STORAGE_FULL", "There is no space left.");
      return send();
    },
  },
  async (world) => {
    const runId = await world.run("charge");
    await world.seen(runId, "RUN_COMPLETED");
    expect(unwritten).toBeGreaterThan(2);
    expect(inputs(world)).toEqual(["a"]);
    expect((await world.events(runId)).map((event) => event.type)).not.toContain("RUN_SUSPENDED");
  },
);

scenario(
  "[F10] a shutdown lets the open call finish; the next process does not repeat it",
  {
    script: steps,
    tools: oracleTools("unused"),
  },
  async (made) => {
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const tools = oracleTools(made.oracle, {
      async before() {
        begun.resolve();
        await finish.promise;
      },
    });
    await made.restart({ tools });
    const runId = await made.run("charge");
    await begun.promise;
    const restarted = made.restart({ tools: oracleTools(made.oracle) });
    finish.resolve();
    await restarted;
    await made.seen(runId, "RUN_COMPLETED");
    expect(inputs(made)).toEqual(["a"]);
    expect(payloadsOf(await made.events(runId), "TOOL_STARTED")).toHaveLength(1);
  },
);

const edited = dyingWorld("TOOL_RESULT", "before", {
  config: "permissions: { ask: [charge] }",
  script: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })),
});
scenario(
  "[36.3] [P4] [P5] if a person edited a call with an unknown outcome, its item shows what ran, and the agent is told so too",
  edited.world,
  async (world) => {
    edited.attach(world);
    const { people } = world.runtime;
    const runId = await world.run("go on");
    expect((await world.drive(runId)).waitingOn?.kind).toBe("approval");
    await decideApproval(`${runId}:m1.0`, { decision: "edit", input: { what: "b" } }, "ann", people);
    await driveToDeath(world, runId);
    await world.restart();
    const state = await world.drive(runId);
    expect(inputs(world)).toEqual(["b"]);
    const [item] = openItems(state);
    expect(item).toMatchObject({ kind: "outcome", input: { what: "b" }, editedBy: "ann" });
    await decideOutcome(runId, "m1.0", { verdict: "happened" }, "ann", world.runtime.people);
    const { end } = await world.drive(runId);
    expect(end?.summary).toContain('ann changed the input before it ran. What ran: {"what":"b"}');
    expect(end?.summary).toContain("A person checked: it was done.");
  },
);

for (const [verdict, told, count] of [
  ["happened", "A person checked: it was done. The bank says so.", 1],
  ["fail", "It is not known whether this was done. The bank says so.", 1],
  ["run_again", "ann had this run again after a crash: The bank says so.\n\ncharge", 2],
] as const)
  scenario(
    `[36.10] [P4] one answer decides all unknown outcomes of a tree, and each agent reads its reason: ${verdict}`,
    {
      idle: true,
      agent: "agents: [pen]\ndelegation: { mode: parallel }",
      cast: { pen: "" },
      script: roles({
        tester: turns({ calls: [delegate("pen", "one"), delegate("pen", "two")] }),
        pen: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })),
      }),
      tools: oracleTools("unused"),
    },
    async (world) => {
      await world.restart({
        tools: oracleTools(world.oracle, { after: () => new Promise(() => {}) }),
      });
      const runId = await world.run("go on");
      await world.drive(runId);
      const children = (await familyOf(world, runId)).map(({ id }) => id).filter((id) => id !== runId);
      expect(children).toHaveLength(2);
      for (const id of children) {
        void world.drive(id).catch(() => {});
        await until(async () => typesOf(await world.events(id)).includes("TOOL_STARTED"));
      }
      await until(async () => inputs(world).length === 2);
      world.die();
      await world.restart({ tools: oracleTools(world.oracle) });
      for (const id of children) expect((await world.drive(id)).waitingOn?.kind).toBe("outcome_unknown");
      const other = await world.run("go on");
      const { people } = world.runtime;
      const [first, second] = children as [string, string];
      const decide = (given: Parameters<typeof decideOutcomes>[2]) =>
        decideOutcomes(first, "m1.0", given, "ann", people);
      const items = [`${second}:outcome/m1.0`];

      for (const alsoFor of [
        [`${other}:outcome/m1.0`],
        [`${second}:m1.0`],
        [...items, `${second}:outcome/m9.0`],
      ])
        await expect(decide({ verdict, alsoFor })).rejects.toMatchObject({
          message: expect.stringMatching(/Nothing was (decided|changed)\.$/),
        });
      await expect(decide({ verdict, output: "x", alsoFor: items })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
      for (const id of children)
        expect(typesOf(await world.events(id)), "a refused request decides nothing").not.toContain(
          "OUTCOME_DECIDED",
        );

      const given = { verdict, note: "The bank says so.", alsoFor: items };
      // The process died after the first of the two decisions.
      await decideOutcome(first, "m1.0", { verdict, note: given.note }, "ann", people);
      expect(await decide(given)).toEqual({ alreadyDecided: false });
      expect(await decide(given)).toEqual({ alreadyDecided: true });
      for (const id of children) {
        expect(payloadsOf(await world.events(id), "OUTCOME_DECIDED")).toHaveLength(1);
        expect((await world.drive(id)).end?.summary).toContain(told);
      }
      expect(inputs(world)).toHaveLength(2 * count);
      await world.drive(runId);
    },
  );
