import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { plural } from "../../../../src/projections/words/format.ts";
import { useRefusal } from "../../live/me.ts";
import { grantsQuery, suggestionsQuery } from "../../live/queries.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { GrantList } from "./grant-list.tsx";

export interface GrantsDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function GrantsDialog(props: GrantsDialogProps) {
  const grants = useQuery({ ...grantsQuery, enabled: props.open, staleTime: 0 });
  return (
    <Dialog
      {...props}
      title="Allowed without asking"
      description="You granted these with an approval. Once you revoke one, the next such call asks again."
    >
      <div className="min-h-16 overflow-y-auto p-4">
        {grants.data?.length === 0 && <p className="text-muted text-sm">You have granted nothing yet.</p>}
        {grants.data && grants.data.length > 0 && <GrantList grants={grants.data} />}
      </div>
      <SuggestedRules enabled={props.open} />
    </Dialog>
  );
}

/** After several similar approvals, an admin is pointed to a rule that would make the next ones unnecessary. */
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
      would save you approvals that you always give.
    </p>
  );
}
