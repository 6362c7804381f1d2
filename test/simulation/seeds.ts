// Seeds that once failed, each with the defect that it found. They remain in the suite forever.

import type { Kind } from "./run-seeds.ts";

export const FAILED_ONCE: readonly (readonly [kind: Kind, seed: number, found: string])[] = [
  ["runs", 29, "[F40] the time of a retry was not a number, which made the journal unreadable"],
  [
    "runs",
    33,
    "[I9] when the budget did not allow the retry of a failed call, the drive looped without resting",
  ],
  ["runs", 185, "[J11] a run completed although its model had not seen a message that was sent to the run"],
  [
    "runs",
    650,
    "[J3] if another worker had already written an outcome, the driver stopped working but kept its lease",
  ],
  ["runs", 7, "[E2] a worker called a model after its own deadline"],
  ["runs", 722, "[L4] a driver that had lost its run took another driver's identical intent for its own"],
  [
    "runs",
    62,
    "[F29] on a full disk, a thought was not written, but a tool result was; the next prompt lacked a result",
  ],
  ["runs", 532, "[F29] after the disk was too full to write a thought, a drive looped without resting"],
  ["runs", 796, "[F29] after the disk was too full to write a thought, a tool ran as attempt 0"],
  ["runs", 148, "[P7] a cancelled run whose drives failed five times was quarantined and could never end"],
  [
    "runs",
    448,
    "[P7] if a run was cancelled between two failed drives, it was quarantined and could never end",
  ],
  [
    "trees",
    44,
    "[P9] a read and a `check_run` in one response made every drive fail, and the run was quarantined",
  ],
  [
    "trees",
    115,
    "[D2] a parent that was ending cancelled its children; then a message made the parent continue",
  ],
  [
    "patterns",
    30,
    "[H5] a judge handed off its work and picked no draft; after that, every drive of its parent failed",
  ],
  [
    "patterns",
    156,
    "[K3] the second attempt at a stage continued the first attempt and got the messages of a round twice",
  ],
  [
    "patterns",
    280,
    "[H1] when the retry of a handoff could not start, the drive requested the retry again and again",
  ],
];
