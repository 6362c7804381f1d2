// What a probe found, in words: the same wherever it is told.

import type { Payload } from "../../journal/events.ts";

export const PROBE_WORDS: Record<Payload<"OUTCOME_PROBED">["found"], string> = {
  done: "it was done",
  not_done: "it was not done",
  cannot_tell: "it cannot be told",
};
