// `cadre run`: starts a run and stays with it until it has ended or needs a person who is not there. Whoever owns the
// store drives everything that is due in it, so what a killed process left goes on as well.

import { randomUUID } from "node:crypto";
import { CadreError } from "../../errors.ts";
import { type Connection, type ConnectOptions, connect, isConnectionLost } from "../connect.ts";
import { detach } from "../detach.ts";
import { followRun, type Watched } from "../follow-run.ts";
import { type Invocation, isAttended, sayTrouble } from "../io.ts";
import { createKeys } from "../keys.ts";
import { type Leaving, watchLeaving } from "../leaving.ts";
import { sayPickedUp, sayWhatIsLeft, unfinished } from "../left-over.ts";
import {
  beginOrder,
  type Order,
  orderOf,
  type Preset,
  refuseOthersModel,
  refuseUnknownAgent,
  sayAgentWarnings,
} from "../order.ts";
import type { Company } from "../questions.ts";
import { besideRun, sayRest, worst } from "../say-rest.ts";
import { askForTrust } from "../trust-question.ts";
import { viewFor } from "../view-for.ts";
import { withLiveScreen } from "../with-live-screen.ts";

export interface RunOptions {
  yes?: boolean;
  detach?: boolean;
  model?: string;
  permissions?: Preset;
  /** JSON, or `@file`. */
  input?: string;
}

export async function run(invocation: Invocation, words: string[], options: RunOptions): Promise<number> {
  return visit(invocation, orderOf(words, options, invocation.io.cwd), options);
}

/** Begins what was ordered and stays with it, or leaves it to the background. */
export async function visit(invocation: Invocation, order: Order, options: RunOptions): Promise<number> {
  if (!options.detach) await askForTrust(invocation);
  await refuseUnknownAgent(invocation, order);
  if (options.detach) return detach(invocation, order, options);
  const leaving = watchLeaving(invocation.io);
  try {
    return await withLiveScreen(invocation, (live) => {
      const company = companyOf(live, options, leaving);
      return stay({ invocation: live, order, options, company, leaving });
    });
  } finally {
    leaving.dispose();
  }
}

interface Stay {
  invocation: Invocation;
  order: Order;
  options: RunOptions;
  company: Company;
  leaving: Leaving;
}

/** With the run that is wanted, or else with each that was left; connects anew where an owner leaves (E1). */
async function stay(visit: Stay): Promise<number> {
  const { invocation, leaving } = visit;
  const key = randomUUID();
  const codes: number[] = [];
  let watching: Watched[] | undefined;
  for (;;) {
    const connection = await connect(connectOptions(visit));
    try {
      watching ??= await begin(visit, connection, key);
      for (let next = watching[0]; next; next = watching[0]) {
        const rest = await followRun(connection.client, next, visit.company, leaving.signal);
        codes.push(await sayRest(rest, next, connection, invocation));
        watching.shift();
        if (rest.type === "left") return leaving.code();
      }
      await sayWhatIsLeft(connection, invocation);
      return worst(codes);
    } catch (error) {
      if (!isConnectionLost(error))
        throw watching?.[0] ? besideRun(error, watching[0].runId, invocation) : error;
      if (leaving.signal.aborted) return leaving.code();
    } finally {
      await connection.close();
    }
  }
}

function connectOptions({ invocation, options }: Stay): ConnectOptions {
  const { folder, io } = invocation;
  const flags = options.model === undefined ? {} : { flags: { model: options.model } };
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  return { folder, io, drive: true, say, ...flags };
}

async function begin(visit: Stay, connection: Connection, key: string): Promise<Watched[]> {
  const { invocation, order, options, company } = visit;
  const { client, owner } = connection;
  const watched = (runId: string): Watched => ({
    runId,
    view: viewFor(invocation, "tree"),
    position: undefined,
  });
  for (const problem of connection.problems) sayTrouble(problem, invocation.io, invocation.typed);
  const left = await unfinished(client);
  if (owner) sayPickedUp(left, invocation);
  if (order.type === "rest") {
    if (left.length > 0) return left.reverse().map(({ id }) => watched(id));
    throw new CadreError("USAGE", 'Nothing was left unfinished here. Give a task: `cadre run "what to do"`.');
  }
  if (options.model !== undefined) await refuseOthersModel(client);
  const runId = await beginOrder(client, order, company.type !== "nobody", key);
  await sayAgentWarnings(client, runId, order, invocation);
  return [watched(runId)];
}

function companyOf(invocation: Invocation, { yes }: RunOptions, leaving: Leaving): Company {
  if (yes) return { type: "yes" };
  if (!isAttended(invocation)) return { type: "nobody" };
  const { io, screen } = invocation;
  const { stdin, stdout } = io;
  const keys = createKeys({ stdin, stdout, hold: screen.hold, onInterrupt: leaving.interrupt });
  return { type: "person", desk: { screen, keys, env: io.env } };
}
