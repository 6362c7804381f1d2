// Sums up a run: its result and cost, the files it changed, what it waits for, and which commands continue it.

import type { ApprovalView, Health, RunDetail, RunTree } from "../../api/client/types.ts";
import { isAnswered } from "../../projections/folds/approvals.ts";
import { ITEM_LABELS } from "../../projections/words/decisions.ts";
import { describeCost, describeTokens, duration, plural } from "../../projections/words/format.ts";
import {
  capitalize,
  type ShownStatus,
  STATUS_LABELS,
  type StatusLabel,
  shownStatus,
} from "../../projections/words/statuses.ts";
import { stopLabel } from "../../projections/words/stop-reasons.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { answerCommands, itemTitle, previewLines } from "./approval.ts";
import { radiusLine } from "./blast-radius.ts";
import { driverCommands, noDriverText } from "./drivers.ts";
import type { Paint, Screen } from "./screen.ts";
import { allNodes } from "./text/branches.ts";
import { fitLines, type Page } from "./text/fit.ts";
import { plain, plainLine } from "./text/plain.ts";
import { wrapText } from "./text/word-wrap.ts";

const COLOURS: Record<StatusLabel["tone"], Parameters<Paint>[0]> = {
  good: "green",
  bad: "red",
  warn: "yellow",
  info: "cyan",
  muted: "dim",
};

export function statusWord(status: ShownStatus, paint: Paint): string {
  const { label, tone } = STATUS_LABELS[status];
  return paint(COLOURS[tone], capitalize(label));
}

export interface SummaryOptions {
  /** Text that the screen already shows. The summary does not repeat it. */
  said?: string;
  status?: ShownStatus;
}

export function summaryLines(
  run: RunDetail,
  screen: Screen,
  { said = "", status = shownStatus(run) }: SummaryOptions = {},
): string[] {
  const { paint } = screen;
  const text = (words: string): string => (screen.rich ? wrapText(words, screen.columns) : words);
  const { result } = run;
  const summary = (run.summary ?? "").trim();
  const isSaidByWord = run.stopReason === "final_answer" || status === run.stopReason;
  const why = run.stopReason === undefined || isSaidByWord ? "" : ` (${stopLabel(run.stopReason)})`;
  const head = `${paint("bold", statusWord(status, paint))}${why}`;
  const isSaid = summary === said.trim() || summary === "";
  return [
    "",
    head,
    ...(isSaid ? [] : block(summary, text)),
    ...block(result?.details, text),
    ...(run.output === undefined ? [] : block(JSON.stringify(run.output, null, 2), text)),
    ...(result?.warnings ?? []).map((warning) => paint("yellow", text(`warning: ${plainLine(warning)}`))),
    ...(result?.suggestions ?? []).map((suggestion) => text(`next: ${plainLine(suggestion)}`)),
    ...fitLines([...causeLines(run), ...filesLines(run), ...testLines(run)], screen),
    ...fitLines([spent(run), ...treeSpent(run)], screen).map((line) => paint("dim", line)),
  ];
}

export const showAgainLine = (runId: string, commandLine: CommandLine, paint: Paint): string =>
  paint("dim", `look again: ${commandLine(`show ${runId}`)}`);

type Store = Pick<Health, "isShared">;

export const resumesLaterText = (store: Store, commandLine: CommandLine): string =>
  `${capitalize(noDriverText(store))}: unfinished runs continue at the next ${rewriteCommands(driverCommands(store), commandLine)}.`;

export const endsLaterText = (id: string, store: Store, commandLine: CommandLine): string =>
  `${capitalize(noDriverText(store))}: cancelled runs end at the next ${rewriteCommands(driverCommands(store), commandLine)}, or now: ${commandLine(`cancel ${id}`)}`;

/** Lists the commands that help with a failed or cancelled run. `cadre why` names the same command. */
export function retryLines({ id, rootRunId, status }: RunDetail, commandLine: CommandLine): string[] {
  const retry = commandLine(`retry ${rootRunId}`);
  if (status === "cancelled") return [`Continue it in a new run: ${retry}`];
  if (status !== "failed") return [];
  return [`Why it failed: ${commandLine(`why ${id}`)}`, `Retry from where it failed: ${retry}`];
}

