// `cadre prune`: deletes trees that have ended.
// The command first finds the trees to delete, and asks the person. A tree that ends after the search is kept.
// While the person decides, other processes can use the store.

import { resolve } from "node:path";
import { findRun } from "../../api/views/read-runs.ts";
import { isServerStore, loadConfig } from "../../config/config.ts";
import { parseDuration } from "../../config/duration.ts";
import { CadreError } from "../../errors.ts";
import type { RunStatus } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { fileSize, plural } from "../../projections/words/format.ts";
import type { RuntimeAssembly } from "../../runtime/assembly.ts";
import { openOwnedRuntime } from "../../runtime/owned-runtime.ts";
import type { PruneFilter, PruneResult, Store } from "../../stores/store.ts";
import { printIgnoredSettings } from "../connection/ignored-settings.ts";
import { EXIT, type Invocation, isAttended, report, usageError } from "../invocation.ts";
import { parseChoice } from "../option-values.ts";
import { confirm } from "../terminal/keys.ts";

interface PruneOptions {
  olderThan?: string;
  status?: string;
  /** Deletes only runs that worked in this folder. `true` means the project's own folder. */
  workspace?: string | true;
  run?: string;
  dryRun?: boolean;
  yes?: boolean;
}

export async function prune(invocation: Invocation, options: PruneOptions): Promise<number> {
  const filter = filterOf(invocation, options);
  const would = await withOwnedStore(invocation, async ({ store }) => {
    if (options.run !== undefined) filter.root = await endedRoot(store, options.run);
    return store.runs.prune({ ...filter, dryRun: true });
  });
  if (would.trees === 0 || options.dryRun) {
    const line = would.trees === 0 ? nothingText(options) : `Would delete ${sizeOf(would)}.`;
    return report(invocation, { ...would, dryRun: true }, [line]);
  }
  if (!options.yes) {
    if (!isAttended(invocation))
      throw usageError(
        `This would delete ${sizeOf(would)}, for good. Nothing was deleted: add --yes if you mean it.`,
      );
    if (!(await confirm(invocation, `Delete ${sizeOf(would)}, for good? [y/N] `))) {
      invocation.screen.line("Nothing was deleted.");
      return EXIT.cancelled;
    }
  }
  return withOwnedStore(invocation, async ({ store, config }) => {
    const pruned = await store.runs.prune(filter);
    const space = isServerStore(config.store)
      ? "Postgres reuses the space."
      : "The file keeps its size; the space is reused.";
    return report(invocation, { ...pruned, dryRun: false }, [`Deleted ${sizeOf(pruned)}. ${space}`]);
  });
}

/** Opens the store in this process. If the store is a file, this process becomes its owner. */
async function withOwnedStore<T>(
  { folder, io }: Invocation,
  use: (runtime: RuntimeAssembly) => Promise<T>,
): Promise<T> {
  printIgnoredSettings(loadConfig({ folder, env: io.env }), io);
  const refusal = "Nothing was deleted; stop it, or prune when it is done.";
  const runtime = await openOwnedRuntime({ folder, env: io.env }, refusal);
  try {
    return await use(runtime);
  } finally {
    await runtime.stop();
  }
}

function filterOf({ io, folder }: Invocation, options: PruneOptions): PruneFilter {
  const { olderThan, status, workspace: given } = options;
  const workspace = given === true ? folder : given && resolve(io.cwd, given);
  return omitUndefined({ before: Date.now() - ageOf(olderThan), status: statusesOf(status), workspace });
}

function ageOf(text: string | undefined): number {
  const age = text === undefined ? 0 : parseDuration(text);
  // A number without a unit would mean milliseconds. It is surely a mistake, so the command refuses it.
  if (age !== undefined && !/^\s*\d+\s*$/.test(text ?? "")) return age;
  throw usageError(`--older-than ${text}: write 30d, 12h or 1d 12h. Nothing was deleted.`);
}

const ENDS = ["completed", "failed", "cancelled"] as const satisfies readonly RunStatus[];

const statusesOf = (text: string | undefined): RunStatus[] | undefined =>
  text
    ?.split(",")
    .map((word) => parseChoice("--status", word.trim(), ENDS, "; a run that has not ended is never deleted"));

async function endedRoot(store: Store, id: string): Promise<string> {
  const { id: runId, rootRunId, parentRunId, endedAt } = await findRun(store, id);
  if (parentRunId !== undefined)
    throw usageError(
      `${runId} belongs to ${rootRunId}. Only whole trees can be deleted: --run ${rootRunId}.`,
    );
  if (endedAt === undefined)
    throw new CadreError(
      "CONFLICT",
      `${runId} has not ended, so it is kept. Cancel it first: \`cadre cancel ${runId}\`.`,
    );
  return runId;
}

const nothingText = ({ run }: PruneOptions): string =>
  run === undefined
    ? "Nothing to delete."
    : "Nothing to delete: a run that is kept still needs it (a descendant that has not ended, or a run that continues it).";

function sizeOf({ trees, runs, events, bytes }: PruneResult): string {
  const parts = [plural(runs, "run"), plural(events, "event"), fileSize(bytes)];
  return `${plural(trees, "tree")} (${parts.join(", ")})`;
}
