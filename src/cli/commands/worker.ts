// `cadre worker`: drives runs until it is stopped. It serves nothing.

import { hostname } from "node:os";
import { loadConfig } from "../../config/config.ts";
import { poolNames } from "../../config/pools.ts";
import { CadreError } from "../../errors.ts";
import { connect } from "../connection/connect.ts";
import { refuseIgnoredSettings } from "../connection/ignored-settings.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { createServerLog } from "../serve/server-log.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";

export interface WorkerOptions {
  pool?: string;
  concurrency?: string;
}

export async function worker(invocation: Invocation, options: WorkerOptions): Promise<number> {
  const { folder, io, json, screen } = invocation;
  refuseIgnoredSettings(invocation, ["store", "engine"], "Nothing was started.");
  const pool = poolOf(folder, io.env, options.pool);
  const concurrency = concurrencyOf(options.concurrency);
  const leaving = watchShutdown(io);
  const log = io.stderr.isTTY ? undefined : createServerLog((line) => io.stderr.write(line));
  try {
    const connection = await connect({
      folder,
      io,
      drive: true,
      pool,
      concurrency,
      onProblem: log?.problem,
      onRecovered: log?.recovered,
    });
    try {
      const { client } = connection;
      if (!connection.isOwner) throw ownedBy((await client.get("/api/health")).pid);
      const own = (await client.get("/api/workers")).workers.find(
        ({ pid, host }) => pid === process.pid && host === hostname(),
      )!;
      for (const problem of connection.problems) if (!json) screen.line(problem);
      screen.line(json ? jsonLine(own) : `Worker ${plainLine(own.name)} takes runs of the pool ${own.pool}.`);
      await leaving.waitForRequest();
      return EXIT.done;
    } finally {
      await connection.close();
    }
  } finally {
    leaving.dispose();
  }
}

function poolOf(folder: string, env: Invocation["io"]["env"], name: string | undefined): string | undefined {
  const known = poolNames(loadConfig({ folder, env }).pools);
  if (name === undefined || known.includes(name)) return name;
  throw new CadreError(
    "USAGE",
    `There is no pool ${JSON.stringify(name)}: \`pools\` in cadre.yaml names ${known.join(", ")}. Nothing was started.`,
  );
}

function concurrencyOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new CadreError("USAGE", `--concurrency ${JSON.stringify(text)}: give a number from 1 to 9999.`);
}

const ownedBy = (pid: number): CadreError =>
  new CadreError(
    "STORE_OWNED",
    `Process ${pid} owns this folder's store and drives it: a store in a file has one worker. For more, set \`store: postgres://…\`.`,
  );
