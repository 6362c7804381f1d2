// U25: permissions that people granted for longer than one call, each with a button that revokes it.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GrantView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { GrantRule } from "../../display/grant-rule.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { grantsQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";

export function GrantList({ grants }: { grants: readonly GrantView[] }) {
  return (
    <ul className="w-full divide-y divide-line rounded-md border border-line">
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
    </ul>
  );
}

function GrantRow({ grant: { id, rule, scope, folder, by, at, until, runId } }: { grant: GrantView }) {
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => client.delete("/api/grants/{id}", { id }),
    onSettled: () => queries.invalidateQueries(grantsQuery),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-0 flex-1">
        <GrantRule rule={rule} />
        <p className="mt-1 flex flex-wrap gap-x-2 text-muted text-xs">
          <Badge tone={scope === "always" ? "warn" : "muted"}>
            {scope === "always" ? "always" : "until its tree ends"}
          </Badge>
          <span>
            granted by <VisibleText text={by} />, <When ts={at} />
          </span>
          {until !== undefined && <span>expires {fullTime(until)}</span>}
          {folder !== undefined && (
            <span className="truncate">
              in <VisibleText text={folder} />
            </span>
          )}
          <Link to="/r/$runId" params={{ runId }} className="text-accent underline">
            run
          </Link>
        </p>
        <Problem text={revoking.isError ? messageOf(revoking.error) : undefined} />
      </div>
      <Button
        size="small"
        look="danger"
        className="max-md:h-10"
        aria-label={`Revoke ${rule}`}
        disabled={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        Revoke
      </Button>
    </li>
  );
}
