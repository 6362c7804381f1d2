// S4-58: an earlier run of the conversation: the task, the final message, and one line about effort and cost. The steps
// in between load on demand.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { RunSummary } from "../../../../src/api/client/types.ts";
import { duration, money, plural } from "../../../../src/projections/words/format.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Failure, Loading } from "../../display/page-state.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { runQuery } from "../../live/queries.ts";
import { useTreeJournal } from "../../live/tree-journal.ts";
import { Button } from "../../ui/button.tsx";
import { RunMessages } from "../conversation/run-messages.tsx";

export function PastRun({ run }: { run: RunSummary }) {
  const [open, setOpen] = useState(false);
  if (open) return <WholeRun run={run} onClose={() => setOpen(false)} />;
  return (
    <article aria-label={`Run of ${run.agent}`} className="space-y-3">
      <p className="ml-auto w-fit max-w-[85%] whitespace-pre-wrap rounded-lg bg-accent-soft px-3 py-2">
        <VisibleText text={run.task} />
      </p>
      <FinalMessage run={run} />
      <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
        <StatusBadge run={run} />
        {activity(run)}
        <Button look="quiet" size="small" onClick={() => setOpen(true)}>
          Show the steps
        </Button>
        <Link to="/r/$runId" params={{ runId: run.id }} className="underline">
          Open the run
        </Link>
      </p>
    </article>
  );
}

function FinalMessage({ run }: { run: RunSummary }) {
  const detail = useQuery(runQuery(run.id));
  const output = detail.data?.output;
  const text = typeof output === "string" && output !== "" ? output : (run.summary ?? "");
  return <Markdown text={text} />;
}

function WholeRun({ run, onClose }: { run: RunSummary; onClose(): void }) {
  const journal = useTreeJournal(run.rootRunId);
  return (
    <article aria-label={`Run of ${run.agent}`}>
      <Button look="quiet" size="small" onClick={onClose}>
        Hide the steps
      </Button>
      {journal?.failure ? (
        <Failure error={journal.failure} />
      ) : journal?.loaded ? (
        <RunMessages journal={journal} runId={run.id} />
      ) : (
        <Loading what="Loading the journal" />
      )}
    </article>
  );
}

function activity({ turns, usage, createdAt, endedAt }: RunSummary): string {
  const parts = [
    endedAt === undefined ? "" : duration(endedAt - createdAt),
    plural(turns, "turn"),
    usage.toolCalls > 0 ? plural(usage.toolCalls, "tool call") : "",
    money(usage.cost, usage.unpriced),
  ];
  return parts.filter(Boolean).join(" · ");
}
