// The background commands that an agent can read, write to and end.

import type { BackgroundFacts } from "../../journal/events.ts";
import { runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import { callOfOutput } from "../../tools/answers.ts";
import type { BackgroundCommand, SavedOutput } from "../../tools/tool.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/** The background commands of this run, and commands of the runs that it continues, if their agent asked to keep them running. */
export async function findCommands(
  { runId, state }: Pick<RunJournal, "runId" | "state">,
  { store }: Pick<LoopParts, "store">,
): Promise<Map<string, BackgroundCommand>> {
  const found = new Map<string, BackgroundCommand>();
  const add = (all: Iterable<BackgroundFacts>, owner: string): void => {
    for (const { id, command = "", upTo = 0, runId: from = owner } of all)
      if (!found.has(id)) found.set(id, { runId: from, command, upTo });
  };
  add(state.background.values(), runId);
  let next = state.start?.continues;
  while (next) {
    const { runId: at, seq } = next;
    const events = await store.journal.read(at);
    const earlier = fold(
      runStateProjection,
      events.filter((event) => event.seq <= seq),
    );
    const kept = [...earlier.background.values()].filter(({ keep }) => keep);
    add(kept, at);
    next = earlier.start?.continues;
  }
  return found;
}

/** The stored output of the background command with a name such as `output:m3.1`. Undefined if the name does not belong to a command. */
export async function findCommandOutput(
  name: string,
  run: Pick<RunJournal, "runId" | "state">,
  { store, commands }: Pick<LoopParts, "store" | "commands">,
): Promise<SavedOutput | undefined> {
  const id = callOfOutput(name);
  const command = id === undefined ? undefined : (await findCommands(run, { store })).get(id);
  const text = command && (await commands.output(command.runId, id!));
  return text === undefined ? undefined : { text };
}
