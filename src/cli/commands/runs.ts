// `cadre runs`: the runs of this project, newest first.

import { CadreError } from "../../errors.ts";
import { RUN_STATUSES, type RunStatus } from "../../journal/events.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { standingOf } from "../standing.ts";
import { ago, cost } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import { goesOnLater, statusWord } from "../view/summary.ts";
import { table } from "../view/table.ts";

export interface RunsOptions {
  status?: string;
  agent?: string;
  limit?: string;
}

const LIMIT = 20;

export async function runs(
  { io, folder, json, screen, at }: Invocation,
  options: RunsOptions,
): Promise<number> {
  const filter = {
    limit: limitOf(options.limit),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(options.status === undefined ? {} : { status: statusesOf(options.status) }),
  };
  const { found, health, open } = await withClient({ folder, env: io.env }, async (client) => ({
    found: (await client.runs(filter)).runs,
    health: await client.health(),
    open: await client.approvals(),
  }));
  if (json) {
    for (const run of found) screen.line(jsonLine(run));
    return EXIT.done;
  }
  if (found.length === 0) {
    const isFiltered = options.agent !== undefined || options.status !== undefined;
    screen.line(isFiltered ? "No runs match." : `No runs here. Start one: cadre run${at} "what to do"`);
  }
  const standings = found.map((run) => standingOf(run, health, open));
  const now = Date.now();
  const rows = found.map((run, i) => [
    run.id,
    statusWord(standings[i]!, screen.paint),
    plainLine(run.agent),
    screen.paint("dim", ago(run.createdAt, now)),
    screen.paint("dim", cost(run.usage)),
    plainLine(run.task),
  ]);
  for (const line of table(rows, io.stdout.isTTY ? io.stdout.columns : undefined)) screen.line(line);
  if (standings.includes("left")) screen.line(screen.paint("dim", goesOnLater(at)));
  return EXIT.done;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return limit;
  throw new CadreError("USAGE", `--limit ${text}: give a whole number from 1 to 500.`);
}

function statusesOf(text: string): RunStatus[] {
  return text.split(",").map((word) => {
    const status = RUN_STATUSES.find((known) => known === word.trim());
    if (status) return status;
    throw new CadreError("USAGE", `--status ${word}: it is one of ${RUN_STATUSES.join(", ")}.`);
  });
}
