import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { runsQuery } from "../../live/queries.ts";
import { type RunsSearch, toFilter } from "./filter.ts";

const PAGE = 100;
/** Maximum number of rows in a sorted list. A sorted list has only one page. */
const WHOLE = 500;

export interface Runs {
  rows: readonly ListedRun[];
  /** Identifies the list of these rows. While a new search loads, it still identifies the previous list. */
  about: string;
  state: "pending" | "error" | "success";
  error: unknown;
  isMore: boolean;
  more(): void;
  again(): void;
}

/** The runs that match a search, page by page. The previous results stay visible while a new search loads. */
export function useRuns(search: RunsSearch): Runs {
  const filter = toFilter(search, Date.now());
  const { data, status, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isPlaceholderData } =
    useInfiniteQuery({
      ...runsQuery({ ...filter, limit: filter.order ? WHOLE : PAGE }),
      placeholderData: (before) => before,
    });
  const wanted = JSON.stringify(search);
  const about = useRef(wanted);
  if (!isPlaceholderData) about.current = wanted;
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  return {
    about: about.current,
    rows: data?.pages.flatMap((page) => page.runs) ?? [],
    state: status,
    error,
    isMore: hasNextPage,
    more,
    again: () => void refetch(),
  };
}
