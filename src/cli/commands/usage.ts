// `cadre usage [RUN]`: prints how much runs have spent and how many succeeded. The dashboard shows the same report.

import type { UsageView } from "../../api/client/types.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { emptyUsage, type RunUsage, totalTokens } from "../../projections/usage/run-usage.ts";
import { duration, money, plural, shortCost, shortCount } from "../../projections/words/format.ts";
import { rewriteCommands } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { parseRunsFilter } from "../lookup/runs.ts";
import { cacheLines } from "../view/cache.ts";
import type { Paint } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

/** Interval of the time series. The series is not printed, but without it the API does not return the measures. */
const DAY = 86_400_000;

export async function usage(
  invocation: Invocation,
  root: string | undefined,
  options: { since?: string },
): Promise<number> {
  const { screen, commandLine } = invocation;
  const { since } = parseRunsFilter(options, Date.now());
  const filter = omitUndefined({ every: DAY, root, since });
  const { found, cache } = await withClient(invocation, async (client) => ({
    found: await client.get("/api/usage", filter),
    cache: root === undefined ? undefined : await client.get("/api/runs/{id}/cache", { id: root }),
  }));
  const lines = [
    ...usageLines(found, screen.paint).map((line) => rewriteCommands(line, commandLine)),
    ...(cache ? ["", ...cacheLines(cache)] : []),
  ];
  return report(invocation, { ...found, ...omitUndefined({ cache }) }, fitLines(lines, screen));
}

export function usageLines({ byAgent, byModel, byEdge, overTime }: UsageView, paint: Paint): string[] {
  if (byAgent.length === 0) return ["Nothing was spent in this time."];
  const section = (title: string, rows: string[][]): string[] =>
    rows.length < 2 ? [] : ["", paint("bold", title), ...table(rows)];
  return [
    ...(overTime ? measureLines(overTime.trees) : []),
    ...section("By agent", [
      ["agent", "runs", "tokens", "cached", "cost", "at work"],
      ...byAgent.map((each) => [
        plainLine(each.agent),
        String(each.runs),
        ...spent(each),
        duration(each.activeMs),
      ]),
    ]),
    ...section("By model", [
      ["model", "calls", "tokens", "cached", "cost"],
      ...byModel.map((each) => [
        plainLine(each.model),
        String(each.modelCalls),
        ...spent({ ...emptyUsage(), ...each }),
      ]),
    ]),
    ...section("Delegations", [
      ["from", "to", "started", "succeeded", "failed", "success"],
      ...byEdge.map(({ from, to, started, succeeded, failed, successRate }) => [
        plainLine(from),
        plainLine(to),
        ...[started, succeeded, failed].map(String),
        successRate === null ? "–" : percent(successRate),
      ]),
    ]),
  ];
}

type Trees = NonNullable<UsageView["overTime"]>["trees"];

/** S1-75: prints each measure with the data it was computed from. */
function measureLines({
  completed,
  failed,
  withoutPeople,
  workMs,
  busyMs,
  reviewed,
  reviews,
  together,
}: Trees): string[] {
  const lines = [
    `${plural(completed, "task")} completed, ${failed} failed; ${withoutPeople} of the completed ones needed no person${completed > 0 ? ` (${percent(withoutPeople / completed)})` : ""}.`,
    `${duration(workMs)} of work took ${duration(busyMs)}: parallel work saved ${duration(workMs - busyMs)}.`,
  ];
  if (together.trees > 0) lines.push(comparison(together));
  if (reviewed > 0)
    lines.push(
      `${plural(reviews, "review")} in ${plural(reviewed, "task")}: ${(reviews / reviewed).toFixed(1)} rounds each.`,
    );
  return lines;
}

function comparison({ trees, tokens, cost, singleTokens, singleCost }: Trees["together"]): string {
  const priced = singleCost !== null && singleCost > 0;
  const spending = priced ? ` and ${money(cost)}` : "";
  const alone = priced ? ` and ${money(singleCost)}` : "";
  return `${plural(trees, "task")} by several agents used ${shortCount(tokens)} tokens${spending}; one agent alone would have used about ${shortCount(Math.round(singleTokens))}${alone} (an estimate: the same turns in one conversation, at the top agent's price per token).`;
}

const spent = (usage: RunUsage): [string, string, string] => [
  shortCount(totalTokens(usage)),
  usage.input === 0 ? "–" : percent(usage.cacheRead / usage.input),
  shortCost(usage),
];

const percent = (share: number): string => `${Math.round(share * 100)} %`;
