// Shows an open item. The text comes from the recorded call, never from the model's own description of the call (A17).
// The call is shown in full, because a person can only approve what they have seen.

import { diffLines } from "diff";
import type { ApprovalView, Probe } from "../../api/client/types.ts";
import { MERGE_CALL } from "../../projections/folds/tool-call.ts";
import { describeCall } from "../../projections/views/timeline.ts";
import { describeAskReason, ITEM_HEADLINES } from "../../projections/words/decisions.ts";
import { clockTime } from "../../projections/words/format.ts";
import { PROBE_WORDS } from "../../projections/words/tool-outcomes.ts";
import type { CommandLine } from "../command-line.ts";
import { radiusLines } from "./blast-radius.ts";
import { commandPartLines } from "./command-parts.ts";
import { type Paint, truncate } from "./screen.ts";
import { fitLine, fitLines, type Page } from "./text/fit.ts";
import { jsonLine, plain, plainLine } from "./text/plain.ts";

/** The run that needs the decision: its path of agents from the root, and its task. */
export interface Asker {
  path: readonly string[];
  task: string | undefined;
}

export function approvalLines(item: ApprovalView, page: Page, { path, task }: Asker): string[] {
  const { paint } = page;
  const who = plainLine(path.join(" › "));
  const again = item.round > 1 ? " again: what it depends on has changed" : "";
  const title = `${who} ${ITEM_HEADLINES[item.kind]}${again}`;
  const head = [
    paint(["bold", "yellow"], title),
    ...(task === undefined ? [] : [`works on: ${truncate(plainLine(task), LONGEST_TASK)}`]),
    ...facts(item).map((fact) => paint("dim", fact)),
  ];
  const parts = item.command ? commandPartLines(item.command, page) : [];
  const radius = radiusLines(item.blastRadius, page);
  return ["", ...fitLines(head, page), ...body(item, page), ...parts, ...radius, ""];
}

const LONGEST_TASK = 200;

/** Formats items for a person who is not at the prompt, with the run, the agent and the exact commands. */
export function cardLines(cards: readonly Card[], commandLine: CommandLine, page: Page): string[] {
  const single = cards.flatMap(({ item, task, stale }) => [
    ...approvalLines(item, page, { path: item.path, task }),
    ...stale,
    page.paint("dim", `run ${item.runId} · agent ${plainLine(item.agent)}`),
    ...[...answerCommands(item, commandLine), ...editCommands(item, commandLine)].map(
      (command) => `  ${command}`,
    ),
  ]);
  return [...single, ...treeAnswers(cards, commandLine)];
}

/** The commands that decide all unknown outcomes of a tree with one answer. */
function treeAnswers(cards: readonly Card[], commandLine: CommandLine): string[] {
  const outcomes = cards.filter(({ item }) => item.kind === "outcome");
  return [...Map.groupBy(outcomes, ({ item }) => item.rootRunId)].flatMap(([root, { length }]) =>
    length < 2
      ? []
      : [
          "",
          `${length} calls of one tree have an unknown outcome. One answer for all of them:`,
          `  ${commandLine(`outcome ${root} all happened|run_again|fail`)} --note "why"`,
        ],
  );
}

export interface Card {
  item: ApprovalView;
  task: string;
  /** Says that the diff is stale. Empty if it still holds. */
  stale: string[];
}

/** Shows the difference between the proposed and the edited input, before the call runs. */
export function editLines(before: unknown, after: unknown, page: Page): string[] {
  const { paint } = page;
  const text = (value: unknown): string => `${plain(JSON.stringify(value, null, 2) ?? "")}\n`;
  const lines = diffLines(text(before), text(after)).flatMap(({ value, added, removed }) => {
    const mark = added ? "+" : removed ? "-" : " ";
    return value
      .trimEnd()
      .split("\n")
      .flatMap((line) => bodyLine(diffLine(`${mark}${line}`, paint), page));
  });
  return [paint("bold", "It runs with this input:"), ...lines];
}

export function answerCommands(item: ApprovalView, commandLine: CommandLine): string[] {
  const id = item.id;
  switch (item.kind) {
    case "outcome":
      return [
        commandLine(`outcome ${item.runId} ${item.callId} happened|run_again|fail`),
        `${commandLine(`outcome ${item.runId} ${item.callId}`)}   # probes whether it took effect`,
      ];
    case "question":
      return [commandLine(`approve ${id} --answer "…"`), commandLine(`reject ${id}`)];
    case "budget":
      return [commandLine(`approve ${id} --max-tokens …`), commandLine(`reject ${id} --note "why"`)];
    default:
      return [commandLine(`approve ${id}`), commandLine(`reject ${id} --note "why"`)];
  }
}

