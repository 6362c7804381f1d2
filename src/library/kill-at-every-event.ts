// Chaos for the tools of a program: runs an agent, kills the process at every event, and lets the next life finish the run.
// A life has its own agents, tools, runtime and store connection. A kill refuses every later write and forgets the life's memory.
// The result of each round must equal the result without a kill. If it does not, the report names the tool.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { messageOf } from "../errors.ts";
import { idsFrom } from "../ids.ts";
import type { Effect } from "../journal/definition.ts";
import { assembleRuntime } from "../runtime/assembly.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import type { AnyTool, ToolContext } from "../tools/tool.ts";
import type { ApprovalRequest } from "./approvals.ts";
import { assemblyOptions, openCadre } from "./create-cadre.ts";
import type { Agent } from "./define-agent.ts";

/** One round: a fresh outside world, and an agent that acts on it. */
export interface KillRound {
  /** Makes the agent with its tools. It is called for each life, as a new process would: the memory of the last life is lost. */
  agent(): Agent;
  task: string;
  input?: unknown;
  /** Everything that the tools have changed outside Cadre, as JSON. Lists that differ only in their order count as equal. */
  effects(): unknown;
  /** Decides requests. By default, calls and budgets are approved, and questions are rejected. */
  decide?(request: ApprovalRequest): unknown;
}

export interface KillProblem {
  /**
   * `changes_on_read`: a tool with effect `read` changes something. `not_idempotent`: a second call with the same key has a second effect.
   * `cannot_continue`: after a kill, the run does not complete. `other_effects`: the effects differ from those without a kill.
   */
  kind: "changes_on_read" | "not_idempotent" | "cannot_continue" | "other_effects";
  /** The tool that causes the problem, if it is known. */
  tool: string | undefined;
  /** The first moment at which a kill showed the problem. */
  killedAt: string;
  message: string;
}

export interface KillReport {
  /** How often the process was killed: once at each event, and before and after each call of a tool. */
  kills: number;
  problems: KillProblem[];
  /** The tools whose interrupted calls need a person, who says whether the call took effect. */
  asks: string[];
}

/** Calls `setUp` for each round. Throws if the agent does not complete without a kill. */
export async function killAtEveryEvent(
  setUp: () => KillRound | Promise<KillRound>,
  { timeout = 30_000 }: { timeout?: number } = {},
): Promise<KillReport> {
  const undisturbed = await playRound(await setUp(), 0, timeout);
  if (undisturbed.failure !== undefined)
    throw new Error(`The run does not complete even without a kill: ${undisturbed.failure}`);
  const problems = new Map<string, KillProblem>();
  const add = (found: readonly KillProblem[]): void => {
    for (const problem of found) {
      const id = `${problem.kind} ${problem.tool}`;
      if (!problems.has(id)) problems.set(id, problem);
    }
  };
  const asks = new Set<string>();
  add(lies(undisturbed));
  for (let kill = 1; ; kill++) {
    const round = await playRound(await setUp(), kill, timeout);
    if (round.killedAt === undefined)
      return { kills: kill - 1, problems: [...problems.values()], asks: [...asks] };
    for (const tool of round.asked) asks.add(tool);
    add(problemsOf(round, undisturbed));
  }
}

interface Performed {
  tool: string;
  effect: Effect;
  key: string;
  life: number;
  isDone: boolean;
  /** Whether the outside world changed during the call. Undefined if other calls ran at the same time. */
  hasChanged: boolean | undefined;
  error: string | undefined;
}

interface Round {
  killedAt: string | undefined;
  failure: string | undefined;
  effects: string;
  performed: Performed[];
  asked: Set<string>;
}

