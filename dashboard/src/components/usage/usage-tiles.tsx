// Ten key figures for the time range, each with a note on how it is computed and what is unknown.

import type { UsageView } from "../../../../src/api/client/types.ts";
import { duration, money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { usageTotals } from "./usage-totals.ts";

export function UsageTiles({ usage }: { usage: UsageView }) {
  return (
    <dl className="grid grid-cols-2 gap-2 md:grid-cols-4 xl:grid-cols-5">
      {tilesOf(usage).map(({ name, value, note }) => (
        <div key={name} className="rounded-lg border border-line bg-surface px-4 py-3">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-xl tabular-nums">{value}</dd>
          <dd className="text-muted text-xs">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Tile {
  name: string;
  value: string;
  note: string;
}

function tilesOf(usage: UsageView): Tile[] {
  const all = usageTotals(usage);
  const { trees } = all;
  const ended = `${all.completed} completed, ${all.failed} failed, ${all.cancelled} cancelled`;
  const cached = all.input > 0 ? Math.round((all.cacheRead / all.input) * 100) : 0;
  return [
    {
      name: "Cost",
      value: money(all.cost, all.unpriced),
      note:
        all.unpriced > 0
          ? `${plural(all.unpriced, "call")} without a known price`
          : "every call has a known price",
    },
    {
      name: "Tokens",
      value: shortCount(all.input + all.output),
      note: `${shortCount(all.input)} in, ${shortCount(all.output)} out, ${cached} % cached`,
    },
    { name: "Turns", value: shortCount(all.turns), note: `${shortCount(all.toolCalls)} tool calls` },
    { name: "Runs", value: shortCount(all.started), note: ended },
    {
      name: "Without human help",
      value: trees.completed > 0 ? `${Math.round((trees.withoutPeople / trees.completed) * 100)} %` : "–",
      note: `${trees.withoutPeople} of ${plural(trees.completed, "completed task")} needed no person`,
    },
    {
      name: "Parallelism",
      value: trees.busyMs > 0 ? `${(trees.workMs / trees.busyMs).toFixed(1)}×` : "–",
      note: `${duration(trees.workMs)} of work in ${duration(trees.busyMs)}: ${duration(trees.workMs - trees.busyMs)} saved`,
    },
    aloneTile(trees.together),
    {
      name: "Review rounds",
      value: trees.reviewed > 0 ? (trees.reviews / trees.reviewed).toFixed(1) : "–",
      note: `${plural(trees.reviews, "review")} in ${plural(trees.reviewed, "task")}; reviewers are recognised by name`,
    },
    {
      name: "Wasted",
      value: money(all.wastedCost),
      note: all.wastedCalls > 0 ? `${plural(all.wastedCalls, "attempt")} failed` : "no attempt failed",
    },
    {
      name: "Depth",
      value: trees.depths.length === 0 ? "–" : String(trees.depths.length - 1),
      note: trees.depths.length === 0 ? "no runs" : `runs by level: ${trees.depths.join(", ")}`,
    },
  ];
}

type Together = ReturnType<typeof usageTotals>["trees"]["together"];

/** S1-75: cost compared with a single agent; the note explains the estimate. */
function aloneTile({ trees, tokens, cost, singleTokens, singleCost }: Together): Tile {
  const priced = singleCost !== null && singleCost > 0;
  const alone = `${shortCount(Math.round(singleTokens))} tokens${priced ? `, ${money(singleCost)}` : ""}`;
  return {
    name: "Compared to one agent",
    value: singleTokens > 0 ? `${Math.round((tokens / singleTokens) * 100)} %` : "–",
    note:
      trees === 0
        ? "no task used several agents"
        : `${shortCount(tokens)} tokens${priced ? `, ${money(cost)}` : ""}; a single agent about ${alone} (an estimate: the same turns in one conversation)`,
  };
}
