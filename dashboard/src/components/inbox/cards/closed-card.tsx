// U29: an item that is not open any more: who decided what, and when.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { parseApprovalId } from "../../../../../src/ids.ts";
import { Failure } from "../../../display/failure.tsx";
import { Loading } from "../../../display/loading.tsx";
import { When } from "../../../display/time/when.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Kbd } from "../../../ui/kbd.tsx";
import { summarizeDecision } from "./decided-words.ts";

export function ClosedCard({ id, onNext }: { id: string; onNext: (() => void) | undefined }) {
  const runId = parseApprovalId(id)?.runId ?? id;
  const words = useQuery({
    queryKey: ["decided", id],
    queryFn: async () => summarizeDecision(id, await client.events(runId)) ?? null,
  });
  if (words.isError) return <Failure error={words.error} onAgain={() => void words.refetch()} />;
  if (words.isPending) return <Loading what="Asking who decided" />;
  return (
    <div role="status">
      <EmptyState icon={<CircleCheck size={28} aria-hidden />} title="This waits no more">
        <p className="break-words">
          {words.data ? (
            <>
              <VisibleText text={words.data.text} /> (<When ts={words.data.ts} />)
            </>
          ) : (
            "Its run has ended, or asks for something else now."
          )}
        </p>
        <p className="flex flex-wrap justify-center gap-2">
          <Link to="/r/$runId" params={{ runId }} className="p-2 text-accent text-sm underline">
            The run
          </Link>
          {onNext && (
            <Button onClick={onNext} className="max-md:h-11">
              Next <Kbd>j</Kbd>
            </Button>
          )}
        </p>
      </EmptyState>
    </div>
  );
}
