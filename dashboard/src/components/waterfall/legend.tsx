import { ACTIVITIES } from "../../../../src/projections/views/waterfall.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { LOOKS } from "./activities.ts";

/** Explains the bars. On a phone it is collapsed, to leave room for the bars. */
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
            <rect y="4" width="18" height="12" fill={LOOKS[activity].fill} />
          </svg>
          {LOOKS[activity].word}
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
