// How every store keeps an event, and what it says of one that its chain does not cover (J9).

import { CadreError } from "../errors.ts";
import type { RunId, Seq } from "../ids.ts";

/** The part of a row that the chain covers. */
export function linkOf(columns: Readonly<Record<string, unknown>>) {
  return {
    seq: columns["seq"] as number,
    ts: columns["ts"] as number,
    type: columns["type"] as string,
    key: columns["key"] as string,
    text: columns["payload"] as string,
  };
}

export function corrupt(runId: RunId, seq: Seq): never {
  throw new CadreError(
    "JOURNAL_CORRUPT",
    `The journal of run ${runId} is damaged at event ${seq}: its checksum does not match. The run is set aside; the others go on.`,
    { runId, seq },
  );
}
