// Tells an agent what became of its background commands: after a restart of Cadre, and when one of them has ended.

import type { EventBody } from "../../journal/events.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import type { LoopParts } from "../parts.ts";
import type { RunJournal } from "./run-journal.ts";

type Parts = Pick<LoopParts, "commands" | "worker" | "host">;

/** Records a note about each command that has ended, and about each running command that another worker had started. */
export async function tellAboutCommands(run: RunJournal, parts: Parts): Promise<void> {
  const { background, cancel, end } = run.state;
  if (background.size === 0 || cancel || end) return;
  const notes = await Promise.all([...background.values()].map((known) => noteAbout(known, run, parts)));
  run.record(...notes.flatMap((note) => note ?? []));
}

type Known = RunState["background"] extends Map<string, infer Value> ? Value : never;

async function noteAbout(known: Known, { runId }: RunJournal, parts: Parts): Promise<EventBody | undefined> {
  const { commands, worker, host } = parts;
  const { id, ended } = known;
  const isNew = known.worker !== worker;
  if (ended || (known.runId !== undefined && known.runId !== runId)) return undefined;
  const elsewhere = known.host !== undefined && known.host !== host;
  if (elsewhere && !isNew) return undefined;
  const { isOver, text } = elsewhere
    ? { isOver: false, text: `was started on ${known.host}, and cannot be reached from ${host}` }
    : await commands.look(runId, id);
  if (!isOver && !isNew) return undefined;
  const about = known.command === undefined ? "" : ` (${known.command})`;
  const restarted = isNew ? "Cadre was restarted. " : "";
  const more = elsewhere ? "" : ` BashOutput ${id} shows its output.`;
  const facts = { id, worker, ...(isOver ? { ended: true as const } : {}) };
  const payload = {
    id: `background/${id}/${isOver ? "end" : worker}`,
    source: "system" as const,
    text: `${restarted}The background command ${id}${about} ${text}.${more}`,
    background: facts,
  };
  return { type: "CONTEXT_ADDED", payload };
}

/** Sentences for the run's result about background commands that are still running when the run ends. */
export function endedWithRun({ background }: RunState): string[] {
  return [...background.values()]
    .filter(({ ended, keep, runId }) => !ended && !keep && runId === undefined)
    .map(({ id, command }) => `The background command ${id} (${command}) is ended together with the run.`);
}
