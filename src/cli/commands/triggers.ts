// `cadre triggers`: lists the hooks for messages of other systems, and the latest messages. Its subcommands show a message and try it again.

import type { InboundHookView } from "../../api/routes/hooks.ts";
import { ago } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report, tableWidth } from "../invocation.ts";
import { plain, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

const NONE = "There are no hooks: write them under `triggers` in cadre.yaml, in a trusted folder.";

export async function list(invocation: Invocation): Promise<number> {
  const { triggers } = await withClient(invocation, (client) => client.get("/api/triggers"));
  const now = Date.now();
  const lines = triggers.flatMap((hook) => [
    headOf(hook),
    ...table(
      hook.deliveries.map(({ id, at, outcome, runId, detail }) => [
        `  ${ago(at, now)}`,
        outcome,
        id,
        runId ?? "",
        plainLine(detail),
      ]),
      tableWidth(invocation),
    ),
  ]);
  return report(invocation, { triggers }, triggers.length === 0 ? [NONE] : lines);
}

const headOf = ({ name, from, agent, problem }: InboundHookView): string =>
  plainLine(
    `${name}: POST /hooks/${name} from ${from} starts ${agent}${problem ? `; it accepts nothing: ${problem}` : ""}`,
  );

export async function show(invocation: Invocation, name: string, id: string): Promise<number> {
  const found = await withClient(invocation, (client) =>
    client.get("/api/triggers/{name}/deliveries/{delivery}", { name, delivery: id }),
  );
  const { outcome, detail } = found.delivery;
  return report(invocation, found, [
    plainLine(`${outcome}${detail === "" ? "" : `: ${detail}`}`),
    plain(JSON.stringify(found.message, null, 2)),
  ]);
}

export async function retry(invocation: Invocation, name: string, id: string): Promise<number> {
  const delivery = await withClient(invocation, (client) =>
    client.post("/api/triggers/{name}/deliveries/{delivery}/retry", { name, delivery: id }),
  );
  const { outcome, runId, detail } = delivery;
  const words = runId === undefined ? `${outcome}: ${detail}` : `${outcome}: run ${runId}`;
  report(invocation, delivery, [plainLine(words)]);
  return runId === undefined ? EXIT.failed : EXIT.done;
}
