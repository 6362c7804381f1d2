// Renders a tree of runs as one HTML file that people can open offline (U52).
// The file contains the runs, their timelines, and the journal itself, so that readers can verify the file.
//  1  Text from models, tools and people is shown as plain text (A63), never as links or images.
//     Text is escaped, and hidden characters become visible.
//  2  The page sends no requests and runs no script. Its security policy allows only one style sheet, identified by the sheet's hash.
//  3  The last line is a checksum of everything before that line.

import { createHash } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { revealHidden } from "../../journal/visible.ts";
import { applyRunRow, initialRow, type RunRow } from "../../projections/folds/run-row.ts";
import { fold } from "../../projections/projection.ts";
import { type TimelineEntry, timelineProjection } from "../../projections/views/timeline.ts";
import { describeCost, describeTokens, duration, plural } from "../../projections/words/format.ts";
import { escapeHtml } from "./escape-html.ts";

export interface TreePage {
  root: string;
  version: string;
  events: readonly { event: JournalEvent; hash: string }[];
}

interface RunPart {
  row: RunRow;
  entries: readonly TimelineEntry[];
  /** Hash of the last event in the run's hash chain. */
  hash: string;
}

/** Renders the page. `journal` is the text that `cadre export --format jsonl` writes. */
export function treePage({ root, version, events }: TreePage, journal: string): string {
  const runs = runParts(events);
  const top = runs.get(root)!;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${sha(PAGE_STYLE, "base64")}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${words(`${top.row.agent}: ${top.row.task}`.slice(0, 120))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${headOf(top.row, runs.size, version)}
${runs.size > 1 ? `<nav aria-label="Runs"><ul>${treeOf(root, runs)}</ul></nav>` : ""}
${[...runs.values()].map(runSection).join("\n")}
<footer>
<p>${events.length} events. <code>cadre verify</code> checks this file: each event against the chain of its run, and the page against its sum.</p>
<table><tbody>${[...runs.values()].map(sumRow).join("")}</tbody></table>
</footer>
</main>
${JOURNAL_BEGIN}${escapeHtml(journal)}${JOURNAL_END}
</body>
</html>
`;
  return `${page}${SUM_BEGIN}${sha(page, "hex")} -->\n`;
}

/** Extracts the journal from a page. Throws if the checksum does not match. */
export function journalOfPage(html: string): string {
  const at = html.lastIndexOf(SUM_BEGIN);
  const page = html.slice(0, at);
  if (at < 0 || html.slice(at).trim() !== `${SUM_BEGIN}${sha(page, "hex")} -->`)
    throw new CadreError(
      "JOURNAL_CORRUPT",
      "The page is damaged or cut off: its checksum does not match. Use another copy.",
    );
  const begin = page.lastIndexOf(JOURNAL_BEGIN);
  const end = page.lastIndexOf(JOURNAL_END);
  return unescapeHtml(page.slice(begin + JOURNAL_BEGIN.length, end));
}

export const isPage = (text: string): boolean => /^\s*<!doctype html>/i.test(text);

const JOURNAL_BEGIN = '<pre hidden id="journal">';
const JOURNAL_END = "</pre>";
const SUM_BEGIN = "<!-- sha256 of everything before this line: ";

const sha = (text: string, as: "hex" | "base64"): string => createHash("sha256").update(text).digest(as);

const words = (text: string): string => escapeHtml(revealHidden(text));

/** Computes the row and the timeline of each run. The runs are sorted by start time. */
function runParts(events: TreePage["events"]): Map<string, RunPart> {
  const journals = Map.groupBy(events, ({ event }) => event.runId);
  return new Map(
    Array.from(journals, ([runId, journal]) => {
      const [first, ...rest] = journal.map(({ event }) => event);
      if (first?.type !== "RUN_STARTED")
        throw new CadreError(
          "INTERNAL",
          `The journal of run ${runId} does not begin with its start, so it is not exported. \`cadre verify ${runId}\` says more.`,
        );
      const row = rest.reduce(applyRunRow, initialRow(runId, first.payload, first.ts));
      const { entries } = fold(timelineProjection, [first, ...rest]);
      return [runId, { row, entries, hash: journal.at(-1)!.hash }];
    }),
  );
}

function headOf(row: RunRow, runs: number, version: string): string {
  return `<header>
<p class="quiet">Cadre ${words(version)}, run <code>${words(row.id)}</code></p>
<h1>${words(row.task)}</h1>
<p>${badge(row)} <strong>${words(row.agent)}</strong> · ${plural(runs, "run")} · ${time(row.createdAt)}${row.endedAt === undefined ? "" : ` · ${duration(row.endedAt - row.createdAt)}`}</p>
${row.summary === undefined ? "" : `<p class="summary">${words(row.summary)}</p>`}
</header>`;
}

