// U25: what is allowed beyond one call, and one click that takes it back.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GrantView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import { When } from "../../display/time/when.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { fullTime } from "../../display/words.ts";
import { client } from "../../live/client.ts";
import { grantsQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { SettingsSection } from "../settings/settings-section.tsx";

export function GrantList() {
  // Grants are given in the inbox and by the terminal: what was asked before may be old.
  const grants = useQuery({ ...grantsQuery, refetchOnMount: "always" });
  return (
    <SettingsSection
      title="Grants"
      text="What you have allowed for longer than one call. Taken back, it is asked for again."
    >
      {grants.isPending && <Loading />}
      {grants.isError && <Failure error={grants.error} onAgain={() => void grants.refetch()} />}
      {grants.data?.length === 0 && (
        <p className="text-muted">
          None: every call that needs asking asks. “Always” on an approval adds one.
        </p>
      )}
      {grants.data && grants.data.length > 0 && (
        <ul className="w-full divide-y divide-line rounded-md border border-line">
          {grants.data.map((grant) => (
            <Grant key={grant.id} grant={grant} />
          ))}
        </ul>
      )}
    </SettingsSection>
  );
}

function Grant({ grant: { id, rule, scope, folder, by, at, until, runId } }: { grant: GrantView }) {
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => client.revokeGrant(id),
    onSettled: () => queries.invalidateQueries(grantsQuery),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-0 flex-1">
        <code className="break-all font-mono text-xs">
          <VisibleText text={rule} />
        </code>
        <p className="flex flex-wrap gap-x-2 text-muted text-xs">
          <Badge tone={scope === "always" ? "warn" : "muted"}>
            {scope === "always" ? "always" : "until its tree has ended"}
          </Badge>
          <span>
            by <VisibleText text={by} />, <When ts={at} />
          </span>
          {until !== undefined && <span>until {fullTime(until)}</span>}
          {folder !== undefined && (
            <span className="truncate">
              in <VisibleText text={folder} />
            </span>
          )}
          <Link to="/r/$runId" params={{ runId }} className="text-accent underline">
            run
          </Link>
        </p>
        {revoking.isError && (
          <p role="alert" className="text-bad">
            {messageOf(revoking.error)}
          </p>
        )}
      </div>
      <Button
        size="small"
        className="max-md:h-10"
        aria-label={`Take back ${rule}`}
        disabled={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        Take back
      </Button>
    </li>
  );
}
