import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { runsQuery } from "../../live/queries.ts";
import { toFilter } from "./filter.ts";
import type { RunsSearch } from "./runs-search.ts";

const PAGE = 100;
/** What is sorted comes on one page. */
const WHOLE = 500;

export interface Runs {
  rows: readonly ListedRun[];
  state: "pending" | "error" | "success";
  error: unknown;
  isMore: boolean;
  more(): void;
  again(): void;
}

/** What fits, page after page; while another search is asked for, what was found before stays in sight. */
export function useRuns(search: RunsSearch): Runs {
  const filter = toFilter(search, Date.now());
  const { data, status, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    ...runsQuery({ ...filter, limit: filter.order ? WHOLE : PAGE }),
    placeholderData: (before) => before,
  });
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  return {
    rows: data?.pages.flatMap((page) => page.runs) ?? [],
    state: status,
    error,
    isMore: hasNextPage,
    more,
    again: () => void refetch(),
  };
}
