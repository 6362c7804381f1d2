// Seeds that once failed, each with the defect that it found. These seeds stay in the suite forever.

import type { Kind } from "./run-seeds.ts";

export const FAILED_ONCE: readonly (readonly [kind: Kind, seed: number, found: string])[] = [
  ["runs", 29, "[F40] the time of a retry was not a number, which made the journal unreadable"],
  ["runs", 33, "[I9] if the budget was too small to retry a failed call, the drive looped without resting"],
  ["runs", 185, "[J11] a run completed although its model had not seen a message that was sent to the run"],
  [
    "runs",
    650,
    "[J3] if another worker had already written an outcome, the driver stopped working but kept its lease on the run",
  ],
  ["runs", 7, "[E2] a worker called a model after its own deadline"],
  ["runs", 722, "[L4] a driver that had lost its run took another driver's identical intent for its own"],
  [
    "runs",
    62,
    "[F29] on a full disk, a tool result was written but the model's answer was not; the next prompt lacked a result",
  ],
  ["runs", 532, "[F29] after the disk was too full to write a model answer, a drive looped without resting"],
  ["runs", 796, "[F29] after the disk was too full to write a model answer, a tool ran as attempt 0"],
  ["runs", 148, "[P7] a cancelled run whose drives failed five times was quarantined and could never end"],
  [
    "runs",
    448,
    "[P7] if a run was cancelled between two failed drives, it was quarantined and could never end",
  ],
  [
    "trees",
    44,
    "[P9] if a model called a read tool and `check_run` in one answer, every drive failed and the run was quarantined",
  ],
  [
    "trees",
    115,
    "[D2] a parent that was ending cancelled its children; then a message made the parent continue",
  ],
  [
    "patterns",
    30,
    "[H5] a judge handed off its work without picking a draft; after that, every drive of the judge's parent failed",
  ],
  [
    "patterns",
    156,
    "[K3] a second attempt at a stage continued the first attempt, and received the messages of a round twice",
  ],
  ["patterns", 280, "[H1] if a handoff could not be retried, the drive requested the retry again and again"],
];
