// U25: the list of permissions that people granted for more than one call. The settings and a dialog of the inbox show this list.
// Each permission has a button that revokes it.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GrantView } from "../../../../src/api/client/types.ts";
import { fullTime, plural } from "../../../../src/projections/words/format.ts";
import { GrantRule } from "../../display/grant-rule.tsx";
import { Loaded } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { grantsQuery, suggestionsQuery } from "../../live/queries.ts";
import { queryClient } from "../../live/query-client.ts";
import { useAction } from "../../live/use-action.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "../settings/settings-section.tsx";

export function GrantSettings() {
  // Fetches the list again, because people also grant permissions in the inbox and at the terminal.
  const grants = useQuery({ ...grantsQuery, refetchOnMount: "always" });
  return (
    <SettingsSection
      title="Grants"
      text="Calls that you have allowed more than once. After you revoke a grant, these calls need approval again."
    >
      <Loaded query={grants}>
        {(list) => (
          <GrantList
            grants={list}
            none="None: every call that needs approval asks. Choose “Always here” when you approve a call to add one."
          />
        )}
      </Loaded>
    </SettingsSection>
  );
}

/** The standing permissions beside the decision history. */
export function GrantPanel() {
  const grants = useQuery({ ...grantsQuery, refetchOnMount: "always" });
  return (
    <section aria-label="Allowed without asking" className="flex flex-col gap-2">
      <h2 className="font-semibold text-sm">Allowed without asking</h2>
      <Loaded query={grants}>
        {(list) => <GrantList grants={list} none="Nothing yet: every call that needs approval asks." />}
      </Loaded>
    </section>
  );
}

interface GrantsDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function GrantsDialog(props: GrantsDialogProps) {
  const grants = useQuery({ ...grantsQuery, enabled: props.open, staleTime: 0 });
  return (
    <Dialog
      {...props}
      title="Allowed without asking"
      description="You granted these when you approved a call. After you revoke one, its calls need approval again."
    >
      <div className="min-h-16 overflow-y-auto p-4">
        {grants.data && <GrantList grants={grants.data} none="You have granted nothing yet." />}
      </div>
      <SuggestedRules enabled={props.open} />
    </Dialog>
  );
}

/** After several similar approvals, an admin sees a link to a rule that makes further approvals unnecessary. */
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

function GrantList({ grants, none }: { grants: readonly GrantView[]; none: string }) {
  if (grants.length === 0) return <p className="text-muted text-sm">{none}</p>;
  return (
    <ul className="w-full divide-y divide-line rounded-md border border-line">
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
    </ul>
  );
}

function GrantRow({ grant: { id, rule, scope, folder, by, at, until, runId } }: { grant: GrantView }) {
  const { busy, problem, perform } = useAction();
  const revoke = async () => {
    await perform(() => client.delete("/api/grants/{id}", { id }));
    await queryClient.invalidateQueries(grantsQuery);
  };
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
        <Problem text={problem} />
      </div>
      <Button
        size="small"
        look="danger"
        className="max-md:h-10"
        aria-label={`Revoke ${rule}`}
        disabled={busy}
        onClick={() => void revoke()}
      >
        Revoke
      </Button>
    </li>
  );
}
