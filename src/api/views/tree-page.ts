// A tree of runs as one page that opens anywhere, without a network (U52): who started whom, what happened, and below it
// the journal itself, so that the page can be checked.
//  1  Whatever models, tools and people wrote is text (A63): escaped, hidden characters spelled out, no links, no images.
//  2  The page asks nothing of anybody and runs nothing: its policy allows one style sheet, by its hash.
//  3  Its last line is a sum over all that stands before it.

import { createHash } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { revealHidden } from "../../journal/visible.ts";
import { applyRunRow, initialRow, type RunRow } from "../../projections/folds/run-row.ts";
import { fold } from "../../projections/projection.ts";
import { type TimelineEntry, timelineProjection } from "../../projections/views/timeline.ts";
import { describeCost, describeTokens, duration, plural } from "../../projections/words/format.ts";
import { PAGE_STYLE } from "../tree-page-style.ts";
import { escapeHtml } from "./escape-html.ts";

export interface TreePage {
  root: string;
  version: string;
  events: readonly { event: JournalEvent; hash: string }[];
}

interface RunPart {
  row: RunRow;
  entries: readonly TimelineEntry[];
  /** Of the end of its chain. */
  hash: string;
}

/** `journal`: the tree's own text, as `cadre export --format jsonl` writes it. */
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

/** The journal that stands in a page, if the page is whole. */
export function journalOfPage(html: string): string {
  const at = html.lastIndexOf(SUM_BEGIN);
  const page = html.slice(0, at);
  if (at < 0 || html.slice(at).trim() !== `${SUM_BEGIN}${sha(page, "hex")} -->`)
    throw new CadreError(
      "JOURNAL_CORRUPT",
      "The page is damaged or cut off: its sum does not match. Take another copy of it.",
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

/** Each run with its timeline, in the order in which they were started. */
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
  const said = `<span class="seq">${seq}</span><time>${clock(ts)}</time><span class="title">${words(title)}</span>`;
  const more =
    detail === undefined
      ? `<div>${said}</div>`
      : `<details><summary>${said}</summary><pre>${words(detail)}</pre></details>`;
  return `<li class="${tone} ${kind}">${more}</li>`;
}

const badge = ({ status }: RunRow): string => `<span class="badge ${status}">${status}</span>`;

const time = (ts: number): string => new Date(ts).toISOString().replace("T", " ").slice(0, 19);
const clock = (ts: number): string => time(ts).slice(11);

const sumRow = ({ row, hash }: RunPart): string =>
  `<tr><td>${words(row.agent)}</td><td><code>${words(row.id)}</code></td><td>${row.seq}</td><td><code>${hash}</code></td></tr>`;

const CHARACTERS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => CHARACTERS[name]!);
