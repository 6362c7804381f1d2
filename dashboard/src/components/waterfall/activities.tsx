// Each activity has a colour, a pattern and a word, so readers do not depend on colours.

import { ACTIVITIES, type Activity } from "../../../../src/projections/views/waterfall.ts";
import { useNarrow } from "../../ui/use-media.ts";

interface ActivityWords {
  label: string;
  /** The phrase in the summary, as in `71 % waiting for a person`. */
  share: string;
}

const waiting = (what: string): ActivityWords => ({
  label: `Waiting for ${what}`,
  share: `waiting for ${what}`,
});

export const ACTIVITY_WORDS: Record<Activity, ActivityWords> = {
  model: { label: "Model", share: "in models" },
  tool: { label: "Tool", share: "in tools" },
  person: waiting("a person"),
  provider: waiting("the provider"),
  child: waiting("children"),
  timer: waiting("a timer"),
  queued: { label: "Queued", share: "queued" },
  lost: { label: "Lost in a crash", share: "lost in a crash" },
};

/** The fill of an activity's bars; see `BarPatterns`. */
export const fillOf = (activity: Activity): string => `url(#w-${activity})`;

/** Explains the bars. On a phone the legend starts collapsed, to leave room for the bars. */
export function Legend() {
  const narrow = useNarrow();
  if (!narrow) return <Marks />;
  return (
    <details>
      <summary className="flex min-h-10 cursor-pointer items-center px-3 text-accent text-xs">
        What the bars mean
      </summary>
      <Marks />
    </details>
  );
}

function Marks() {
  return (
    <ul
      aria-label="What the bars mean"
      className="flex flex-wrap gap-x-3 gap-y-1 px-3 py-1.5 text-muted text-xs md:px-4"
    >
      {ACTIVITIES.map((activity) => (
        <li key={activity} className="flex items-center gap-1.5">
          <svg width="18" height="12" viewBox="0 4 18 12" aria-hidden>
            <rect y="4" width="18" height="12" fill={fillOf(activity)} />
          </svg>
          {ACTIVITY_WORDS[activity].label}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <svg width="18" height="10" aria-hidden>
          <rect y="3" width="18" height="3" className="fill-ink" />
        </svg>
        Critical path
      </li>
    </ul>
  );
}

/** The SVG fill patterns of the bars, defined once per page. */
export function BarPatterns() {
  return (
    <svg width="0" height="0" aria-hidden className="absolute">
      <defs>
        <pattern id="w-model" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="fill-accent" />
        </pattern>
        <pattern id="w-tool" width="4" height="8" patternUnits="userSpaceOnUse">
          <rect width="4" height="8" className="fill-good-soft" />
          <rect width="2" height="8" className="fill-good" />
        </pattern>
        <pattern id="w-person" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="fill-warn-soft" />
          <path d="M-2 2 2 -2M0 8 8 0M6 10 10 6" className="stroke-2 stroke-warn" />
        </pattern>
        <pattern id="w-provider" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" className="fill-info-soft" />
          <circle cx="3" cy="3" r="1.5" className="fill-info" />
        </pattern>
        <pattern id="w-child" width="12" height="12" y="4" patternUnits="userSpaceOnUse">
          <rect width="12" height="12" className="fill-child-soft" />
          <path d="M0 6H12" className="stroke-2 stroke-child" />
        </pattern>
        <pattern id="w-timer" width="8" height="12" y="4" patternUnits="userSpaceOnUse">
          <rect width="8" height="12" className="fill-raised" />
          <path d="M0 6H4" className="stroke-2 stroke-muted" />
        </pattern>
        <pattern id="w-queued" width="6" height="12" y="4" patternUnits="userSpaceOnUse">
          <rect width="6" height="12" className="fill-raised" />
          <path d="M0 .5H3M0 11.5H3" className="stroke-edge" />
        </pattern>
        <pattern id="w-lost" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="fill-bad-soft" />
          <path d="M0 0 8 8M8 0 0 8" className="stroke-bad" />
        </pattern>
      </defs>
    </svg>
  );
}
