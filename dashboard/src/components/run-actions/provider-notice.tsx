// U45: a run waiting for its model provider: the reason, the attempt, the time left, and how many other runs wait. A
// button retries at once.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { plural } from "../../../../src/projections/words/format.ts";
import { Countdown } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { providerWaitsQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/run-journal.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { NoticeBar } from "./notice-bar.tsx";

export function ProviderNotice({ run: { row, events } }: { run: RunJournal }) {
  const { waitingOn, id, endedAt, cancelRequested } = row;
  const waits = waitingOn?.kind === "provider" && endedAt === undefined && !cancelRequested;
  const { data } = useQuery({ ...providerWaitsQuery, enabled: waits });
  const { busy, problem, perform } = useAction();
  if (!waits) return null;
  const last = events.findLast(({ type }) => type === "MODEL_CALL_STARTED" || type === "MODEL_CALL_FAILED");
  const attempt = last?.type === "MODEL_CALL_FAILED" ? (last.payload.attempt ?? 1) : 0;
  const others = Math.max(0, (data?.total ?? 1) - 1);
  return (
    <NoticeBar tone="warn">
      <span className="min-w-0 break-words">
        {attempt > 0 && `Attempt ${attempt} failed: `}
        <VisibleText text={waitingOn.detail ?? "The provider asked us to wait."} />
      </span>
      {waitingOn.until !== undefined && <Countdown until={waitingOn.until} />}
      {others > 0 && (
        <Link to="/settings" hash="provider" className="underline">
          {plural(others, "other run")} also waiting
        </Link>
      )}
      <Button
        size="small"
        className="max-md:h-10"
        disabled={busy}
        onClick={() => void perform(() => client.post("/api/runs/{id}/resume", { id }))}
      >
        <RotateCcw size={13} aria-hidden /> Retry now
      </Button>
      <Problem text={problem} />
    </NoticeBar>
  );
}
