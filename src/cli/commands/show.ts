// `cadre show RUN`: shows the status of a run, what happened in it, and the tree below it.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunDetail, RunTree } from "../../api/client/types.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { summarizeTodos } from "../../projections/folds/todos.ts";
import { fold } from "../../projections/projection.ts";
import { cacheLedger } from "../../projections/usage/cache-ledger.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import {
  describeForkOrigin,
  type TimelineEntry,
  timelineProjection,
} from "../../projections/views/timeline.ts";
import { mergeWaits } from "../../projections/views/waits-in-a-row.ts";
import { clockTime, duration, fullTime, shortCost, shortCount } from "../../projections/words/format.ts";
import { patternRole } from "../../projections/words/pattern-role.ts";
import { shownStatus } from "../../projections/words/statuses.ts";
import type { CommandLine } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report } from "../invocation.ts";
import { loadCards } from "../lookup/approvals.ts";
import { cardLines } from "../view/approval.ts";
import { cacheLines } from "../view/cache.ts";
import { paintEntry } from "../view/live/event-lines.ts";
import { modelLabel } from "../view/live/live-view.ts";
import { type Paint, type Screen, truncate, visibleWidth } from "../view/screen.ts";
import {
  endsLaterText,
  resumesLaterText,
  retryLines,
  shownStatuses,
  statusWord,
  summaryLines,
} from "../view/summary.ts";
import { branches } from "../view/text/branches.ts";
import { fitLine, fitLines, type Page } from "../view/text/fit.ts";
import { jsonLine, plain, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function show(
  invocation: Invocation,
  id: string,
  { events: all }: { events?: boolean },
): Promise<number> {
  const { json, screen, commandLine } = invocation;
  const found = await withClient(invocation, (client) => read(client, id, invocation.screen));
  const { run, tree, events, cards, statuses, health } = found;
  if (all) {
    for (const event of events) screen.line(json ? jsonLine(event) : eventLine(event));
    return EXIT.done;
  }
  const status = statuses.get(run.id);
  const next = [
    ...(status === "undriven" ? [resumesLaterText(health, commandLine)] : []),
    ...(status === "cancel_pending" ? [endsLaterText(run.id, health, commandLine)] : []),
    ...(run.waitingOn?.kind === "quarantine" ? [quarantineText(run, commandLine)] : []),
    ...retryLines(run, commandLine),
  ];
  return report(invocation, { ...run, tree, approvals: cards.map(({ item }) => item) }, [
    ...pageLines(found, invocation),
    ...fitLines(next, screen),
    ...cardLines(cards, commandLine, screen),
  ]);
}

const quarantineText = ({ id, waitingOn }: RunDetail, commandLine: CommandLine): string =>
  `Quarantined: ${plainLine(waitingOn?.detail ?? "it could not be driven.")} Why: ${commandLine(`why ${id}`)}`;

type Found = Awaited<ReturnType<typeof read>>;

/** Shows the run's path in the tree, what happened, the tree below the run, and its result. */
function pageLines({ run, tree, events, statuses }: Found, { screen, commandLine }: Invocation): string[] {
  const shown = new Map(withoutRepeats(events).map((event) => [event.seq, event]));
  const { entries } = fold(timelineProjection, [...shown.values()]);
  return [
    ...headLines(run, events, screen.paint),
    ...pathLines(run, events[0], { paint: screen.paint, commandLine }),
    ...fitLines([plain(run.task)], screen),
    "",
    ...mergeWaits(entries, (seq) => shown.get(seq)).flatMap((entry) => timelineLines(entry, screen)),
    ...(tree.children.length === 0 ? [] : ["", ...treeTable(tree, statuses, screen)]),
    ...todoLines(run, screen),
    ...summaryLines(run, screen, { status: statuses.get(run.id) ?? shownStatus(run) }),
    ...fitLines(cacheLines(cacheLedger([events])), screen).map((line) => screen.paint("dim", line)),
  ];
}

async function read(client: CadreClient, id: string, screen: Page) {
  const run = await client.get("/api/runs/{id}", { id });
  const [tree, events, open, health] = await Promise.all([
    client.get("/api/runs/{id}/tree", { id: run.id }),
    client.events(run.id),
    run.endedAt === undefined
      ? client.get("/api/approvals", { run: run.id }).then(({ approvals }) => approvals)
      : [],
    client.get("/api/health"),
  ]);
  const cards = await loadCards(client, open, screen);
  return { run, tree, events, cards, health, statuses: shownStatuses(tree, health, open) };
}

function eventLine({ seq, ts, type, payload }: JournalEvent): string {
  return plain(`${String(seq).padStart(4)}  ${clockTime(ts)}  ${type}  ${JSON.stringify(payload)}`);
}

function headLines(run: RunDetail, events: readonly JournalEvent[], paint: Paint): string[] {
  const models = events.flatMap((event) =>
    event.type === "MODEL_CALL_STARTED" ? [event.payload.model] : [],
  );
  const start = events[0]?.type === "RUN_STARTED" ? events[0].payload : undefined;
  const dim = [
    ...(run.worker === undefined ? [] : [`driven by ${plainLine(run.worker)}`]),
    ...[...new Set(models)].map((model) => `model ${modelLabel(model)}`),
    ...(start?.continues
      ? [describeForkOrigin(start).trim() || `continues run ${start.continues.runId}`]
      : []),
  ];
  return [
    `${paint("bold", plainLine(run.agent))} ${paint("dim", `· run ${run.id} · ${fullTime(run.createdAt)}`)}`,
    ...dim.map((line) => paint("dim", line)),
  ];
}

/** Shows the path of a child run from the root, and the command that shows its parent. */
function pathLines(
  { agent, parentRunId }: RunDetail,
  first: JournalEvent | undefined,
  { paint, commandLine }: { paint: Paint; commandLine: CommandLine },
): string[] {
  if (parentRunId === undefined || first?.type !== "RUN_STARTED") return [];
  const path = [...(first.payload.ancestors ?? []).map((above) => above.agent), agent];
  return [
    paint("dim", `path ${plainLine(path.join(" › "))}`),
    paint("dim", `started by: ${commandLine(`show ${parentRunId}`)}`),
  ];
}

function todoLines({ todos = [] }: RunDetail, page: Page): string[] {
  if (todos.length === 0) return [];
  const lines = todos.flatMap(({ content, status }) =>
    fitLine({ head: `  ${TODO_MARKS[status]} `, text: plainLine(content) }, page),
  );
  return ["", ...fitLines([`To do: ${plainLine(summarizeTodos(todos))}`], page), ...lines];
}

const TODO_MARKS = { completed: "✓", in_progress: "●", pending: "○" } as const;

/** Leaves out repeated suspensions: a run that waits for several children suspends again after each child ends. */
function withoutRepeats(events: readonly JournalEvent[]): JournalEvent[] {
  let last: string | undefined;
  return events.filter((event) => {
    if (event.type === "CHILD_RUN_COMPLETED") return true;
    const kind = event.type === "RUN_SUSPENDED" ? event.payload.waitingOn.kind : undefined;
    const isRepeated = kind !== undefined && BELOW.has(kind) && (kind === last || last === "child_hitl");
    if (!isRepeated) last = kind;
    return !isRepeated;
  });
}

const BELOW: ReadonlySet<string> = new Set(["child", "child_hitl"]);

function timelineLines(entry: TimelineEntry, page: Page): string[] {
  const head = `${page.paint("dim", clockTime(entry.ts))}  `;
  const line = fitLine({ head, text: paintEntry(entry, page.paint) }, page);
  // The details of a tool call also say whether the call ran as approved.
  if (entry.kind !== "tool" || entry.detail === undefined) return line;
  const under = " ".repeat(visibleWidth(head));
  return [...line, ...fitLine({ head: under, text: page.paint("dim", plainLine(entry.detail)) }, page)];
}

/** Shows the status, time and usage of each run, and its usage including all descendants. */
function treeTable(top: RunTree, statuses: Found["statuses"], { paint, rich, columns }: Screen): string[] {
  const now = Date.now();
  const drawn = branches(top);
  const head = ["", "time", "active", "tokens", "cost", "with all below"].map((word) => paint("dim", word));
  const rows = drawn.map(({ node, branch }) => [
    `${paint("dim", branch)}${paint("bold", plainLine(node.agent))}${paint("dim", roleText(node))}`,
    ...factsOf(node, now),
  ]);
  const [first, ...lines] = table([head, ...rows]);
  return [
    first!,
    ...drawn.flatMap(({ node, below }, index) => {
      const status = statusWord(statuses.get(node.id) ?? shownStatus(node), paint);
      const words = plainLine(node.summary ?? node.task);
      const room = rich ? columns - below.length - visibleWidth(status) - node.id.length - 7 : 200;
      return [
        lines[index]!,
        `${paint("dim", below)}${status}${paint("dim", ` · ${node.id} · ${truncate(words, Math.max(10, room))}`)}`,
      ];
    }),
  ];
}

function roleText(node: RunTree): string {
  const role = patternRole(node);
  return role === undefined ? "" : ` (${role})`;
}

function factsOf({ usage, treeUsage, children, createdAt, endedAt }: RunTree, now: number): string[] {
  const sum = children.length === 0 ? "" : `${shortCount(totalTokens(treeUsage))} · ${shortCost(treeUsage)}`;
  return [
    duration((endedAt ?? now) - createdAt),
    duration(usage.activeMs),
    shortCount(totalTokens(usage)),
    shortCost(usage),
    sum,
  ];
}
