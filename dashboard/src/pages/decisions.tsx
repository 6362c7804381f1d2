// What people decided, with filters in the URL. Standing permissions and suggested rules are listed beside.

import { useNavigate, useSearch } from "@tanstack/react-router";
import { DecisionFilters } from "../components/decisions/decision-filters.tsx";
import { DecisionTable } from "../components/decisions/decision-table.tsx";
import { type DecisionsSearch, parseDecisionsSearch } from "../components/decisions/decisions-search.ts";
import { GrantPanel } from "../components/grants/grants.tsx";
import { SuggestionPanel } from "../components/grants/suggestion-list.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { useRefusal } from "../live/me.ts";

export function DecisionsPage() {
  const search = useSearch({ from: "/decisions" });
  const navigate = useNavigate({ from: "/decisions" });
  const isAdmin = useRefusal("admin") === undefined;
  const change = (next: Partial<Record<keyof DecisionsSearch, string>>) =>
    void navigate({ search: (now) => parseDecisionsSearch({ ...now, ...next }), replace: true });
  return (
    <>
      <PageHeader title="Decisions">
        <DecisionFilters search={search} onChange={change} onClear={() => void navigate({ search: {} })} />
      </PageHeader>
      <div className="flex min-h-0 flex-1 flex-col overflow-auto xl:flex-row xl:overflow-hidden">
        <div className="min-w-0 flex-1 xl:overflow-auto">
          <DecisionTable search={search} onChange={change} />
        </div>
        <aside
          aria-label="Permissions"
          className="flex shrink-0 flex-col gap-4 border-line p-4 max-xl:border-t xl:w-96 xl:overflow-auto xl:border-l"
        >
          {isAdmin && <SuggestionPanel />}
          <GrantPanel />
        </aside>
      </div>
    </>
  );
}
