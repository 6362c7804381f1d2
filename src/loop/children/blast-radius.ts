// Shows a person what a delegation could lead to. The list leaves out denied tools, and tools that the tree can already use.

import type { BlastRadius } from "../../journal/blast-radius.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { type DelegationRequest, findDelegate } from "../builtin-tools/declared/delegate.ts";
import { loadDefinition, type RunJournal } from "../drive/run-journal.ts";
import type { FindBlastRadius, LoopParts } from "../parts.ts";

type Parts = Pick<LoopParts, "store" | "authority" | "blastRadius">;

/** The blast radius of a delegation. Undefined if the agent has no such delegate. */
export async function delegationBlastRadius(
  { name }: DelegationRequest,
  run: RunJournal,
  parts: Parts,
): Promise<BlastRadius | undefined> {
  const { definition, state } = run;
  const delegate = findDelegate(definition.delegates ?? [], name);
  if (!delegate) return undefined;
  const { depth, limits, ancestors = [] } = state.start!;
  const above = [...ancestors.map(({ agent }) => agent), definition.name];
  return parts.blastRadius(delegate.agent, {
    // A run that a router chose adds no level.
    from: { depth: depth + (definition.router ? 0 : 1), maxDepth: limits.maxDepth, above },
    deny: [
      ...denyOfTree(run, parts),
      ...ancestors.flatMap(({ deny }) => deny),
      ...definition.permissions.deny,
    ],
    atWork: await atWork(run, parts),
    tree: limits.tree,
  });
}

function denyOfTree({ state }: RunJournal, { authority }: Parts): string[] {
  return [...authority().flatMap(({ rules }) => rules.deny), ...(state.start!.permissions?.deny ?? [])];
}

const AT_WORK = ["pending", "running", "waiting", "suspended"] as const;
const MOST_AT_WORK = 200;

/** The runs at work in the tree. A run with an incomplete lineage is left out: without all deny rules, its reach would look too large. */
async function atWork(run: RunJournal, parts: Parts): ReturnType<typeof atWorkIn> {
  const { rootRunId: root } = run.state.start!;
  const { runs } = await parts.store.runs.list({ root, status: AT_WORK, limit: MOST_AT_WORK });
  return atWorkIn(new Map(runs.map((row) => [row.id, row])), run, parts);
}

async function atWorkIn(
  rows: ReadonlyMap<string, RunRow>,
  run: RunJournal,
  parts: Parts,
): Promise<Parameters<FindBlastRadius>[1]["atWork"]> {
  const { rootRunId, ancestors = [] } = run.state.start!;
  const outside = ancestors.filter(({ runId }) => !rows.has(runId)).flatMap(({ deny }) => deny);
  const lines = [...rows.values()]
    .map((row) => lineOf(row, rows))
    .filter((line) => line.at(-1)!.id === rootRunId);
  return Promise.all(
    lines.map(async (line) => {
      const definitions = await Promise.all(line.map((row) => loadDefinition(parts.store, row.definition)));
      const own = definitions.flatMap(({ permissions }) => permissions.deny);
      return { definition: definitions[0]!, deny: [...denyOfTree(run, parts), ...outside, ...own] };
    }),
  );
}

/** The runs from this one up to its highest known ancestor. */
function lineOf(row: RunRow, rows: ReadonlyMap<string, RunRow>): RunRow[] {
  const above = rows.get(row.parentRunId ?? "");
  return above ? [row, ...lineOf(above, rows)] : [row];
}
