// `cadre runs`: lists the root runs of this project, newest first. With `--all` it also lists their descendants.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView, Health, RunSummary, RunTree } from "../../api/client/types.ts";
import { ago, plural, shortCost } from "../../projections/words/format.ts";
import type { ShownStatus } from "../../projections/words/statuses.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { allRuns, type FilterOptions, parseRunsFilter } from "../lookup/runs.ts";
import { parseCount } from "../option-values.ts";
import { type Paint, truncate, visibleWidth } from "../view/screen.ts";
import { endsLaterText, resumesLaterText, shownStatuses, statusWord } from "../view/summary.ts";
import { allNodes, branches } from "../view/text/branches.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

interface RunsOptions extends FilterOptions {
  limit?: string;
  all?: boolean;
}

const LIMIT = 20;

export async function runs(invocation: Invocation, options: RunsOptions): Promise<number> {
  const { paint, columns } = invocation.screen;
  const found = await withClient(invocation, (client) => read(client, options));
  const lines = found.trees.flatMap((tree) => listRuns(tree, found, options));
  // The JSON leaves out ancestors of matching runs, because they are only needed to draw the tree.
  const wanted = lines.filter(({ run }) => found.ids?.has(run.id) ?? true).map(({ run }) => run);
  const remarks = fitLines(remarkLines(found, lines, options, invocation), invocation.screen);
  return report(invocation, wanted, [
    ...layOutRows(rowsOf(lines, Date.now(), paint), invocation.io.stdout.isTTY ? columns : undefined),
    ...remarks.map((line) => paint("dim", line)),
  ]);
}

interface Found {
  /** Trees of runs, newest first. */
  trees: RunTree[];
  /** Ids of the runs that match the filter. Undefined if there is no filter. */
  ids: ReadonlySet<string> | undefined;
  /** Number of matching child runs, which are listed only with `--all`. */
  below: number;
  health: Health;
  open: ApprovalView[];
}

async function read(client: CadreClient, options: RunsOptions): Promise<Found> {
  const { all } = options;
  const limit = parseCount("--limit", options.limit, 500) ?? LIMIT;
  const filter = parseRunsFilter(options, Date.now());
  const isFiltered = Object.keys(filter).length > 0;
  const roots = new Set<string>();
  const ids = new Set<string>();
  let below = 0;
  for await (const { id, rootRunId, parentRunId } of allRuns(client, filter)) {
    const isListed = all || parentRunId === undefined;
    const isFull = !roots.has(rootRunId) && roots.size === limit;
    if (isFull && !isFiltered) break;
    if (!isListed) below++;
    if (!isListed || isFull) continue;
    roots.add(rootRunId);
    ids.add(id);
  }
  const [trees, health, { approvals: open }] = await Promise.all([
    Promise.all([...roots].map((id) => client.get("/api/runs/{id}/tree", { id }))),
    client.get("/api/health"),
    client.get("/api/approvals"),
  ]);
  trees.sort((left, right) =>
    options.sort === undefined
      ? right.createdAt - left.createdAt
      : right.treeUsage.cost - left.treeUsage.cost,
  );
  return { trees, ids: isFiltered ? ids : undefined, below, health, open };
}

function remarkLines(
  { trees, ids, below, health, open }: Found,
  lines: readonly Listed[],
  { all }: RunsOptions,
  { commandLine }: Invocation,
): string[] {
  const hidden = ids && !all ? below : 0;
  const none = ids ? "No runs match." : `No runs here. Start one: ${commandLine(`run "what to do"`)}`;
  // Checks the whole tree, because a descendant might have no driver even if the root waits for a person.
  const isUndriven = trees
    .flatMap((tree) => [...shownStatuses(tree, health, open).values()])
    .includes("undriven");
  const cancelled = lines.find(({ status }) => status === "cancel_pending");
  return [
    ...(lines.length === 0 && hidden === 0 ? [none] : []),
    ...(hidden > 0
      ? [`${plural(hidden, "matching run is", "matching runs are")} below others: add --all`]
      : []),
    ...(isUndriven ? [resumesLaterText(health, commandLine)] : []),
    ...(cancelled ? [endsLaterText(cancelled.run.id, health, commandLine)] : []),
  ];
}

interface Listed {
  run: RunSummary & Pick<RunTree, "treeUsage"> & { below: number };
  branch: string;
  status: ShownStatus;
}

/** Lists the root run. With `--all` it lists the matching runs and all their ancestors. */
function listRuns(tree: RunTree, { ids, health, open }: Found, { all }: RunsOptions): Listed[] {
  const statuses = shownStatuses(tree, health, open);
  const isShown = (run: RunTree): boolean =>
    all === true && (!ids || allNodes(run).some(({ id }) => ids.has(id)));
  return branches(tree, isShown).map(({ node, branch }) => {
    const { children: _, ...run } = node;
    return { run: { ...run, below: allNodes(node).length - 1 }, branch, status: statuses.get(node.id)! };
  });
}

function rowsOf(lines: readonly Listed[], now: number, paint: Paint): string[][] {
  const isTree = lines.some(({ run }) => run.below > 0);
  return lines.map(({ run, branch, status }) => [
    run.id,
    statusWord(status, paint),
    `${branch}${plainLine(run.agent)}`,
    ...(isTree ? [paint("dim", run.below === 0 ? "" : `${run.below} below`)] : []),
    paint("dim", ago(run.createdAt, now)),
    paint("dim", shortCost(run.treeUsage)),
    plainLine(run.task),
  ]);
}

/** Minimum width of the task's column. If the other cells leave less room, the task gets its own line. */
const NARROWEST_TASK = 16;

function layOutRows(rows: readonly string[][], width: number | undefined): string[] {
  const heads = table(rows.map((row) => row.slice(0, -1)));
  const widest = Math.max(0, ...heads.map(visibleWidth));
  if (width === undefined || width - widest > NARROWEST_TASK) return table(rows, width);
  return heads.flatMap((head, index) => [head, `    ${truncate(rows[index]!.at(-1)!, width - 5)}`]);
}
