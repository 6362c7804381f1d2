// U35: the usage of a run alone, the usage together with all runs below it, and the run's share of its parent's total.

import { cacheLedger, describeBreak } from "../../../../src/projections/usage/cache-ledger.ts";
import { emptyUsage, type RunUsage, totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import { duration, money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { treeOrder } from "../run-tree/roll-up.ts";
import { Section } from "./section.tsx";

export function UsageTab({ run, journal }: { run: RunJournal; journal: TreeJournal }) {
  const own = run.row.usage;
  const { usage: tree, runs } = subtreeUsage(journal, run.row.id);
  const parent = run.row.parentRunId;
  const above = parent === undefined ? undefined : subtreeUsage(journal, parent).usage;
  return (
    <>
      <Section title="Usage">
        <DataTable
          label="Usage of this run"
          hasRowNames
          head={[
            "Measure",
            "This run",
            `With ${plural(runs - 1, "run")} below`,
            ...(above ? ["Share of parent"] : []),
          ]}
          rows={LINES.map(([name, value, show]) => ({
            key: name,
            cells: [
              name,
              show(value(own), own),
              show(value(tree), tree),
              ...(above ? [share(value(tree), value(above))] : []),
            ],
          }))}
        />
      </Section>
      <CacheSection journal={journal} run={run} />
      <Section title="How this is counted">
        <ul className="list-disc pl-4 text-muted text-sm">
          <li>{costWords(tree)}</li>
          {tree.wastedCalls > 0 && (
            <li>
              {plural(tree.wastedCalls, "attempt")} failed or {tree.wastedCalls === 1 ? "was" : "were"} cut
              off ({money(tree.wastedCost)}). They count, because the provider may have charged for them.
            </li>
          )}
          {countInterrupted(run) > 0 && (
            <li>
              {plural(countInterrupted(run), "call")} ended with a crashed process: the cost is an estimate.
            </li>
          )}
        </ul>
      </Section>
    </>
  );
}

/** Shows which events broke the prompt cache. Absent if every prompt began with the prompt before it. */
function CacheSection({ run, journal }: { run: RunJournal; journal: TreeJournal }) {
  const runs = treeOrder(journal.runs, run.row.id).map((id) => journal.runs.get(id)!.events);
  const broken = cacheLedger(runs).calls.flatMap((call) => describeBreak(call) ?? []);
  if (broken.length === 0) return null;
  return (
    <Section title="Prompt cache">
      <ul className="list-disc pl-4 text-muted text-sm">
        {broken.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Section>
  );
}

const LINES: readonly [string, (usage: RunUsage) => number, (value: number, usage: RunUsage) => string][] = [
  ["Cost", (usage) => usage.cost, (value, usage) => money(value, usage.unpriced)],
  ["Tokens", totalTokens, shortCount],
  ["Input", (usage) => usage.input, shortCount],
  [
    "… from the cache",
    (usage) => usage.cacheRead,
    (value, { input }) => `${shortCount(value)} (${share(value, input)})`,
  ],
  ["… into the cache", (usage) => usage.cacheWrite, shortCount],
  ["Output", (usage) => usage.output, shortCount],
  ["Model calls", (usage) => usage.modelCalls, shortCount],
  ["… failed", (usage) => usage.wastedCalls, shortCount],
  ["Tool calls", (usage) => usage.toolCalls, shortCount],
  ["Active time", (usage) => usage.activeMs, duration],
];

const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${Math.round((part / whole) * 100)} %`;

function costWords({ unpriced, modelCalls, cost }: RunUsage): string {
  if (unpriced === 0)
    return "Costs are computed from the tokens that providers report and the prices Cadre knows. The bill may differ.";
  if (unpriced >= modelCalls && cost === 0)
    return "The price of these models is not known, so the cost is not known.";
  return `${plural(unpriced, "call")} without a known price: the real cost is higher.`;
}

const countInterrupted = ({ events }: RunJournal): number =>
  events.filter(
    (event) =>
      event.type === "MODEL_CALL_FAILED" && event.payload.cause === "interrupted" && event.payload.usage,
  ).length;

/** The usage of a run and all runs below it. Each call counts once. */
export function subtreeUsage(journal: TreeJournal, runId: string): { usage: RunUsage; runs: number } {
  const total = { usage: emptyUsage(), runs: 0 };
  for (const id of treeOrder(journal.runs, runId)) {
    const { usage } = journal.runs.get(id)!.row;
    total.runs++;
    for (const key of Object.keys(total.usage) as (keyof RunUsage)[]) total.usage[key] += usage[key];
  }
  return total;
}
