// `cadre runs`: lists the root runs of this project, newest first; with `--all` also their descendants.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView, Health, RunSummary, RunTree } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { ago, plural, shortCost } from "../../projections/words/format.ts";
import type { ShownStatus } from "../../projections/words/statuses.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { allRuns } from "../lookup/all-runs.ts";
import { parseRunsFilter } from "../lookup/runs-filter.ts";
import { shownStatuses } from "../view/run-status.ts";
import { type Paint, truncate, visibleWidth } from "../view/screen.ts";
import { endsLaterText, resumesLaterText, statusWord } from "../view/summary.ts";
import { allNodes, branches } from "../view/text/branches.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export interface RunsOptions {
  status?: string;
  agent?: string;
  search?: string;
  since?: string;
  waitingFor?: string;
  sort?: string;
  limit?: string;
  all?: boolean;
}

const LIMIT = 20;

export async function runs(
  { io, folder, json, screen, commandLine }: Invocation,
  options: RunsOptions,
): Promise<number> {
  const found = await withClient({ folder, io }, (client) => read(client, options));
  const lines = found.trees.flatMap((tree) => listed(tree, found, options));
  if (json) {
    // Ancestors of matching runs are only part of the drawing; JSON leaves them out.
    const wanted = lines.filter(({ run }) => found.ids?.has(run.id) ?? true);
    screen.line(jsonLine(wanted.map(({ run }) => run)));
    return EXIT.done;
  }
  const { paint } = screen;
  const rows = rowsOf(lines, Date.now(), paint);
  for (const line of placed(rows, io.stdout.isTTY ? screen.columns : undefined)) screen.line(line);
  for (const line of fitLines(remarks(found, lines, options, commandLine), screen))
    screen.line(paint("dim", line));
  return EXIT.done;
}

interface Found {
  /** Newest first. */
  trees: RunTree[];
  /** Ids of the matching runs; undefined without a filter. */
  ids: ReadonlySet<string> | undefined;
  /** Number of matching runs that are not listed because they are below others. */
  below: number;
  health: Health;
  open: ApprovalView[];
}

async function read(client: CadreClient, options: RunsOptions): Promise<Found> {
  const { all } = options;
  const limit = limitOf(options.limit);
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
  const [trees, health, open] = await Promise.all([
    Promise.all([...roots].map((id) => client.get("/api/runs/{id}/tree", { id }))),
    client.get("/api/health"),
    client.get("/api/approvals").then(({ approvals }) => approvals),
  ]);
  trees.sort((left, right) =>
    options.sort === undefined
      ? right.createdAt - left.createdAt
      : right.treeUsage.cost - left.treeUsage.cost,
  );
  return { trees, ids: isFiltered ? ids : undefined, below, health, open };
}

interface Listed {
  run: RunSummary & Pick<RunTree, "treeUsage"> & { below: number };
  branch: string;
  status: ShownStatus;
}

/** The root, or with `--all` the matching runs and all their ancestors. */
function listed(tree: RunTree, { ids, health, open }: Found, { all }: RunsOptions): Listed[] {
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

/** With less room than this after the other cells, the task gets a line of its own. */
const NARROWEST_TASK = 16;

function placed(rows: readonly string[][], width: number | undefined): string[] {
  const heads = table(rows.map((row) => row.slice(0, -1)));
  const widest = Math.max(0, ...heads.map(visibleWidth));
  if (width === undefined || width - widest > NARROWEST_TASK) return table(rows, width);
  return heads.flatMap((head, index) => [head, `    ${truncate(rows[index]!.at(-1)!, width - 5)}`]);
}

function remarks(
  found: Found,
  lines: readonly Listed[],
  options: RunsOptions,
  commandLine: Invocation["commandLine"],
): string[] {
  const { below, trees } = found;
  const isFiltered = Object.keys(parseRunsFilter(options, Date.now())).length > 0;
  const hidden = isFiltered && !options.all ? below : 0;
  const nothing = isFiltered
    ? "No runs match."
    : `No runs here. Start one: ${commandLine(`run "what to do"`)}`;
  return [
    ...(lines.length === 0 && hidden === 0 ? [nothing] : []),
    ...(hidden > 0
      ? [`${plural(hidden, "matching run")} ${hidden === 1 ? "is" : "are"} below others: add --all`]
      : []),
    // Checks the whole tree, because the root itself may wait for a person.
    ...(trees.some((tree) => holdsLeft(tree, found)) ? [resumesLaterText(found.health, commandLine)] : []),
    ...lines
      .flatMap(({ run, status }) =>
        status === "cancel_pending" ? [endsLaterText(run.id, found.health, commandLine)] : [],
      )
      .slice(0, 1),
  ];
}

const holdsLeft = (tree: RunTree, { health, open }: Found): boolean =>
  shownStatuses(tree, health, open)
    .values()
    .some((status) => status === "undriven");

function limitOf(text: string | undefined): number {
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return limit;
  throw new CadreError("USAGE", `--limit ${text}: give a whole number from 1 to 500.`);
}
