// The folder of a new root run: the folder of the project, or a git worktree of its own if the agent's file says so.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Definition } from "../../journal/definition.ts";
import type { Payload } from "../../journal/events.ts";
import type { LoopParts } from "../parts.ts";

type Start = Payload<"RUN_STARTED">;

export interface PlaceParts {
  worktrees: Pick<LoopParts["worktrees"], "plan">;
}

/** A run that continues another run does not go on in its worktree, which might be gone. It gets one of its own. */
export async function placeRun(
  given: Start,
  { name, workspace: wanted }: Definition,
  runId: RunId,
  { worktrees }: PlaceParts,
): Promise<Start> {
  const { worktree: _, mergesInto = [], ...start } = given;
  const home = mergesInto.at(-1) ?? start.workspace;
  if (wanted !== "worktree") return { ...start, workspace: home };
  const planned = await worktrees.plan(home, runId);
  if (!("problem" in planned)) return { ...start, ...planned, mergesInto: [home] };
  throw new CadreError(
    "UNPROCESSABLE",
    `${name} cannot be started in a worktree: ${planned.problem} Nothing was started.`,
  );
}