async function playRound(round: KillRound, kill: number, timeout: number): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-kill-"));
  const played: Round = {
    ...{ killedAt: undefined, failure: undefined, effects: "" },
    ...{ performed: [], asked: new Set<string>() },
  };
  try {
    const first = await live({ round, folder, life: 1, kill, timeout }, played);
    played.killedAt = first.killedAt;
    const last =
      first.killedAt === undefined ? first : await live({ round, folder, life: 2, kill: 0, timeout }, played);
    played.failure = last.failure;
    played.effects = snapshot(round);
    return played;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Life {
  round: KillRound;
  folder: string;
  life: number;
  /** Number of the moment at which the process dies, or 0. */
  kill: number;
  timeout: number;
}

async function live(
  { round, folder, life, kill, timeout }: Life,
  played: Round,
): Promise<{ killedAt: string | undefined; failure: string | undefined }> {
  const death = createDeath(kill);
  const store = openSqliteStore({ path: join(folder, "cadre.db"), clock: systemClock });
  const agent = round.agent();
  const given = { folder, agents: [agent], onProblem: () => {} };
  const options = assemblyOptions(given);
  const watch = watchTools(round, life, death, played.performed);
  const assembly = await assembleRuntime({
    ...options,
    ...{ store: killable(store, death), ids: sameIds(), tools: (options.tools ?? []).map(watch.tool) },
  });
  Object.assign(assembly.parts, { drainMs: 0, trialMs: 0 });
  const cadre = await openCadre(assembly, given);
  let timer: NodeJS.Timeout | undefined;
  try {
    const key = "kill-at-every-event";
    const run = cadre.run(
      agent,
      round.task,
      round.input === undefined ? { key } : { key, input: round.input },
    );
    let refusal: string | undefined;
    run.onApproval(async (request) => {
      try {
        await decide(request, round, played);
      } catch (error) {
        refusal = `\`decide\` failed: ${messageOf(error)}`;
      }
    });
    const ended = run.result.then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(refusal ?? `it has not ended after ${timeout} ms`), timeout);
    });
    const failure = await Promise.race([ended, late, death.died.then(() => undefined)]);
    return { killedAt: death.at(), failure: death.at() === undefined ? failure : undefined };
  } finally {
    clearTimeout(timer);
    await cadre.close();
    await watch.settled();
    await store.close();
  }
}

/** Answers truthfully whether an interrupted call took effect, because the tools are watched. */
async function decide(
  request: ApprovalRequest,
  round: KillRound,
  { performed, asked }: Round,
): Promise<void> {
  if (request.kind === "outcome") {
    asked.add(request.tool ?? "");
    const hasHappened = performed.some(({ key, isDone }) => key === request.key && isDone);
    await request.settle(hasHappened ? "happened" : "run_again");
  } else if (round.decide) {
    await round.decide(request);
  } else if (request.kind === "question") {
    await request.reject("Nobody answers.");
  } else {
    await request.approve(request.kind === "budget" ? { limits: { maxCost: 1_000 } } : {});
  }
}

interface Death {
  /** Counts one more moment. Never returns if the process dies at this moment. */
  reach(moment: string): void;
  isDead(): boolean;
  at(): string | undefined;
  died: Promise<void>;
}

const DEAD = "The process is dead.";

function createDeath(kill: number): Death {
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let passed = 0;
  let at: string | undefined;
  const refuse = (): void => {
    if (at !== undefined) throw new Error(DEAD);
  };
  return {
    reach(moment) {
      refuse();
      if (++passed !== kill) return;
      at = moment;
      resolve();
      refuse();
    },
    isDead: () => at !== undefined,
    at: () => at,
    died,
  };
}

/** Refuses everything after the death. A write that the process has begun is still stored, as on a real disk. */
function killable(store: Store, death: Death): Store {
  const guard = <Group extends object>(group: Group): Group =>
    new Proxy(group, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function" || name === "onCommit") return value;
        return async (...given: unknown[]) => {
          if (death.isDead()) throw new Error(DEAD);
          const answer = (await value.apply(target, given)) as unknown;
          if (name === "append") {
            const [{ events }] = given as [{ events: { type: string }[] }];
            death.reach(`after ${events.map(({ type }) => type).join(", ")}`);
          } else if (name === "start" && target === (store.runs as object)) {
            death.reach("after the start of a run");
          }
          return answer;
        };
      },
    });
  return {
    ...{
      id: store.id,
      clock: store.clock,
      users: store.users,
      outbox: store.outbox,
      triggers: store.triggers,
    },
    runs: guard(store.runs),
    journal: guard(store.journal),
    leases: guard(store.leases),
    inbox: guard(store.inbox),
    blobs: guard(store.blobs),
    usage: guard(store.usage),
    transfers: guard(store.transfers),
    close: () => store.close(),
  };
}

