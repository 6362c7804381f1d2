// `cadre replay RUN`: checks whether a run would be decided the same way now. `cadre replay --agent NAME`: checks the latest
// runs of an agent with its current file.

import { CadreError } from "../../errors.ts";
import { plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { agentReplayLines } from "../view/agent-replay.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";

export interface ReplayOptions {
  agent?: string;
  last?: string;
}

export async function replay(
  invocation: Invocation,
  runId: string | undefined,
  { agent, last }: ReplayOptions,
): Promise<number> {
  if ((runId === undefined) === (agent === undefined))
    throw new CadreError("USAGE", "Give a run, or --agent with an agent's name. See `cadre replay --help`.");
  if (runId === undefined) return replayAgent(invocation, agent!, last);
  if (last !== undefined) throw new CadreError("USAGE", "--last needs --agent.");
  return replayRun(invocation, runId);
}

async function replayRun(
  { folder, io, json, screen, commandLine }: Invocation,
  runId: string,
): Promise<number> {
  const replayed = await withClient({ folder, io }, (client) =>
    client.get("/api/runs/{id}/replay", { id: runId }),
  );
  const { runs, decisions, divergence } = replayed;
  if (json) screen.line(jsonLine({ runId, ...replayed }));
  else if (!divergence) {
    const made = `${plural(decisions, "decision")} of ${plural(runs, "run")}`;
    screen.line(`${screen.paint("green", "The same")}: ${made}, made again`);
  } else {
    const { agent, runId: where, seq, recorded, now } = divergence;
    screen.line(`${screen.paint("red", "Diverges")} at event ${seq} of ${where} (${plainLine(agent)})`);
    screen.line(`  recorded  ${plainLine(recorded)}`);
    screen.line(`  now       ${plainLine(now)}`);
    screen.line(`See it: ${commandLine(`show ${where} --events`)}`);
  }
  return divergence ? EXIT.failed : EXIT.done;
}

const MOST = 500;

async function replayAgent(
  { folder, io, json, screen }: Invocation,
  agent: string,
  given: string | undefined,
): Promise<number> {
  const last = given === undefined ? undefined : Number(given);
  if (last !== undefined && !(Number.isInteger(last) && last >= 1 && last <= MOST))
    throw new CadreError("USAGE", `--last ${given}: give a number from 1 to ${MOST}.`);
  const replayed = await withClient({ folder, io }, (client) =>
    client.get("/api/agents/{name}/replay", { name: agent, last }),
  );
  if (json) screen.line(jsonLine(replayed));
  else for (const line of fitLines(agentReplayLines(replayed, screen.paint), screen)) screen.line(line);
  return replayed.again.runs > 0 ? EXIT.failed : EXIT.done;
}
