import { classNames } from "../../ui/class-names.ts";
import { FACET_LABELS, FACETS, type Facet, type FacetCounts } from "./facets.ts";

export interface FacetBarProps {
  counts: FacetCounts;
  show: readonly Facet[];
  onChange(show: Facet[]): void;
}

export function FacetBar({ counts, show, onChange }: FacetBarProps) {
  const toggle = (facet: Facet) =>
    onChange(show.includes(facet) ? show.filter((each) => each !== facet) : [...show, facet]);
  return (
    <fieldset className="flex min-w-0 items-center gap-1 overflow-x-auto">
      <legend className="sr-only">Show only</legend>
      {FACETS.map((facet) => (
        <button
          key={facet}
          type="button"
          aria-pressed={show.includes(facet)}
          onClick={() => toggle(facet)}
          className={classNames(
            "inline-flex h-10 shrink-0 items-center gap-1 rounded-full border px-2.5 text-xs md:h-6",
            show.includes(facet)
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-muted hover:bg-raised hover:text-ink",
          )}
        >
          {FACET_LABELS[facet]}
          <span
            className={classNames("tabular-nums", facet === "failures" && counts[facet] > 0 && "text-bad")}
          >
            {counts[facet]}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
