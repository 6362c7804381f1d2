// `cadre outcome RUN CALL VERDICT`: a person has looked, and says what became of a call that a crash left open (P4).

import type { OutcomeBody } from "../../api/schema.ts";
import { CadreError } from "../../errors.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { jsonLine } from "../view/plain.ts";
import { whoGoesOn } from "../who-goes-on.ts";

const VERDICTS = ["happened", "run_again", "fail"] as const;

export interface OutcomeOptions {
  output?: string;
  note?: string;
}

export async function outcome(
  { folder, io, json, screen }: Invocation,
  runId: string,
  callId: string,
  word: string,
  { output, note }: OutcomeOptions,
): Promise<number> {
  const body: OutcomeBody = {
    callId,
    verdict: verdictOf(word),
    ...(output === undefined ? {} : { output }),
    ...(note === undefined ? {} : { note }),
  };
  return withClient({ folder, env: io.env }, async (client) => {
    const { alreadyDecided } = await client.outcome(runId, body);
    screen.line(
      json ? jsonLine({ runId, ...body, alreadyDecided }) : `Recorded; ${await whoGoesOn(client)}.`,
    );
    return EXIT.done;
  });
}

function verdictOf(word: string): OutcomeBody["verdict"] {
  const verdict = VERDICTS.find((known) => known === word.replace("-", "_"));
  if (verdict) return verdict;
  throw new CadreError(
    "USAGE",
    `${word} is no verdict: it is one of ${VERDICTS.join(", ")}. Nothing was decided.`,
  );
}