function treeOf(runId: string, runs: ReadonlyMap<string, RunPart>): string {
  const { row } = runs.get(runId)!;
  const below = [...runs.values()].filter((part) => part.row.parentRunId === runId);
  const children =
    below.length === 0 ? "" : `<ul>${below.map((part) => treeOf(part.row.id, runs)).join("")}</ul>`;
  return `<li>${badge(row)} <a href="#${words(row.id)}">${words(row.agent)}</a> <span class="quiet">${words(row.task.slice(0, 120))}</span>${children}</li>`;
}

function runSection({ row, entries }: RunPart): string {
  const spent = `${describeTokens(row.usage)}, ${describeCost(row.usage)}`;
  return `<details class="run" id="${words(row.id)}" open>
<summary>${badge(row)} <strong>${words(row.agent)}</strong> <span class="quiet">${words(row.task.slice(0, 200))}</span></summary>
<p class="quiet"><code>${words(row.id)}</code> · ${time(row.createdAt)} · ${plural(row.turns, "turn")} · ${spent}</p>
<ol>${entries.map(line).join("")}</ol>
</details>`;
}

function line({ seq, ts, title, detail, tone, kind }: TimelineEntry): string {
  const head = `<span class="seq">${seq}</span><time>${clock(ts)}</time><span class="title">${words(title)}</span>`;
  const content =
    detail === undefined
      ? `<div>${head}</div>`
      : `<details><summary>${head}</summary><pre>${words(detail)}</pre></details>`;
  return `<li class="${tone} ${kind}">${content}</li>`;
}

const badge = ({ status }: RunRow): string => `<span class="badge ${status}">${status}</span>`;

const time = (ts: number): string => new Date(ts).toISOString().replace("T", " ").slice(0, 19);
const clock = (ts: number): string => time(ts).slice(11);

const sumRow = ({ row, hash }: RunPart): string =>
  `<tr><td>${words(row.agent)}</td><td><code>${words(row.id)}</code></td><td>${row.seq}</td><td><code>${hash}</code></td></tr>`;

const CHARACTERS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => CHARACTERS[name]!);

/** The only style sheet of an exported page. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c1c22, #e8e8ee); --quiet: light-dark(#5d5d6b, #a3a3b2);
  --page: light-dark(#f7f7f9, #15151a); --card: light-dark(#ffffff, #1d1d24); --line: light-dark(#dfdfe6, #33333f);
  --good: light-dark(#116b3c, #6fd69b); --bad: light-dark(#b01e2d, #ff8b94); --warn: light-dark(#8a5300, #f0b860); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 24px; line-height: 1.25; margin: 4px 0 8px; overflow-wrap: anywhere; white-space: pre-wrap; }
p { margin: 6px 0; }
.quiet, time, .seq { color: var(--quiet); }
.summary { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line); padding-left: 12px; }
code, pre, .seq, time { font-family: ui-monospace, monospace; font-size: 13px; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 999px; padding: 0 8px; font-size: 12px; line-height: 18px; }
.completed { color: var(--good); } .failed { color: var(--bad); } .suspended, .waiting { color: var(--warn); } .cancelled { color: var(--quiet); }
nav, .run, footer { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin-top: 16px; padding: 12px 16px; }
nav ul { list-style: none; margin: 0; padding-left: 20px; } nav > ul { padding-left: 0; }
a { color: inherit; }
summary { cursor: pointer; overflow-wrap: anywhere; }
ol { list-style: none; margin: 8px 0 0; padding: 0; }
ol > li { border-top: 1px solid var(--line); padding: 5px 0; }
ol > li > div, ol > li > details > summary { display: grid; grid-template-columns: 16px 36px 84px 1fr; overflow-wrap: anywhere; }
ol > li > div::before { content: ""; } ol summary::before { content: "▸"; color: var(--quiet); } ol details[open] > summary::before { content: "▾"; }
.seq { text-align: right; padding-right: 10px; } .seq, time { line-height: 23px; }
li.good .title { color: var(--good); }
li.bad .title { color: var(--bad); }
li.warn .title { color: var(--warn); }
li.quiet .title { color: var(--quiet); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
  padding: 8px 12px; margin: 6px 0 6px 136px; max-height: 480px; overflow: auto; }
footer { font-size: 13px; } table { border-collapse: collapse; display: block; overflow-x: auto; } td { padding: 2px 16px 2px 0; white-space: nowrap; }
@media print { body { background: none; } pre { max-height: none; } }
`;
