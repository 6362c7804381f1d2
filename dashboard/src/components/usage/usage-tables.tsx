// S2-93, S2-94: usage by agent and by model, and the success of delegations.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { UsageView } from "../../../../src/api/client/types.ts";
import { duration, money, shortCount } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";

export function UsageTables({ usage }: { usage: UsageView }) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Table
        title="By agent"
        head={["Agent", "Runs", "Tokens", "Cost", "Wasted", "Active time"]}
        rows={usage.byAgent.map((each) => ({
          key: each.agent,
          cells: [
            <AgentLink key="agent" name={each.agent} />,
            each.runs,
            shortCount(each.input + each.output),
            money(each.cost, each.unpriced),
            each.wastedCalls === 0 ? "–" : `${each.wastedCalls} (${money(each.wastedCost)})`,
            duration(each.activeMs),
          ],
        }))}
      />
      <Table
        title="By model"
        head={["Model", "Calls", "Tokens", "Cost", "Wasted"]}
        rows={usage.byModel.map((each) => ({
          key: each.model,
          cells: [
            <VisibleText key="model" text={each.model} />,
            each.modelCalls,
            shortCount(each.input + each.output),
            each.unpriced > 0 && each.cost === 0 ? "unknown price" : money(each.cost, each.unpriced),
            each.wastedCalls === 0 ? "–" : `${each.wastedCalls} (${money(each.wastedCost)})`,
          ],
        }))}
      />
      <Table
        title="Delegations"
        head={["From", "To", "Started", "Succeeded", "Failed", "Cancelled", "Success"]}
        words={2}
        rows={usage.byEdge.map((each) => ({
          key: JSON.stringify([each.from, each.to]),
          cells: [
            <AgentLink key="from" name={each.from} />,
            <AgentLink key="to" name={each.to} />,
            each.started,
            each.succeeded,
            each.failed,
            each.cancelled,
            each.successRate === null ? "–" : `${Math.round(each.successRate * 100)} %`,
          ],
        }))}
      />
    </div>
  );
}

function AgentLink({ name }: { name: string }) {
  return (
    <Link to="/agents/$name" params={{ name }} className="hover:text-accent hover:underline">
      <VisibleText text={name} />
    </Link>
  );
}

interface TableProps {
  title: string;
  head: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** Number of leading text columns; the others are numbers. */
  words?: number;
}

function Table({ title, head, rows, words = 1 }: TableProps) {
  const side = (index: number): string => (index < words ? "text-left" : "text-right");
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <h2 className="border-line border-b px-4 py-2 font-semibold text-sm">{title}</h2>
      {rows.length === 0 ? (
        <p className="p-4 text-muted text-sm">None in this time range.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        <section className="overflow-x-auto" tabIndex={0} aria-label={`${title}, in rows`}>
          <table className="w-full text-sm tabular-nums">
            <thead>
              <tr className="text-2xs text-muted uppercase tracking-wide">
                {head.map((name, index) => (
                  <th key={name} className={`px-4 py-2 font-medium ${side(index)}`}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {rows.map(({ key, cells }) => (
                <tr key={key}>
                  {cells.map((cell, index) => (
                    <td key={head[index]} className={`whitespace-nowrap px-4 py-1.5 ${side(index)}`}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
