// `cadre prune`: deletes trees that have ended. It first says what it would delete, and deletes no more than that: trees that
// end while the person decides are kept. It does not own the store meanwhile.

import { resolve } from "node:path";
import { findRun } from "../../api/views/read-runs.ts";
import { isServerStore, loadConfig } from "../../config/config.ts";
import { parseDuration } from "../../config/duration.ts";
import { CadreError } from "../../errors.ts";
import type { RunStatus } from "../../journal/events.ts";
import { fileSize, plural } from "../../projections/words/format.ts";
import type { RuntimeAssembly } from "../../runtime/assembly.ts";
import { openOwnedRuntime } from "../../runtime/owned-runtime.ts";
import type { PruneFilter, PruneResult, Store } from "../../stores/store.ts";
import { printIgnoredSettings } from "../connection/ignored-settings.ts";
import { EXIT, type Invocation, isAttended } from "../invocation.ts";
import { confirm } from "../terminal/confirm.ts";
import { jsonLine } from "../view/text/plain.ts";

export interface PruneOptions {
  olderThan?: string;
  status?: string;
  /** `true` means the project's own folder. */
  workspace?: string | true;
  run?: string;
  dryRun?: boolean;
  yes?: boolean;
}

const STAYS = "Nothing was deleted; stop it, or prune when it is done.";

export async function prune(invocation: Invocation, options: PruneOptions): Promise<number> {
  const { json, screen } = invocation;
  const filter = filterOf(invocation, options);
  const would = await withOwnedStore(invocation, STAYS, async ({ store }) => {
    if (options.run !== undefined) filter.root = await endedRoot(store, options.run);
    return store.runs.prune({ ...filter, dryRun: true });
  });
  if (would.trees === 0 || options.dryRun) {
    if (json) screen.line(jsonLine({ ...would, dryRun: true }));
    else screen.line(would.trees === 0 ? nothing(options) : `Would delete ${sizeOf(would)}.`);
    return EXIT.done;
  }
  if (!options.yes) {
    if (!isAttended(invocation))
      throw new CadreError(
        "USAGE",
        `This would delete ${sizeOf(would)}, for good. Nothing was deleted: add --yes if you mean it.`,
      );
    const agreed = await confirm(invocation, `Delete ${sizeOf(would)}, for good? [y/N] `);
    if (!agreed) {
      screen.line("Nothing was deleted.");
      return EXIT.cancelled;
    }
  }
  const { pruned, space } = await withOwnedStore(invocation, STAYS, async ({ store, config }) => ({
    pruned: await store.runs.prune(filter),
    space: isServerStore(config.store)
      ? "Postgres reuses the space."
      : "The file keeps its size; the space is reused.",
  }));
  if (json) screen.line(jsonLine({ ...pruned, dryRun: false }));
  else screen.line(`Deleted ${sizeOf(pruned)}. ${space}`);
  return EXIT.done;
}

/** Opens the store itself, and owns it if it is a file. `refusal`: the end of the error if another process owns it. */
async function withOwnedStore<T>(
  { folder, io }: Invocation,
  refusal: string,
  use: (runtime: RuntimeAssembly) => Promise<T>,
): Promise<T> {
  printIgnoredSettings(loadConfig({ folder, env: io.env }), io);
  const runtime = await openOwnedRuntime({ folder, env: io.env }, refusal);
  try {
    return await use(runtime);
  } finally {
    await runtime.stop();
  }
}

function filterOf({ io, folder }: Invocation, options: PruneOptions): PruneFilter {
  const { olderThan, status, workspace } = options;
  return {
    before: Date.now() - ageOf(olderThan),
    ...(status === undefined ? {} : { status: statusesOf(status) }),
    ...(workspace === undefined
      ? {}
      : { workspace: workspace === true ? folder : resolve(io.cwd, workspace) }),
  };
}

function ageOf(text: string | undefined): number {
  const age = text === undefined ? 0 : parseDuration(text);
  // A bare number would mean milliseconds, which is surely a mistake here.
  if (age !== undefined && !/^\s*\d+\s*$/.test(text ?? "")) return age;
  throw new CadreError("USAGE", `--older-than ${text}: write 30d, 12h or 1d 12h. Nothing was deleted.`);
}

const ENDS = ["completed", "failed", "cancelled"] as const satisfies readonly RunStatus[];

function statusesOf(text: string): RunStatus[] {
  return text.split(",").map((word) => {
    const status = ENDS.find((known) => known === word.trim());
    if (status) return status;
    throw new CadreError(
      "USAGE",
      `--status ${word}: it is one of ${ENDS.join(", ")}; a run that has not ended is never deleted.`,
    );
  });
}

async function endedRoot(store: Store, id: string): Promise<string> {
  const { id: runId, rootRunId, parentRunId, endedAt } = await findRun(store, id);
  if (parentRunId !== undefined)
    throw new CadreError(
      "USAGE",
      `${runId} belongs to ${rootRunId}. Only whole trees can be deleted: --run ${rootRunId}.`,
    );
  if (endedAt === undefined)
    throw new CadreError(
      "CONFLICT",
      `${runId} has not ended, so it is kept. Cancel it first: \`cadre cancel ${runId}\`.`,
    );
  return runId;
}

function nothing({ run }: PruneOptions): string {
  if (run === undefined) return "Nothing to delete.";
  return "Nothing to delete: a run that is kept still needs it (a descendant that has not ended, or a run that continues it).";
}

function sizeOf({ trees, runs, events, bytes }: PruneResult): string {
  const parts = [plural(runs, "run"), plural(events, "event"), fileSize(bytes)];
  return `${plural(trees, "tree")} (${parts.join(", ")})`;
}
