// Seeds that have failed once, each with what it found. They are played for ever.

import type { Kind } from "./run-seeds.ts";

export const FAILED_ONCE: readonly (readonly [kind: Kind, seed: number, found: string])[] = [
  ["runs", 29, "[F40] the time of a retry was no number: the journal could not be read any more"],
  [
    "runs",
    33,
    "[I9] a failed call whose next attempt the budget refuses went round and round without resting",
  ],
  ["runs", 185, "[J11] a run completed by its report, with a message that the model never saw"],
  [
    "runs",
    650,
    "[J3] a driver whose outcome a slow worker had handed in first kept its lease and did nothing more",
  ],
  ["runs", 7, "[E2] a worker called a model after its own deadline"],
  [
    "runs",
    722,
    "[L4] a driver that had lost its run was told that its intent is on disk: another had written the same one",
  ],
  [
    "runs",
    62,
    "[F29] a result was written behind a thought that the full disk had refused: the prompt lacked a result",
  ],
  ["runs", 532, "[F29] the same, and a drive went round and round without resting"],
  ["runs", 796, "[F29] the same, and a tool was told that this is attempt 0"],
  [
    "runs",
    148,
    "[P7] a cancelled run that was taken up five times in vain was set aside and could never end",
  ],
  ["runs", 448, "[P7] the same, with the cancel between two of those times"],
  ["trees", 44, "[P9] a read beside check_run in one response broke the drive, until the run was set aside"],
  ["trees", 115, "[D2] children were cancelled for their parent's end, and a message made the parent go on"],
  [
    "patterns",
    30,
    "[H5] a judge that had given its work away named no draft: every drive of its parent broke",
  ],
  ["patterns", 156, "[K3] the second attempt at a stage went on from the first, and heard a round twice"],
  [
    "patterns",
    280,
    "[H1] a second attempt at a handoff that could not be started was asked for without rest",
  ],
];
