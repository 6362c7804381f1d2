// U25: what is allowed beyond one call, by whom and until when; one click takes it back.

import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GrantView } from "../../../../src/api/client/types.ts";
import { GrantRule } from "../../display/grant-rule.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { fullTime, plural } from "../../display/words.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { grantsQuery, suggestionsQuery } from "../../live/queries.ts";
import { queryClient } from "../../live/query-client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

export interface GrantsDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function GrantsDialog(props: GrantsDialogProps) {
  const grants = useQuery({ ...grantsQuery, enabled: props.open, staleTime: 0 });
  return (
    <Dialog
      {...props}
      title="What is allowed without asking"
      description="Given with an approval. What is taken back is asked about again from the next call on."
    >
      <ul className="min-h-16 overflow-y-auto p-4">
        {grants.data?.length === 0 && <li className="text-muted text-sm">Nothing.</li>}
        {grants.data?.map((grant) => (
          <Grant key={grant.id} grant={grant} />
        ))}
      </ul>
      <SuggestedRules enabled={props.open} />
    </Dialog>
  );
}

/** After several yeses that are alike: there may be a rule that spares the next. */
function SuggestedRules({ enabled }: { enabled: boolean }) {
  const isAdmin = useRefusal("admin") === undefined;
  const found = useQuery({ ...suggestionsQuery, enabled: enabled && isAdmin, staleTime: 0 });
  const count = found.data?.suggestions.length ?? 0;
  if (count === 0) return null;
  return (
    <p className="border-line border-t px-4 py-3 text-sm">
      <Link to="/settings" className="text-accent underline max-md:inline-block max-md:py-2">
        {plural(count, "suggested rule")}
      </Link>{" "}
      would spare you questions that you have answered alike.
    </p>
  );
}

function Grant({ grant: { id, rule, scope, by, until } }: { grant: GrantView }) {
  const revoke = useMutation({
    mutationFn: () => client.revokeGrant(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["grants"] }),
  });
  return (
    <li className="flex items-center gap-3 border-line border-b py-2 last:border-0">
      <div className="min-w-0 flex-1">
        <GrantRule rule={rule} />
        <p className="mt-1 text-muted text-xs">
          {scope === "always" ? "Always here" : "In one run and below"}, by <VisibleText text={by} />
          {until !== undefined && `, until ${fullTime(until)}`}
        </p>
      </div>
      <Button
        size="small"
        look="danger"
        className="max-md:h-10"
        disabled={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Take back
      </Button>
    </li>
  );
}
