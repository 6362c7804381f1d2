// Draws lines of a terminal session as an SVG that plays by itself. Readers who prefer less motion see its end.

export interface Line {
  /** Milliseconds, on any clock. */
  at: number;
  text: string;
}

const ROWS = 30;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.8;
const MARGIN = 14;
/** Pauses of the session are shortened, and none is shorter than this between two groups of lines. */
const PAUSE = { least: 350, most: 2_200 };
/** Time at the end, before the session plays again. */
const REST = 6_000;

export function sessionSvg(lines: readonly Line[], columns: number): string {
  const rows = wrapLines(shortenPauses(lines), columns);
  const total = rows.at(-1)!.at + REST;
  const height = ROWS * LINE_HEIGHT + 2 * MARGIN;
  const width = Math.round(columns * CHARACTER_WIDTH) + 2 * MARGIN;
  const lift = (shown: number): number => (ROWS - shown) * LINE_HEIGHT;
  const steps = rows.map(({ at }, i) => ({ at, shown: i + 1 })).filter(({ at }, i) => rows[i + 1]?.at !== at);
  const keyframes = steps.map(
    ({ at, shown }) => `${((at / total) * 100).toFixed(2)}%{transform:translateY(${lift(shown)}px)}`,
  );
  const texts = rows.map(
    ({ text }, i) =>
      `<text y="${(i + 1) * LINE_HEIGHT}"${text.startsWith("$ ") ? ' class="typed"' : ""}>${escapeXml(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>A run is killed while it asks for an approval, continues after the restart, and ends with green tests</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0;white-space:pre}
.typed{fill:#8bd49c;font-weight:600}
#lines{transform:translateY(${lift(rows.length)}px);animation:play ${(total / 1_000).toFixed(1)}s step-end infinite}
@keyframes play{0%{transform:translateY(${lift(1)}px)}${keyframes.join("")}}
@media (prefers-reduced-motion){#lines{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<clipPath id="screen"><rect width="${width - 2 * MARGIN}" height="${ROWS * LINE_HEIGHT + 6}"/></clipPath>
<g transform="translate(${MARGIN} ${MARGIN - 4})" clip-path="url(#screen)"><g id="lines">
${texts.join("\n")}
</g></g>
</svg>
`;
}

function shortenPauses(lines: readonly Line[]): Line[] {
  let now = 0;
  return lines.map(({ at, text }, i) => {
    const pause = i === 0 ? 0 : at - lines[i - 1]!.at;
    if (pause > 30 || text.startsWith("$ ")) now += Math.min(Math.max(pause, PAUSE.least), PAUSE.most);
    return { at: now, text };
  });
}

function wrapLines(lines: readonly Line[], columns: number): Line[] {
  return lines.flatMap(({ at, text }) => {
    const parts = text.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""];
    return parts.map((part) => ({ at, text: part }));
  });
}

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
