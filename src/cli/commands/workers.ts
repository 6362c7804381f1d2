// `cadre workers`: lists the workers of this store, each with the runs it drives.
// `cadre workers` fails if runs wait and their pool has no worker, so you can use it for alerts.
// `cadre worker`: drives runs until the process is stopped. It serves no API.

import { hostname } from "node:os";
import type { Health, WorkerView } from "../../api/client/types.ts";
import { loadConfig } from "../../config/config.ts";
import { poolNames } from "../../config/pools.ts";
import type { Env } from "../../config/trust.ts";
import { CadreError } from "../../errors.ts";
import { ago, plural } from "../../projections/words/format.ts";
import { connect, withClient } from "../connection/connect.ts";
import { refuseIgnoredSettings } from "../connection/ignored-settings.ts";
import { EXIT, type Invocation, report, usageError } from "../invocation.ts";
import { parseCount } from "../option-values.ts";
import { createServerLog } from "../serve/server-log.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { noDriverLines } from "../view/drivers.ts";
import type { Paint } from "../view/screen.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function workers(invocation: Invocation): Promise<number> {
  const { paint } = invocation.screen;
  const [{ workers: found }, health] = await withClient(invocation, (client) =>
    Promise.all([client.get("/api/workers"), client.get("/api/health")]),
  );
  report(invocation, found, [
    ...table(rowsOf(found, Date.now(), paint)),
    ...[...holdLines(found), ...remarks(found, health)].map((line) => paint("dim", line)),
    ...noDriverLines(health, invocation.commandLine),
  ]);
  return (health.due ?? 0) > 0 || health.idlePools ? EXIT.failed : EXIT.done;
}

function rowsOf(found: readonly WorkerView[], now: number, paint: Paint): string[][] {
  return found.map(({ name, host, pid, pool, version, since, seenAt, silent, runs, tooNew }) => [
    plainLine(name),
    silent ? paint("red", `silent, last seen ${ago(seenAt, now)}`) : "at work",
    `pool ${plainLine(pool)}`,
    plural(runs, "run"),
    `process ${pid} on ${plainLine(host)}`,
    `version ${plainLine(version)}${tooNew ? paint("red", `, too old for ${plural(tooNew, "run")}`) : ""}`,
    `started ${ago(since, now)}`,
  ]);
}

function holdLines(found: readonly WorkerView[]): string[] {
  return found.flatMap(({ name, silent, runs, holds }) => {
    if (holds.length === 0) return [];
    const more = runs > holds.length ? ` and ${runs - holds.length} more` : "";
    return [`${plainLine(name)} ${silent ? "drove" : "drives"} ${holds.join(", ")}${more}`];
  });
}

function remarks(found: readonly WorkerView[], { drives }: Health): string[] {
  const silent = `silent: dead, hanging or cut off${drives ? "; other workers take over its runs" : ""}`;
  return [
    ...(found.some((worker) => worker.silent) ? [silent] : []),
    ...(found.some(({ tooNew }) => tooNew)
      ? ["too old: a newer version wrote to those runs; only newer workers can continue them"]
      : []),
  ];
}

interface WorkerOptions {
  pool?: string;
  concurrency?: string;
}

export async function worker(invocation: Invocation, options: WorkerOptions): Promise<number> {
  const { folder, io, json, screen } = invocation;
  refuseIgnoredSettings(invocation, ["store", "engine"], "Nothing was started.");
  const pool = poolOf(folder, io.env, options.pool);
  const concurrency = parseCount("--concurrency", options.concurrency, 9_999);
  const leaving = watchShutdown(io);
  const log = io.stderr.isTTY ? undefined : createServerLog((line) => io.stderr.write(line));
  const { problem: onProblem, recovered: onRecovered } = log ?? {};
  try {
    const connection = await connect({
      folder,
      io,
      drive: true,
      startsSchedules: true,
      pool,
      concurrency,
      onProblem,
      onRecovered,
    });
    try {
      const { client } = connection;
      if (!connection.isOwner) throw ownedBy((await client.get("/api/health")).pid);
      const own = (await client.get("/api/workers")).workers.find(
        ({ pid, host }) => pid === process.pid && host === hostname(),
      )!;
      for (const problem of connection.problems) if (!json) screen.line(problem);
      report(invocation, own, [`Worker ${plainLine(own.name)} takes runs of the pool ${own.pool}.`]);
      await leaving.waitForRequest();
      return EXIT.done;
    } finally {
      await connection.close();
    }
  } finally {
    leaving.dispose();
  }
}

function poolOf(folder: string, env: Env, name: string | undefined): string | undefined {
  const known = poolNames(loadConfig({ folder, env }).pools);
  if (name === undefined || known.includes(name)) return name;
  throw usageError(
    `There is no pool ${JSON.stringify(name)}: \`pools\` in cadre.yaml names ${known.join(", ")}. Nothing was started.`,
  );
}

const ownedBy = (pid: number): CadreError =>
  new CadreError(
    "STORE_OWNED",
    `Process ${pid} owns this folder's store and drives it: a store in a file has one worker. For more, set \`store: postgres://…\`.`,
  );
