// What is shown of a run, as it stands in the address (U16).

export const RUN_VIEWS = ["timeline", "waterfall", "conversation"] as const;
export type RunView = (typeof RUN_VIEWS)[number];

export interface RunSearch {
  view?: RunView;
}

export function runSearch(search: Record<string, unknown>): RunSearch {
  const view = RUN_VIEWS.find((each) => each === search["view"]);
  return view === undefined ? {} : { view };
}
