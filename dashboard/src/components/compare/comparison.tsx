import { ChevronsUpDown } from "lucide-react";
import { type Ref, useEffect, useRef, useState } from "react";
import type { Comparison as Compared } from "../../../../src/api/client/types.ts";
import {
  COMPARISON_COLUMNS,
  differenceCells,
  factCells,
  firstDivergence,
  NO_DIVERGENCE,
  onlySide,
} from "../../../../src/projections/words/comparison.ts";
import { duration, plural } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { foldEqual } from "./fold-equal.ts";

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
          {first ? firstDivergence(nodes[first.node]!.agent) : NO_DIVERGENCE}
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
  /** The folded steps that the reader has opened, by the index of the first. */
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  return (
    <section aria-label={agent} className="border-line border-b px-4 py-3">
      <h2 className="flex flex-wrap items-baseline gap-x-3 font-semibold text-sm">
        <span style={{ paddingLeft: `${depth}rem` }}>
          <VisibleText text={agent} />
        </span>
        <span className="font-normal text-muted text-xs">{nodeWords(a, b)}</span>
      </h2>
      <ol className="mt-2 flex flex-col gap-1">
        {foldEqual(rows).map(({ from, to, isEqual }) =>
          isEqual && !opened.has(from) ? (
            <li key={from}>
              <button
                type="button"
                aria-expanded={false}
                className="flex min-h-10 w-full items-center gap-1.5 rounded-md border border-line border-dashed px-2 text-muted text-xs hover:bg-raised hover:text-ink md:min-h-7"
                onClick={() => setOpened(new Set([...opened, from]))}
              >
                <ChevronsUpDown size={12} aria-hidden /> {plural(to - from, "equal step")}
              </button>
            </li>
          ) : (
            rows.slice(from, to).map((row, offset) => (
              <StepRow
                // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by their position
                key={from + offset}
                row={row}
                isFirst={from + offset === first}
                place={from + offset === first ? found : undefined}
              />
            ))
          ),
        )}
      </ol>
    </section>
  );
}

type Facts = Compared["nodes"][number]["a"];

function nodeWords(a: Facts, b: Facts): string {
  if (!a || !b) return onlySide(a, b)!;
  const [time, tokens, cost] = differenceCells(a, b);
  return `A ${duration(a.ms)}, B ${duration(b.ms)} (${time}) · ${tokens} tokens · ${cost}`;
}

/** The status, time, tokens and cost of the two compared trees. */
function Totals({ compared: { a, b } }: { compared: Compared }) {
  return (
    <table className="text-xs tabular-nums">
      <caption className="sr-only">Totals of both runs</caption>
      <thead className="text-muted">
        <tr>
          {["Run", ...COMPARISON_COLUMNS].map((name) => (
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
  return (
    <tr>
      <th scope="row" className="px-2 text-left">
        {name}
      </th>
      {[...factCells(facts), String(facts.runs)].map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their column
        <td key={index} className="px-2">
          {cell}
        </td>
      ))}
    </tr>
  );
}

type Row = Compared["nodes"][number]["rows"][number];

interface StepRowProps {
  row: Row;
  isFirst: boolean;
  place: Ref<HTMLLIElement> | undefined;
}

/** One step of the two runs, side by side. On a phone run A is above run B. */
function StepRow({ row: { a, b, same }, isFirst, place }: StepRowProps) {
  return (
    <li
      ref={place}
      className={classNames("rounded-md", isFirst && "outline-2 outline-warn")}
      data-testid={isFirst ? "first-divergence" : undefined}
    >
      {isFirst && (
        <p className="px-2 py-1">
          <Badge tone="warn">First divergence</Badge>
        </p>
      )}
      <div className="grid gap-1 md:grid-cols-2">
        <StepCell side="A" step={a} same={same} />
        <StepCell side="B" step={b} same={same} />
      </div>
    </li>
  );
}

function StepCell({ side, step, same }: { side: "A" | "B"; step: Row["a"]; same: boolean }) {
  if (!step)
    return (
      <p className="rounded-md border border-line border-dashed px-2 py-1 text-muted text-xs">
        {side}: no step here
      </p>
    );
  const hasOutcome = step.kind === "call" || step.kind === "child";
  return (
    <div
      className={classNames(
        "min-w-0 rounded-md border px-2 py-1 text-sm",
        same ? "border-line text-muted max-md:odd:hidden" : "border-edge bg-surface",
      )}
    >
      <p className="flex min-w-0 items-baseline gap-2">
        <VisibleText text={step.title} className="min-w-0 flex-1 [overflow-wrap:anywhere]" />
        {!same && <span className="shrink-0 text-warn text-xs">≠ {side}</span>}
        <a
          href={`/r/${step.runId}#${step.seq}`}
          className="inline-flex min-h-10 shrink-0 items-center text-accent text-xs hover:underline md:min-h-5"
        >
          #{step.seq}
        </a>
      </p>
      {hasOutcome && step.detail !== "" && (
        <p className="line-clamp-2 font-mono text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={step.detail} />
        </p>
      )}
      {step.recorded && <p className="text-info text-xs">Not run again: this is the recorded result</p>}
    </div>
  );
}
