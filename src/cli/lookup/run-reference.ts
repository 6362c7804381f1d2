import { CadreError } from "../../errors.ts";

/** Parses a run (`r1m7…`) or an event of a run (`r1m7…#142`). */
export function parseRunReference(where: string): { runId: string; seq?: number } {
  const [, runId, seq] = /^([^#]+)(?:#([^#]*))?$/.exec(where) ?? [];
  if (runId === undefined)
    throw new CadreError(
      "USAGE",
      `\`${where}\` is not a run: write RUN or RUN#SEQ, for example r1m7j5wr#142.`,
    );
  if (seq === undefined) return { runId };
  if (!/^[1-9]\d{0,8}$/.test(seq))
    throw new CadreError(
      "USAGE",
      `\`${where}\` is not an event: events are numbered from 1. Write RUN or RUN#SEQ, for example ${runId}#1.`,
    );
  return { runId, seq: Number(seq) };
}
