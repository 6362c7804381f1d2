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
