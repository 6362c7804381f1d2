// `scenario` runs a test in its own world and then checks every invariant. The other helpers search journals.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import type { EventOf, EventType, JournalEvent, Payload } from "../../src/journal/events.ts";
import type { PromptMessage } from "../../src/journal/message.ts";
import { replayRuns } from "../../src/loop/replay/replay.ts";
import type { Model } from "../../src/models/model.ts";
import { createScriptedModel } from "../../src/models/scripted/model.ts";
import type { Script, ScriptedTurn } from "../../src/models/scripted/script.ts";
import type { RunRow } from "../../src/projections/folds/run-row.ts";
import { promptMessages, transcriptProjection } from "../../src/projections/folds/transcript.ts";
import { fold } from "../../src/projections/projection.ts";
import { overrideStore } from "../../src/stores/override-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { checkInvariants } from "./invariants.ts";
import { makeWorld, type World, type WorldOptions } from "./world.ts";

/** L2: replays every run, and checks that the replay makes the recorded decisions again. */
async function checkReplay({ runtime: { store, parts } }: World): Promise<void> {
  const unreadable = new Set((await store.leases.quarantined()).map(({ runId }) => runId));
  const { runs } = await store.runs.list({ limit: 10_000 });
  const ids = runs.map(({ id }) => id).filter((id) => !unreadable.has(id));
  const { divergence } = await replayRuns(ids, { ...parts, store: readOnce(parts.store) });
  expect(divergence, "L2").toBeUndefined();
}

/** Caches reads, because the replay of a run also reads the earlier runs that it continues. A replay writes no events. */
function readOnce(store: Store): Store {
  const { read, head } = store.journal;
  return overrideStore(store, { journal: { read: cacheCalls(read), head: cacheCalls(head) } });
}

function cacheCalls<A extends unknown[], T>(read: (...which: A) => T): (...which: A) => T {
  const known = new Map<string, T>();
  return (...which) => {
    const key = which.join();
    if (!known.has(key)) known.set(key, read(...which));
    return known.get(key)!;
  };
}

export interface ScenarioOptions extends WorldOptions {
  /** Set this if the test changes rules or files. The replay is skipped, because it would make other decisions. */
  changes?: true;
}

export function scenario(
  title: string,
  options: ScenarioOptions,
  body: (world: World) => Promise<void>,
): void {
  test(title, () => runScenario(options, body));
}

export async function runScenario(
  { changes, ...options }: ScenarioOptions,
  body: (world: World) => Promise<void>,
): Promise<void> {
  const world = await makeWorld(options);
  try {
    await body(world);
    await checkInvariants(world.runtime.store, world.oracle);
    if (!changes) await checkReplay(world);
  } finally {
    await world.close();
  }
}

/** A script with one answer for each turn. After the last answer, the agent says "done". */
export function turns(...answers: (ScriptedTurn | ((lastResult: string) => ScriptedTurn))[]): Script {
  return ({ turn, lastResult = "" }) => {
    const answer = answers[turn - 1] ?? { text: "done" };
    return typeof answer === "function" ? answer(lastResult) : answer;
  };
}

/** Combines scripts. The key is the agent's name. */
export function roles(scripts: Record<string, Script>): Script {
  return (request) => {
    const script = scripts[request.agent];
    return typeof script === "function" ? script(request) : { text: `${request.agent} is done` };
  };
}

export const delegate = (agent: string, task = `the task of ${agent}`, more: object = {}) => ({
  tool: "delegate",
  input: { agent, task, ...more },
});

export const look = (what: string) => ({ tool: "look", input: { what } });
export const charge = (what: string) => ({ tool: "charge", input: { what } });
export const stamp = (what: string) => ({ tool: "stamp", input: { what } });

export function payloadsOf<T extends EventType>(events: readonly JournalEvent[], type: T): Payload<T>[] {
  return events
    .filter((event): event is EventOf<T> => event.type === type)
    .map((event) => event.payload as Payload<T>);
}

export const typesOf = (events: readonly JournalEvent[]): EventType[] => events.map((event) => event.type);

/** The messages that the next model call would send. */
export const promptOf = (events: readonly JournalEvent[]): PromptMessage[] =>
  promptMessages(fold(transcriptProjection, events));

/** The first text of the prompt, without its random nonces. */
export function openingOf(events: readonly JournalEvent[]): string {
  const [first] = promptOf(events);
  return (first!.content[0] as { text: string }).text.replaceAll(/untrusted-\w+/g, "untrusted");
}

/** A run and all its descendants, in the order in which they started. */
export async function familyOf(world: World, root: string): Promise<RunRow[]> {
  const { runs } = await world.runtime.store.runs.list({ root, limit: 200 });
  return runs.toReversed();
}

/** The tool results that the model reads, in the order of the prompt. */
export function resultsRead(events: readonly JournalEvent[]): string[] {
  return promptOf(events).flatMap((message) =>
    message.role === "tool" ? message.content.map((result) => String(result.output.value)) : [],
  );
}

/** Records the names of the tools that each model call offers. */
export function watchOffers(world: World, script: Script): string[][] {
  const calls = watchCalls(world, script);
  const offers: string[][] = [];
  calls.onCall = ({ tools = [] }) => offers.push(tools.map((tool) => tool.name));
  return offers;
}

/** Records every model call. `onCall` is called before the script answers. */
export function watchCalls(
  world: World,
  script: Script,
): { all: LanguageModelV4CallOptions[]; onCall?: (call: LanguageModelV4CallOptions) => void } {
  const watch: ReturnType<typeof watchCalls> = { all: [] };
  const scripted = createScriptedModel(script);
  const watched: Model = {
    ...scripted,
    doStream(call) {
      watch.all.push(call);
      watch.onCall?.(call);
      return scripted.doStream(call);
    },
  };
  world.runtime.parts.models = {
    resolve: () => watched,
    contextWindow: () => undefined,
    acceptedFiles: () => new Set(),
  };
  return watch;
}