/** Lists the items that a person must answer before the run can continue, with the exact commands. */
export function neededLines(items: readonly ApprovalView[], commandLine: CommandLine, page: Page): string[] {
  const { paint } = page;
  return items.flatMap((item) => [
    "",
    `${paint("yellow", ITEM_LABELS[item.kind])}: ${askerOf(item)}${itemTitle(item)}`,
    ...wholeCommand(item, page),
    ...(item.choices === undefined ? [] : [`  answers: ${plainLine(item.choices.join(", "))}`]),
    ...(item.blastRadius ? [`  ${radiusLine(item.blastRadius, paint)}`] : []),
    ...answerCommands(item, commandLine).map((command) => `  ${command}`),
  ]);
}

/** All lines of a command that its title does not show as it is, because the title is one short line (A17). */
function wholeCommand(item: ApprovalView, page: Page): string[] {
  if (item.target?.kind !== "command") return [];
  const command = ((item.input ?? {}) as Record<string, unknown>)[item.target.field];
  return typeof command !== "string" || itemTitle(item).endsWith(`: ${command}`)
    ? []
    : previewLines(command, page);
}

/** Returns the path of the run that needs an answer. Returns an empty text for a root run. */
const askerOf = ({ path }: ApprovalView): string =>
  path.length > 1 ? `${plainLine(path.join(" › "))}: ` : "";

function spent(run: RunDetail): string {
  const { usage } = run;
  const wasted = usage.wastedCalls > 0 ? [`${plural(usage.wastedCalls, "model call")} wasted`] : [];
  return [
    plural(run.turns, "turn"),
    plural(run.seq, "event"),
    plural(usage.toolCalls, "tool call"),
    describeTokens(usage),
    describeCost(usage),
    duration(usage.activeMs),
    ...wasted,
  ].join(" · ");
}

/** Describes the usage of a run including all its descendants. */
function treeSpent({ children, treeUsage }: RunDetail): string[] {
  if (children.length === 0) return [];
  const { toolCalls, activeMs } = treeUsage;
  const facts = [
    plural(toolCalls, "tool call"),
    describeTokens(treeUsage),
    describeCost(treeUsage),
    duration(activeMs),
  ];
  return [`with all below it: ${facts.join(" · ")}`];
}

/** S1-66: names the descendant in which the failure began. */
function causeLines({ id, result }: RunDetail): string[] {
  const cause = result?.first_cause;
  if (!cause || cause.run_id === id) return [];
  return [`began in ${plainLine(cause.agent)}, run ${cause.run_id}: ${plainLine(cause.summary)}`];
}

function testLines({ result }: RunDetail): string[] {
  const { tests_run: run = null, tests_passed: passed = null } = result ?? {};
  return run === null ? [] : [`tests: ${run} run, ${passed ?? "?"} passed`];
}

function filesLines({ result }: RunDetail): string[] {
  const changed = [
    ...(result?.files_created ?? []).map((file) => `created ${plainLine(file)}`),
    ...(result?.files_modified ?? []).map((file) => `changed ${plainLine(file)}`),
  ];
  return changed.length === 0 ? [] : [`files: ${changed.join(", ")}`];
}

const block = (words: string | undefined, text: (words: string) => string): string[] =>
  words ? [text(plain(words.trim())), ""] : [];

/** Returns the status to show for each run, by run id. `open` must contain all open items of this tree. */
export function shownStatuses(
  tree: RunTree,
  { drives }: Pick<Health, "drives">,
  open: readonly ApprovalView[],
): Map<string, ShownStatus> {
  const runs = new Map(allNodes(tree).map((run) => [run.id, run]));
  const asking = new Set(open.map(({ runId }) => runId));
  const around = { hasOpenItem: (id: string) => asking.has(id), run: (id: string) => runs.get(id) };
  return new Map(
    [...runs.values()].map((run): [string, ShownStatus] => [
      run.id,
      shownStatus({ ...run, answered: isAnswered(run, around) }, drives),
    ]),
  );
}
