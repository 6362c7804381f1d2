// The whole stretch of time in eight numbers, each with what it rests on: what is not known is said, not hidden.

import type { UsageView } from "../../../../src/api/schema.ts";
import { count, duration, money, plural } from "../../display/words.ts";
import { totalsOf } from "./usage-totals.ts";

export function UsageTiles({ usage }: { usage: UsageView }) {
  return (
    <dl className="grid grid-cols-2 gap-2 md:grid-cols-4">
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
  const all = totalsOf(usage);
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
      value: count(all.input + all.output),
      note: `${count(all.input)} in, ${count(all.output)} out, ${cached} % cached`,
    },
    { name: "Turns", value: count(all.turns), note: `${count(all.toolCalls)} tool calls` },
    { name: "Runs", value: count(all.started), note: ended },
    {
      name: "Without people",
      value: trees.completed > 0 ? `${Math.round((trees.withoutPeople / trees.completed) * 100)} %` : "–",
      note: `${trees.withoutPeople} of ${plural(trees.completed, "task")} that completed needed nobody`,
    },
    {
      name: "Side by side",
      value: trees.busyMs > 0 ? `${(trees.workMs / trees.busyMs).toFixed(1)}×` : "–",
      note: `${duration(trees.workMs)} of work in ${duration(trees.busyMs)}`,
    },
    {
      name: "Wasted",
      value: money(all.wastedCost),
      note:
        all.wastedCalls > 0
          ? `${plural(all.wastedCalls, "attempt")} brought no answer`
          : "every attempt brought an answer",
    },
    {
      name: "Depth",
      value: trees.depths.length === 0 ? "–" : String(trees.depths.length - 1),
      note: trees.depths.length === 0 ? "no runs" : `runs by level: ${trees.depths.join(", ")}`,
    },
  ];
}
