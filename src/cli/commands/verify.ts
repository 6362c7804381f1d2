// `cadre verify RUN`: reads a run's journal and checks every link of its chain.

import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";

export async function verify({ folder, io, json, screen }: Invocation, runId: string): Promise<number> {
  const checked = await withClient({ folder, env: io.env }, (client) => client.verify(runId));
  const { ok, events, head, problem } = checked;
  if (json) screen.line(jsonLine({ runId, ...checked }));
  else if (ok)
    screen.line(`${screen.paint("green", "Whole")}: ${count(events, "event")}, chain ends in ${head}`);
  else screen.line(`${screen.paint("red", "Not whole")}: ${plainLine(problem ?? "the chain is broken")}`);
  return ok ? EXIT.done : EXIT.failed;
}
