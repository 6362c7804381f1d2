// `cadre replay RUN`: would it be decided now as it was?

import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";

export async function replay({ folder, io, json, screen, at }: Invocation, runId: string): Promise<number> {
  const replayed = await withClient({ folder, env: io.env }, (client) => client.replay(runId));
  const { runs, decisions, divergence } = replayed;
  if (json) screen.line(jsonLine({ runId, ...replayed }));
  else if (!divergence) {
    const made = `${count(decisions, "decision")} of ${count(runs, "run")}`;
    screen.line(`${screen.paint("green", "The same")}: ${made}, made again`);
  } else {
    const { agent, runId: where, seq, recorded, now } = divergence;
    screen.line(`${screen.paint("red", "Diverges")} at event ${seq} of ${where} (${plainLine(agent)})`);
    screen.line(`  recorded  ${plainLine(recorded)}`);
    screen.line(`  now       ${plainLine(now)}`);
    screen.line(`See it: cadre show${at} ${where} --events`);
  }
  return divergence ? EXIT.failed : EXIT.done;
}
