// Lists past runs of an agent that would be decided differently now: each difference once, with the runs that have it.

import { groupReplays } from "../../api/client/group-replays.ts";
import type { AgentReplayView } from "../../api/client/types.ts";
import { ago, describeCost, describeTokens, plural, shortCost } from "../../projections/words/format.ts";
import type { Paint } from "./screen.ts";
import { plainLine } from "./text/plain.ts";
import { table } from "./text/table.ts";

type Replayed = AgentReplayView["runs"][number];

export function agentReplayLines(replayed: AgentReplayView, paint: Paint): string[] {
  const { agent, runs, again } = replayed;
  if (runs.length === 0) return [`There are no runs of ${plainLine(agent)} to replay.`];
  const same = runs.filter(({ difference, problem }) => !difference && problem === undefined);
  const decisions = same.reduce((sum, run) => sum + run.decisions, 0);
  return [
    ...groupReplays(replayed).flatMap((group) => [...groupLines(group, paint), ""]),
    ...runs.flatMap(({ runId, problem }) =>
      problem === undefined ? [] : [`${runId} was not replayed: ${plainLine(problem)}`],
    ),
    ...(same.length === 0
      ? []
      : [
          `${paint("green", "The same")}: ${plural(same.length, "run")}, ${plural(decisions, "decision")} made again`,
        ]),
    ...(again.runs === 0 ? [] : [againLine({ runs, again }, paint)]),
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

function againLine({ runs, again }: Pick<AgentReplayView, "runs" | "again">, paint: Paint): string {
  const which = paint("yellow", `${again.runs} of ${plural(runs.length, "run")}`);
  return `${which} would be decided differently. Running them again would cost about ${describeCost(again.usage)}, ${describeTokens(again.usage)}, which is what they and their descendants used.`;
}
