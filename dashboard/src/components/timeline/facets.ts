// U13: the event filters of a timeline.

import type { TimelineEntry, TimelineKind } from "../../../../src/projections/views/timeline.ts";

export const FACETS = ["failures", "tools", "approvals", "children", "model"] as const;
export type Facet = (typeof FACETS)[number];

export const FACET_LABELS: Record<Facet, string> = {
  failures: "Failures",
  tools: "Tools",
  approvals: "Approvals",
  children: "Children",
  model: "Model",
};

export type FacetCounts = Record<Facet, number>;
export const noFacets = (): FacetCounts => ({ failures: 0, tools: 0, approvals: 0, children: 0, model: 0 });

const OF_KIND: Partial<Record<TimelineKind, Facet>> = {
  tool: "tools",
  result: "tools",
  approval: "approvals",
  child: "children",
  model: "model",
  thought: "model",
};

export function entryFacets({ kind, tone }: TimelineEntry): Facet[] {
  const facet = OF_KIND[kind];
  return [...(tone === "bad" ? (["failures"] as const) : []), ...(facet === undefined ? [] : [facet])];
}

export const matchesFacets = (entry: TimelineEntry, show: readonly Facet[]): boolean =>
  show.length === 0 || entryFacets(entry).some((facet) => show.includes(facet));
