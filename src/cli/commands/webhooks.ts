// `cadre webhooks`: lists the webhooks and their latest deliveries. `test` sends a test notice.

import type { WebhookView } from "../../api/routes/webhooks.ts";
import { CadreError } from "../../errors.ts";
import { ago } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list({ io, folder, json, screen }: Invocation): Promise<number> {
  const webhooks = await withClient({ folder, io }, (client) =>
    client.get("/api/webhooks").then(({ webhooks }) => webhooks),
  );
  if (json) {
    screen.line(jsonLine({ webhooks }));
    return EXIT.done;
  }
  if (webhooks.length === 0)
    screen.line("There are no webhooks: configure them under `webhooks` in cadre.yaml, in a trusted folder.");
  const now = Date.now();
  for (const webhook of webhooks) {
    screen.line(headOf(webhook, now));
    const rows = webhook.deliveries.map(({ event, runId, at, attempts, outcome, detail }) => [
      `  ${ago(at, now)}`,
      event,
      runId,
      attempts > 1 ? `${outcome} (${attempts} attempts)` : outcome,
      plainLine(detail),
    ]);
    for (const line of table(rows, io.stdout.isTTY ? screen.columns : undefined)) screen.line(line);
  }
  return EXIT.done;
}

function headOf({ name, form, host, events, problem, retryAt }: WebhookView, now: number): string {
  const where = problem ?? `${form} to ${host}, for ${events.join(", ")}`;
  const next =
    retryAt === undefined ? "" : `; next attempt in ${Math.max(0, Math.ceil((retryAt - now) / 1_000))} s`;
  return plainLine(`${name}: ${where}${next}`);
}

export async function test({ io, folder, json, screen }: Invocation, name?: string): Promise<number> {
  const answers = await withClient({ folder, io }, async (client) => {
    const names =
      name === undefined
        ? (await client.get("/api/webhooks")).webhooks.map((webhook) => webhook.name)
        : [name];
    if (names.length === 0)
      throw new CadreError(
        "NOT_FOUND",
        "There are no webhooks in cadre.yaml: name one under `webhooks`. Nothing was sent.",
      );
    return Promise.all(
      names.map(async (one) => ({
        name: one,
        ...(await client.post("/api/webhooks/{name}/test", { name: one })),
      })),
    );
  });
  if (json) screen.line(jsonLine({ answers }));
  else
    for (const { name: one, taken, detail } of answers)
      screen.line(plainLine(`${one}: ${taken ? "accepted" : "not accepted"} (${detail})`));
  return answers.every(({ taken }) => taken) ? EXIT.done : EXIT.failed;
}
