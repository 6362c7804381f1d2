import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { ReactNode } from "react";
import type { PastDecisionView } from "../../../../src/api/client/types.ts";
import { AgentName } from "../../display/agent/agent.tsx";
import { Failure, Loading } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { decisionsQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { DecisionFiltersProps } from "./decision-filters.tsx";
import { DECISION_WORDS } from "./decision-words.ts";
import type { DecisionsSearch } from "./decisions-search.ts";

type DecisionTableProps = Pick<DecisionFiltersProps, "search" | "onChange">;

const HEAD = [
  { label: "Call", className: "w-full" },
  { label: "Decision", className: "" },
  { label: "Person", className: "max-md:hidden" },
  { label: "Agent", className: "max-lg:hidden" },
  { label: "Rule that asked", className: "max-lg:hidden" },
  { label: "When", className: "text-right" },
];

export function DecisionTable({ search, onChange }: DecisionTableProps) {
  const found = useInfiniteQuery({ ...decisionsQuery(search), placeholderData: (before) => before });
  const { data, isError, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  if (isError && !data) return <Failure error={error} onAgain={() => void refetch()} />;
  if (!data) return <Loading what="Loading the decisions" />;
  const decisions = data.pages.flatMap((page) => page.decisions);
  if (decisions.length === 0 && !hasNextPage) return <NoDecisions search={search} />;
  return (
    <>
      <table aria-label="Decisions" className="w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-surface text-left text-muted text-xs shadow-[0_1px_0_var(--color-line)]">
          <tr>
            {HEAD.map(({ label, className }) => (
              <th key={label} scope="col" className={`h-8 whitespace-nowrap px-3 font-medium ${className}`}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {decisions.map((decision) => (
            <DecisionRow key={decision.id} decision={decision} onChange={onChange} />
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <div className="flex justify-center p-3">
          <Button className="max-md:h-10" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading…" : "Older decisions"}
          </Button>
        </div>
      )}
    </>
  );
}

function NoDecisions({ search }: { search: DecisionsSearch }) {
  const isFiltered = Object.keys(search).length > 0;
  return (
    <EmptyState
      icon={<History size={28} aria-hidden />}
      title={isFiltered ? "No matching decisions" : "No decisions yet"}
    >
      <p>
        {isFiltered
          ? "Change the search, or clear the filters."
          : "When a person approves, changes or rejects a call, it is listed here."}
      </p>
    </EmptyState>
  );
}

function DecisionRow({
  decision,
  onChange,
}: { decision: PastDecisionView } & Pick<DecisionTableProps, "onChange">) {
  const { runId, seq, title, tool, agent, by, at, rule, note, answer, grant, automatic } = decision;
  const { word, tone } = DECISION_WORDS[decision.decision];
  return (
    <tr className="border-line border-b align-top hover:bg-raised">
      <td className="max-w-0 px-3 py-2">
        <Link
          to="/r/$runId"
          params={{ runId }}
          hash={String(seq)}
          title={title}
          className="line-clamp-2 font-medium [overflow-wrap:anywhere] hover:underline"
        >
          <VisibleText text={title} />
        </Link>
        {(note ?? answer) !== undefined && (
          <p className="line-clamp-2 text-muted text-xs [overflow-wrap:anywhere]">
            “<VisibleText text={note ?? answer ?? ""} />”
          </p>
        )}
        <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-xs">
          {tool !== undefined && (
            <FilterButton label={`Only ${tool}`} onClick={() => onChange({ tool })}>
              <VisibleText text={tool} />
            </FilterButton>
          )}
          {grant !== undefined && (
            <span>
              and allowed <VisibleText text={grant} className="font-mono" />
            </span>
          )}
          <span className="md:hidden">
            <VisibleText text={by} />
          </span>
        </p>
      </td>
      <td className="px-3 py-2">
        <Badge tone={tone}>{word}</Badge>
      </td>
      <td className="whitespace-nowrap px-3 py-2 max-md:hidden">
        <FilterButton label={`Only decisions of ${by}`} onClick={() => onChange({ by })}>
          <VisibleText text={by} />
        </FilterButton>
        {automatic && <span className="block text-muted text-xs">with --yes</span>}
      </td>
      <td className="whitespace-nowrap px-3 py-2 max-lg:hidden">
        <FilterButton label={`Only decisions for ${agent}`} onClick={() => onChange({ agent })}>
          <AgentName agent={agent} />
        </FilterButton>
      </td>
      <td className="min-w-40 px-3 py-2 max-lg:hidden">
        {rule === undefined ? (
          <span className="text-muted">–</span>
        ) : (
          <FilterButton label={`Only decisions that ${rule} asked for`} onClick={() => onChange({ rule })}>
            <VisibleText text={rule} className="line-clamp-2 text-left text-xs [overflow-wrap:anywhere]" />
          </FilterButton>
        )}
      </td>
      <td className="whitespace-nowrap px-3 py-2 text-right text-muted text-xs">
        <When ts={at} />
      </td>
    </tr>
  );
}

interface FilterButtonProps {
  label: string;
  onClick(): void;
  children: ReactNode;
}

/** A value of the table. A click shows only the decisions with this value. */
const FilterButton = ({ label, onClick, children }: FilterButtonProps) => (
  <button type="button" title={label} className="rounded hover:text-accent hover:underline" onClick={onClick}>
    {children}
  </button>
);
