// `cadre replay RUN`: checks whether Cadre would decide the same if it decided each step of a recorded run again.
// `cadre replay --agent NAME`: checks the latest runs of an agent against the agent's current file.

import { groupReplays } from "../../api/client/group-replays.ts";
import type { AgentReplayView } from "../../api/client/types.ts";
import { ago, describeCost, describeTokens, plural, shortCost } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report, usageError } from "../invocation.ts";
import { parseCount } from "../option-values.ts";
import type { Paint } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function replay(
  invocation: Invocation,
  runId: string | undefined,
  { agent, last }: { agent?: string; last?: string },
): Promise<number> {
  if ((runId === undefined) === (agent === undefined))
    throw usageError("Give a run, or --agent with an agent's name. See `cadre replay --help`.");
  if (runId === undefined) return replayAgent(invocation, agent!, parseCount("--last", last, MOST));
  if (last !== undefined) throw usageError("--last needs --agent.");
  return replayRun(invocation, runId);
}

async function replayRun(invocation: Invocation, runId: string): Promise<number> {
  const { screen, commandLine } = invocation;
  const replayed = await withClient(invocation, (client) =>
    client.get("/api/runs/{id}/replay", { id: runId }),
  );
  const { runs, decisions, divergence } = replayed;
  const made = `${plural(decisions, "decision")} of ${plural(runs, "run")}`;
  const { agent = "", runId: where, seq, recorded = "", now = "" } = divergence ?? {};
  const differs = [
    `${screen.paint("red", "Diverges")} at event ${seq} of ${where} (${plainLine(agent)})`,
    `  recorded  ${plainLine(recorded)}`,
    `  now       ${plainLine(now)}`,
    `See it: ${commandLine(`show ${where} --events`)}`,
  ];
  const same = [`${screen.paint("green", "The same")}: ${made}, made again`];
  report(invocation, { runId, ...replayed }, divergence ? differs : same);
  return divergence ? EXIT.failed : EXIT.done;
}

const MOST = 500;

async function replayAgent(invocation: Invocation, agent: string, last: number | undefined): Promise<number> {
  const { screen } = invocation;
  const replayed = await withClient(invocation, (client) =>
    client.get("/api/agents/{name}/replay", { name: agent, last }),
  );
  report(invocation, replayed, fitLines(agentReplayLines(replayed, screen.paint), screen));
  return replayed.again.runs > 0 ? EXIT.failed : EXIT.done;
}

type Replayed = AgentReplayView["runs"][number];

/** Lists how decisions would differ now: each difference once, with the affected runs. */
function agentReplayLines(replayed: AgentReplayView, paint: Paint): string[] {
  const { agent, runs, again } = replayed;
  if (runs.length === 0) return [`There are no runs of ${plainLine(agent)} to replay.`];
  const same = runs.filter(({ difference, problem }) => !difference && problem === undefined);
  const decisions = same.reduce((sum, run) => sum + run.decisions, 0);
  const sameLine = `${paint("green", "The same")}: ${plural(same.length, "run")}, ${plural(decisions, "decision")} made again`;
  return [
    ...groupReplays(replayed).flatMap((group) => [...groupLines(group, paint), ""]),
    ...runs.flatMap(({ runId, problem }) =>
      problem === undefined ? [] : [`${runId} was not replayed: ${plainLine(problem)}`],
    ),
    ...(same.length === 0 ? [] : [sameLine]),
    ...(again.runs === 0 ? [] : [againLine(replayed, paint)]),
  ];
}

function groupLines(group: readonly Replayed[], paint: Paint): string[] {
  const { changes } = group[0]!.difference!;
  const rows = group.map(({ runId, difference, createdAt, usage, task }) => [
    `  ${runId}#${difference!.seq}`,
    paint("dim", ago(createdAt, Date.now())),
    paint("dim", shortCost(usage)),
    plainLine(task),
  ]);
  return [
    `${paint("red", "Differs")} in ${plural(group.length, "run")}: ${changes.map(({ what }) => what).join(", ")}`,
    ...changes.flatMap(({ what, lines }) => [
      paint("bold", `  ${what}`),
      ...lines.map((line) => changeLine(line, paint)),
    ]),
    ...table(rows),
  ];
}

function changeLine(line: string, paint: Paint): string {
  const text = `    ${line.charAt(0)} ${plainLine(line.slice(1))}`.trimEnd();
  if (line.startsWith("+")) return paint("green", text);
  return line.startsWith("-") ? paint("red", text) : text;
}

function againLine({ runs, again }: AgentReplayView, paint: Paint): string {
  const which = paint("yellow", `${again.runs} of ${plural(runs.length, "run")}`);
  return `${which} would be decided differently. Running them again would cost about ${describeCost(again.usage)}, ${describeTokens(again.usage)}, which is what they and their descendants used.`;
}
