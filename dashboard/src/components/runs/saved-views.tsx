// U03: links to the lists of runs that people open most often.

import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { VisibleText } from "../../display/visible-text.tsx";
import { runCountQuery } from "../../live/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { type RunsSearch, toFilter } from "./filter.ts";
import { useOwnViews } from "./own-views.ts";

interface SavedView {
  name: string;
  search: RunsSearch;
  /** Whether the link shows how many runs its list contains. */
  counted: boolean;
}

const SAVED_VIEWS: readonly SavedView[] = [
  { name: "All", search: {}, counted: false },
  { name: "Needs me", search: { waiting: "person" }, counted: true },
  { name: "Running", search: { status: ["pending", "running", "waiting"] }, counted: true },
  { name: "Failed today", search: { status: ["failed"], since: "today" }, counted: true },
  { name: "Unknown outcome", search: { waiting: "outcome_unknown" }, counted: true },
  { name: "Most expensive", search: { sort: "cost" }, counted: false },
];

const COUNTED = SAVED_VIEWS.filter(({ counted }) => counted);

const LOOK =
  "flex min-h-10 shrink-0 items-center gap-1.5 rounded-md px-2.5 text-muted text-sm hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent md:min-h-7";

export function SavedViews() {
  const own = useOwnViews();
  const counts = useQueries({
    queries: COUNTED.map((view) => runCountQuery(toFilter(view.search, Date.now()))),
  });
  return (
    <nav
      aria-label="Saved views"
      className="flex gap-1 overflow-x-auto md:min-w-0 md:flex-1 max-md:order-last max-md:-mx-2 max-md:basis-full"
    >
      {SAVED_VIEWS.map((view) => {
        const total = view.counted ? (counts[COUNTED.indexOf(view)]?.data ?? 0) : 0;
        return (
          <Link
            key={view.name}
            to="/"
            search={view.search}
            activeOptions={{ exact: true, includeSearch: true }}
            className={LOOK}
          >
            {view.name}
            {total > 0 && (
              <span className="rounded-full bg-raised px-1.5 font-medium text-2xs text-ink tabular-nums">
                {total}
              </span>
            )}
          </Link>
        );
      })}
      {own.views.map(({ name, search }) => (
        <span key={name} className="group flex shrink-0 items-center">
          <Link to="/" search={search} activeOptions={{ exact: true, includeSearch: true }} className={LOOK}>
            <VisibleText text={name} />
          </Link>
          <IconButton icon={X} label={`Delete the view ${name}`} onClick={() => own.remove(name)} />
        </span>
      ))}
    </nav>
  );
}
