import { EDGE_LOOKS, type EdgeKind } from "../edge-looks.ts";

/** Explains the line styles that occur in the graph. */
export function GraphLegend({ kinds }: { kinds: readonly EdgeKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <dl
      aria-label="What the lines mean"
      className="flex max-h-24 shrink-0 flex-wrap gap-x-5 gap-y-1 overflow-auto border-line border-t bg-surface px-4 py-2 text-2xs"
    >
      {(Object.keys(EDGE_LOOKS) as EdgeKind[])
        .filter((kind) => kinds.includes(kind))
        .map((kind) => {
          const { word, meaning, width, dash } = EDGE_LOOKS[kind];
          return (
            <div key={kind} className="flex items-center gap-1.5">
              <dt className="flex items-center gap-1.5">
                <svg width="28" height="8" aria-hidden="true" className="text-edge">
                  <line
                    x1="0"
                    y1="4"
                    x2="28"
                    y2="4"
                    stroke="currentColor"
                    strokeWidth={width}
                    strokeDasharray={dash}
                  />
                </svg>
                <span className="font-medium">{word}</span>
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          );
        })}
    </dl>
  );
}
