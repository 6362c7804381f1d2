// Checks whether a delegation is allowed. A refusal names the rule, so that the model learns what it is allowed to do.
// The model is not offered tools that cannot succeed, but it can call them anyway.

import { CadreError, isTemporary } from "../../errors.ts";
import { baseName } from "../../journal/agent-id.ts";
import { DEFAULT_DELEGATION, type Delegate } from "../../journal/definition.ts";
import { isLate } from "../../patterns/slot.ts";
import { liveChildren } from "../../projections/folds/child-runs.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { RunState, ToolCall } from "../../projections/folds/run-state.ts";
import type { Refusal } from "../../stores/store.ts";
import {
  type DelegationRequest,
  delegationToolNamed,
  findDelegate,
} from "../builtin-tools/declared/delegate.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

export interface CallRefusal {
  output: string;
  outcome: "denied" | "deferred" | "error";
}

export async function checkDelegation(
  call: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: Pick<LoopParts, "store" | "findAgent">,
): Promise<CallRefusal | undefined> {
  const { definition } = run;
  const me = baseName(definition.name);
  if (definition.kind === "subagent")
    return denial(`PERMISSION_DENIED: ${me} is a subagent, and a subagent never spawns.`);
  const delegate = findDelegate(definition.delegates ?? [], asked.name);
  if (!delegate && definition.router) return unknownDestination(asked.name, definition.delegates);
  if (!delegate)
    return denial(
      `PERMISSION_DENIED: ${me} cannot spawn ${baseName(asked.name)}. ${maySpawn(definition.delegates)}`,
    );
  const lineage = await lineageOf(run, parts.store);
  return (
    (definition.router ? undefined : tooDeep(run, lineage)) ??
    cycle(delegate, run, lineage) ??
    deferral(call, run) ??
    missingAgent(delegate, parts)
  );
}

/** F28: tells a router which agents it can choose. */
function unknownDestination(name: string, delegates: readonly Delegate[] = []): CallRefusal {
  const names = delegates.map((delegate) => delegate.name).join(", ");
  return denial(`There is no destination ${JSON.stringify(name)}. Choose one of: ${names}.`);
}

/** D1: only the first delegation in a model's answer starts a child. The other delegations are deferred until that child has ended. */
function deferral(call: ToolCall, { definition, state }: RunJournal): CallRefusal | undefined {
  const { mode } = definition.delegation ?? DEFAULT_DELEGATION;
  // H3: a router chooses only one agent, even if its file allows parallel delegation.
  if (call.isStep || (mode === "parallel" && !definition.router)) return undefined;
  const first = [...state.calls.values()].find(
    (other) => delegationToolNamed(other.name) && !isRefused(other),
  );
  // F27: a late child is not live, because the run no longer waits for that child.
  const live = liveChildren(state.children).filter((child) => !isLate(state, child));
  if (first?.id === call.id && live.length === 0) return undefined;
  const output = "Deferred: one sub-agent at a time. Ask again if it is still needed.";
  return { output, outcome: "deferred" };
}

const isRefused = ({ result }: ToolCall): boolean => result !== undefined && result.outcome !== "ok";

/** S1-68: the depth is counted along the stored ancestors. A number in the run's own events is never trusted. */
function tooDeep({ state }: RunJournal, lineage: readonly RunRow[]): CallRefusal | undefined {
  const { maxDepth } = state.start!.limits;
  const edges = [...lineage, { trigger: state.start!.trigger }].filter(
    ({ trigger }) => trigger === "delegation",
  );
  if (edges.length + 1 <= maxDepth) return undefined;
  return denial(
    `Depth limit: this would be level ${edges.length + 1} of delegation, and maxDepth is ${maxDepth}. Do it yourself.`,
  );
}

/** F22: if an agent is already at work in an ancestor run, it cannot be started again. */
function cycle(
  { agent }: Delegate,
  { definition }: RunJournal,
  lineage: readonly RunRow[],
): CallRefusal | undefined {
  const path = [...lineage.map((row) => row.agent), definition.name];
  if (!path.includes(agent)) return undefined;
  const shown = [...path, agent].map(baseName).join(" → ");
  const others = definition.delegates?.filter((delegate) => !path.includes(delegate.agent));
  return denial(`Cycle: ${baseName(agent)} is already at work above (${shown}). ${maySpawn(others)}`);
}

async function missingAgent(
  { agent }: Delegate,
  { findAgent }: Pick<LoopParts, "findAgent">,
): Promise<CallRefusal | undefined> {
  try {
    await findAgent(agent);
    return undefined;
  } catch (error) {
    if (!(error instanceof CadreError) || isTemporary(error)) throw error;
    return { output: `${baseName(agent)} cannot be started: ${error.message}`, outcome: "error" };
  }
}

/** Tells the model why the store did not admit a child. */
export function treeLimitRefusal(
  refused: Refusal,
  run: RunJournal,
  concurrent: number,
): CallRefusal | undefined {
  const limit = treeLimitMessage(refused, run, concurrent);
  const advice = refused === "slots" ? "Ask again when one is done." : "Do the rest yourself.";
  return limit === undefined ? undefined : denial(`Limit: ${limit} ${advice}`);
}

/** Tells people which limit kept the store from admitting a child. */
export function treeLimitMessage(
  refused: Refusal,
  { state }: RunJournal,
  concurrent: number,
): string | undefined {
  const { limits } = state.start!;
  switch (refused) {
    case "children":
      return `this run has reached its limit of started agents (maxChildren ${childrenLimit(limits)}).`;
    case "runs":
      return `this tree has reached its limit of runs (tree.maxRuns ${runsLimit(limits)}).`;
    case "slots":
      return `${concurrent} agents are at work in this workspace, which is the limit.`;
    default:
      return undefined;
  }
}

type Limits = NonNullable<RunState["start"]>["limits"];

export const childrenLimit = (limits: Limits): number => limits.maxChildren ?? 20;
export const runsLimit = (limits: Limits): number => limits.tree?.maxRuns ?? 100;

/** The ancestors of each run. They never change, so they are read once for all calls of the run. */
const lineages = new WeakMap<RunJournal, Promise<RunRow[]>>();

function lineageOf(run: RunJournal, store: LoopParts["store"]): Promise<RunRow[]> {
  const lineage = lineages.get(run) ?? readLineage(run, store);
  lineages.set(run, lineage);
  return lineage;
}

/** The ancestors of this run, from the root down. */
async function readLineage({ state }: RunJournal, store: LoopParts["store"]): Promise<RunRow[]> {
  const lineage: RunRow[] = [];
  let parent = state.start!.parentRunId;
  while (parent !== undefined) {
    const row = await store.runs.get(parent);
    if (!row) break;
    lineage.unshift(row);
    parent = row.parentRunId;
  }
  return lineage;
}

const denial = (output: string): CallRefusal => ({ output, outcome: "denied" });

const maySpawn = (delegates: readonly Delegate[] = []): string =>
  delegates.length === 0
    ? "It may spawn no agent."
    : `It may spawn: ${delegates.map(({ name }) => name).join(", ")}.`;
