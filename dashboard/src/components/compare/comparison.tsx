import { useEffect, useRef } from "react";
import type { Comparison as Compared } from "../../../../src/api/client/types.ts";
import { duration, money, shortCount } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { StepRow } from "./step-row.tsx";

/** Two runs side by side. The page opens scrolled to the first divergence. */
export function Comparison({ compared }: { compared: Compared }) {
  const { nodes, first } = compared;
  const found = useRef<HTMLLIElement>(null);
  const show = () => found.current?.scrollIntoView({ block: "center" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the divergence changes
  useEffect(() => {
    show();
  }, [first?.node, first?.row]);
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <div className="sticky top-0 z-10 flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-surface px-4 py-2 text-sm">
        <Totals compared={compared} />
        <p role="status" className="font-medium">
          {first ? `First difference: ${nodes[first.node]!.agent}.` : "No differences."}
        </p>
        {first && (
          <Button size="small" className="max-md:h-10" onClick={show}>
            Go to it
          </Button>
        )}
      </div>
      {nodes.map((node, index) => (
        <NodeSection
          key={`${node.a?.runId} ${node.b?.runId}`}
          node={node}
          first={first?.node === index ? first.row : undefined}
          found={found}
        />
      ))}
    </div>
  );
}

interface NodeSectionProps {
  node: Compared["nodes"][number];
  first: number | undefined;
  found: React.RefObject<HTMLLIElement | null>;
}

function NodeSection({ node, first, found }: NodeSectionProps) {
  const { agent, depth, a, b, rows } = node;
  return (
    <section aria-label={agent} className="border-line border-b px-4 py-3">
      <h2 className="flex flex-wrap items-baseline gap-x-3 font-semibold text-sm">
        <span style={{ paddingLeft: `${depth}rem` }}>
          <VisibleText text={agent} />
        </span>
        <span className="font-normal text-muted text-xs">{nodeWords(a, b)}</span>
      </h2>
      <ol className="mt-2 flex flex-col gap-1">
        {rows.map((row, index) => (
          <StepRow
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by their position
            key={index}
            row={row}
            isFirst={index === first}
            {...(index === first ? { place: found } : {})}
          />
        ))}
      </ol>
    </section>
  );
}

type Facts = Compared["nodes"][number]["a"];

function nodeWords(a: Facts, b: Facts): string {
  if (!a || !b) return a ? "only in A" : "only in B";
  const ms = b.ms - a.ms;
  const tokens = b.tokens - a.tokens;
  return `A ${duration(a.ms)}, B ${duration(b.ms)} (${formatDifference(ms, duration)}) · ${formatDifference(tokens, String)} tokens · ${formatDifference(b.cost - a.cost, money)}`;
}

export const formatDifference = (value: number, words: (value: number) => string): string =>
  `${value < 0 ? "−" : "+"}${words(Math.abs(value))}`;

/** Status, time, tokens and cost of both trees. */
function Totals({ compared: { a, b } }: { compared: Compared }) {
  return (
    <table className="text-xs tabular-nums">
      <caption className="sr-only">Totals of both runs</caption>
      <thead className="text-muted">
        <tr>
          {["Run", "Status", "Time", "Tokens", "Cost", "Runs"].map((name) => (
            <th key={name} scope="col" className="px-2 text-left font-normal">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Line name="A" facts={a} />
        <Line name="B" facts={b} />
      </tbody>
    </table>
  );
}

function Line({ name, facts }: { name: string; facts: Compared["a"] }) {
  const { status, ms, tokens, cost, unpriced, runs } = facts;
  return (
    <tr>
      <th scope="row" className="px-2 text-left">
        {name}
      </th>
      {[status, duration(ms), shortCount(tokens), money(cost, unpriced), String(runs)].map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their column
        <td key={index} className="px-2">
          {cell}
        </td>
      ))}
    </tr>
  );
}
