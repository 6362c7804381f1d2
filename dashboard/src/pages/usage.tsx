import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { omitUndefined } from "../../../src/omit-undefined.ts";
import { PageHeader } from "../components/shell/page-header.tsx";
import { rangeFilter } from "../components/usage/usage-range.ts";
import { UsageReport } from "../components/usage/usage-report.tsx";
import { UsageToolbar } from "../components/usage/usage-toolbar.tsx";
import { Loaded } from "../display/page-state.tsx";
import { usageQuery } from "../live/queries.ts";
import { parseUsageSearch } from "./search.ts";

export function UsagePage() {
  const { range = "7d", by = "agent", root } = useSearch({ from: "/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const filter = rangeFilter(range, Date.now());
  const usage = useQuery({
    ...usageQuery(omitUndefined({ ...filter, root })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Usage">
        <UsageToolbar
          key={root}
          range={range}
          root={root}
          onRoot={(next) => void navigate({ search: (now) => parseUsageSearch({ ...now, root: next }) })}
        />
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-auto p-3 md:p-4" aria-busy={usage.isFetching}>
        <Loaded query={usage} what="Loading usage">
          {(data) => (
            <UsageReport
              usage={data}
              since={filter.since}
              range={range}
              by={by}
              onBy={(next) =>
                void navigate({
                  search: (now) => parseUsageSearch({ ...now, by: next }),
                  resetScroll: false,
                })
              }
            />
          )}
        </Loaded>
      </div>
    </>
  );
}
