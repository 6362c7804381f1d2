// Describes the rights and the work that an exported tree brings along (A83).
// The file may come from a stranger: it chooses its own rules, workspace, programs and decisions. Nothing of it applies before a person has seen this list.

import { z } from "zod";
import type { RunId } from "../ids.ts";
import { Definition } from "../journal/definition.ts";
import type { JournalEvent, Payload } from "../journal/events.ts";
import { revealHidden } from "../journal/visible.ts";
import { decodeBlob } from "./hashes.ts";
import type { TreeFile } from "./tree-file.ts";

const ENDS: ReadonlySet<string> = new Set(["RUN_COMPLETED", "RUN_FAILED", "RUN_CANCELLED"]);
const LONGEST = 300;

/** One sentence for each thing. Empty if the tree has ended, grants nothing, and could continue only here and with questions. `folder` is the project's folder. */
export function broughtBy(tree: Omit<TreeFile, "transferId" | "version">, folder: string): string[] {
  const runs = Map.groupBy(tree.events, ({ event }) => event.runId);
  const ofRuns = [...runs].flatMap(([runId, carried]) =>
    broughtByRun(
      runId,
      carried.map(({ event }) => event),
      { folder, blobs: tree.blobs },
    ),
  );
  const standing = [...tree.standing].flatMap(([runId, { grants = [], budget }]) => [
    ...grants.map(({ rule }) => `Run ${runId} has the standing permission ${quote(rule)}.`),
    ...(budget ? [`Run ${runId} has a raised budget: ${quote(JSON.stringify(budget))}.`] : []),
  ]);
  return [...new Set([...ofRuns, ...standing])];
}

function broughtByRun(
  runId: RunId,
  events: readonly JournalEvent[],
  { folder, blobs }: { folder: string; blobs: TreeFile["blobs"] },
): string[] {
  const found: string[] = [];
  for (const event of events)
    if (event.type === "APPROVAL_DECIDED" && event.payload.grant !== undefined)
      found.push(
        `It grants ${quote(event.payload.grant)} in ${quote(event.payload.folder ?? "every folder")}.`,
      );
  const [first] = events;
  if (first?.type !== "RUN_STARTED") return found;
  if (events.some(({ type }) => ENDS.has(type)))
    return [...authorityOf(first.payload, { folder, blobs }), ...found];
  return [...workOf(runId, first.payload, { folder, blobs }), ...found, ...openDecisions(events)];
}

/** The authority that a run that has ended would bring along if a person continued it. */
function authorityOf(
  start: Payload<"RUN_STARTED">,
  { folder, blobs }: { folder: string; blobs: TreeFile["blobs"] },
): string[] {
  const { agent, workspace, permissions, definition } = start;
  const { preset, allow = [] } = permissions ?? {};
  return [
    ...(isInside(workspace, folder) ? [] : [`works in ${quote(workspace)}, outside of this project`]),
    ...(widens(preset) ? [`has the preset \`${preset}\`: more runs without asking`] : []),
    ...allow.map((rule) => `allows ${quote(rule)}`),
    ...programsOf(definition, blobs.get(definition)).map((text) => `brings a program: ${text}`),
  ].map((text) => `A continuation of ${quote(agent)} ${text.replace(/\.$/, "")}.`);
}

const isInside = (workspace: string, folder: string): boolean =>
  workspace === folder || workspace.startsWith(`${folder}/`);

const widens = (preset: string | undefined): boolean =>
  preset !== undefined && preset !== "read-only" && preset !== "ask";

function workOf(
  runId: RunId,
  start: Payload<"RUN_STARTED">,
  { folder, blobs }: { folder: string; blobs: TreeFile["blobs"] },
): string[] {
  const { agent, workspace, permissions, task } = start;
  const outside = isInside(workspace, folder) ? "" : ", outside of this project";
  const { preset, allow = [] } = permissions ?? {};
  return [
    `Run ${runId} continues: ${quote(agent)} works in ${quote(workspace)}${outside}, on ${quote(task)}.`,
    ...(widens(preset) ? [`Its preset is \`${preset}\`: more runs without asking.`] : []),
    ...allow.map((rule) => `It allows ${quote(rule)}.`),
    ...programsOf(start.definition, blobs.get(start.definition)),
  ];
}

function programsOf(name: string, blob: string | undefined): string[] {
  if (blob === undefined) return ["Its agent is not in the file."];
  const read = z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(Definition.pick({ runner: true, steps: true }))
    .safeParse(decodeBlob(name, blob));
  if (!read.success) return ["Its agent cannot be read here."];
  const { runner, steps } = read.data;
  return [
    ...(runner
      ? [`Its agent starts the program ${quote([runner.acp.command, ...(runner.acp.args ?? [])].join(" "))}.`]
      : []),
    ...(steps ? [`Its agent runs the module ${quote(steps.module)}.`] : []),
  ];
}

/** Approved calls that have not been made yet. */
function openDecisions(events: readonly JournalEvent[]): string[] {
  const made = new Set(
    events.flatMap((event) =>
      event.type === "TOOL_STARTED" || event.type === "TOOL_RESULT" ? [event.payload.toolCallId] : [],
    ),
  );
  const proposals = new Map(
    events.flatMap((event) =>
      event.type === "TOOL_PROPOSED" ? [[event.payload.toolCallId, event.payload] as const] : [],
    ),
  );
  return events.flatMap((event) => {
    if (event.type !== "APPROVAL_DECIDED") return [];
    const { itemId, decision, input } = event.payload;
    const callId = itemId.replace(/~\d+$/, "");
    if ((decision !== "approve" && decision !== "edit") || made.has(callId)) return [];
    const proposal = proposals.get(callId);
    const what = decision === "edit" ? JSON.stringify(input) : (proposal?.preview ?? "");
    return [`Approved already, and made at once: ${proposal?.name ?? callId} ${quote(what)}.`];
  });
}

/** A stranger's text on one line, with hidden characters shown. */
function quote(text: string): string {
  const shown = revealHidden(text.replaceAll(/\s+/g, " ").trim());
  return shown.length <= LONGEST ? `\`${shown}\`` : `\`${shown.slice(0, LONGEST).toWellFormed()}…\``;
}