/** Every round has the same run ids, so that the keys of its calls are the same. */
function sameIds() {
  let count = 0;
  const ids = idsFrom((length) => new Uint8Array(length).fill(count++ % 256));
  return { ...ids, runId: () => ids.runId(0) };
}

function watchTools(round: KillRound, life: number, death: Death, performed: Performed[]) {
  const active = new Set<Promise<unknown>>();
  let begun = 0;
  const perform = async (tool: AnyTool, input: never, context: ToolContext): Promise<unknown> => {
    death.reach(`before ${tool.name} begins`);
    const call: Performed = {
      ...{ tool: tool.name, effect: tool.effect, key: context.key, life },
      ...{ isDone: false, hasChanged: undefined, error: undefined },
    };
    performed.push(call);
    const [number, isAlone, before] = [++begun, active.size === 0, snapshot(round)];
    const running = Promise.resolve().then(() => tool.execute(input, context));
    active.add(running);
    try {
      const answer = await running;
      call.isDone = true;
      return answer;
    } catch (error) {
      call.error = messageOf(error);
      throw error;
    } finally {
      active.delete(running);
      if (isAlone && begun === number) call.hasChanged = snapshot(round) !== before;
      death.reach(`after the effect of ${tool.name}, before its result is recorded`);
    }
  };
  return {
    tool: (tool: AnyTool): AnyTool =>
      ({
        ...tool,
        execute: (input: never, context: ToolContext) => perform(tool, input, context),
      }) as AnyTool,
    /** Resolves when no call of this life is running any more. Otherwise a call of a killed life could have effects during the next life. */
    settled: () => Promise.allSettled(active),
  };
}

function problemsOf(round: Round, undisturbed: Round): KillProblem[] {
  const killedAt = round.killedAt!;
  const found = lies(round);
  if (round.failure !== undefined) {
    const tool = round.performed.findLast(({ life, error }) => life === 2 && error !== undefined);
    const why = tool?.error ?? round.failure;
    const who = tool === undefined ? "The run" : `The run cannot go on with ${tool.tool}: it`;
    found.push({
      ...{ kind: "cannot_continue", tool: tool?.tool, killedAt },
      message: `${who} fails after a kill ${killedAt}: ${why}`,
    });
  } else if (round.effects !== undisturbed.effects && found.length === 0) {
    const tool = round.performed.findLast(({ life, hasChanged }) => life === 2 && hasChanged !== false)?.tool;
    found.push({
      ...{ kind: "other_effects", tool, killedAt },
      message: `After a kill ${killedAt}, the effects are ${round.effects}, but without a kill ${undisturbed.effects}.`,
    });
  }
  return found;
}

/** The tools that are not what they declare. */
function lies({ performed, killedAt = "never" }: Round): KillProblem[] {
  return performed.flatMap(({ tool, effect, key, hasChanged }, index): KillProblem[] => {
    if (hasChanged !== true) return [];
    const message = (text: string) => `${tool} ${text}`;
    if (effect === "read")
      return [
        {
          ...{ kind: "changes_on_read", tool, killedAt },
          message: message(
            "declares effect `read`, but changes something. Declare `idempotent` or `unsafe`.",
          ),
        },
      ];
    const isRepeated = performed.slice(0, index).some((other) => other.key === key && other.isDone);
    if (effect !== "idempotent" || !isRepeated) return [];
    return [
      {
        ...{ kind: "not_idempotent", tool, killedAt },
        message: message(
          "declares effect `idempotent`, but a second call with the same key has a second effect. Use the key, or declare `unsafe`.",
        ),
      },
    ];
  });
}

function snapshot({ effects }: KillRound): string {
  const value = effects();
  const items = Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value;
  return JSON.stringify(items) ?? "null";
}