/** Maximum length of a printed edit command. A longer command is shortened, so that the other commands stay on the screen. */
const LONGEST_EDIT = 300;

function editCommands({ id, kind, tool, input }: ApprovalView, commandLine: CommandLine): string[] {
  if (kind !== "tool" || tool === MERGE_CALL) return [];
  const json = jsonLine(input ?? {}).replaceAll("'", "'\\''");
  return [commandLine(`approve ${id} --edit '${json.length > LONGEST_EDIT ? "{ … }" : json}'`)];
}

export function itemTitle(item: ApprovalView): string {
  if (item.tool === undefined) return plainLine(item.detail ?? item.itemId);
  return plainLine(describeCall(item.tool, item.input));
}

function facts(item: ApprovalView): string[] {
  const { description, why } = (item.input ?? {}) as { description?: unknown; why?: unknown };
  const says = item.kind === "question" ? why : description;
  return [
    ...(item.tool === undefined ? [] : [`tool ${plainLine(item.tool)}`]),
    ...(item.rule === undefined ? [] : [`why it asks: ${plainLine(describeAskReason(item))}`]),
    ...(item.untrusted === undefined
      ? []
      : [`may be based on untrusted input from: ${plainLine(item.untrusted.join(", "))}`]),
    ...(typeof says === "string" ? [`agent says: ${plainLine(says)}`] : []),
    ...(item.choices === undefined ? [] : [`answers: ${plainLine(item.choices.join(", "))}`]),
    ...(item.asked === undefined ? [] : [plainLine(askedWords(item.asked))]),
    ...(item.expiresAt === undefined ? [] : [`open until ${clockTime(item.expiresAt)}`]),
    ...(item.kind === "outcome" ? [outcomeFact(item)] : []),
    ...(item.editedBy === undefined
      ? []
      : [`${plainLine(item.editedBy)} changed the input; this is what ran`]),
    ...(item.probe === undefined ? [] : probeLines(item.probe)),
  ];
}

const askedWords = ({ person, by, note, at }: NonNullable<ApprovalView["asked"]>): string =>
  `for ${person}, asked by ${by} at ${clockTime(at)}${note === undefined ? "" : `: ${note}`}`;

/** Warns that a worker that hangs or has lost its connection might still be running the call. Then `run_again` would run the call twice. */
function outcomeFact({ host, pid, requestedAt }: ApprovalView): string {
  const where = host === undefined ? "" : ` on ${plainLine(host)} (process ${pid})`;
  return `started at ${clockTime(requestedAt)}${where}, with no news since: check whether it took effect, and that it is not still running`;
}

function body(item: ApprovalView, page: Page): string[] {
  const text =
    item.preview ?? item.detail ?? (item.input === undefined ? "" : JSON.stringify(item.input, null, 2));
  return ["", ...previewLines(text, page)];
}

/** The lines of a preview, such as a diff or a command. A diff is coloured. */
export function previewLines(text: string, page: Page): string[] {
  const { paint } = page;
  const shown = plain(text)
    .replace(/^Index: .*\n=+\n/, "")
    .trimEnd()
    .replaceAll(/\n{4,}/g, (lines) => `\n⟦${lines.length - 1} empty lines⟧\n`);
  const lines = shown.split("\n");
  const diff = /^(---|\+\+\+|@@) /m.test(shown);
  const painted = lines.flatMap((line) => bodyLine(diff ? diffLine(line, paint) : line, page));
  return [
    ...painted,
    ...(lines.length > 40 ? [paint("dim", `(${lines.length} lines: scroll up to see all)`)] : []),
  ];
}

/** Marks continuation lines, so that they do not look like new lines of the call (A17). */
const bodyLine = (text: string, page: Page): string[] => fitLine({ head: "  ", text, next: "↪ " }, page);

function diffLine(line: string, paint: Paint): string {
  if (line.startsWith("+++") || line.startsWith("---")) return paint("bold", line);
  if (line.startsWith("+")) return paint("green", line);
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("@@") ? paint("cyan", line) : line;
}

/** Describes the result of a probe: what the probe suggests, and the evidence. */
export const probeLines = ({ found, evidence }: Probe): string[] => [
  `the probe suggests: ${PROBE_WORDS[found]}`,
  ...evidence.map((words) => `  ${plainLine(words)}`),
];
