// `cadre webhooks`: lists the webhooks, their undelivered notices, and their latest deliveries. `cadre webhooks test` sends a test notice.

import type { WebhookView } from "../../api/routes/webhooks.ts";
import { CadreError } from "../../errors.ts";
import { ago } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report, tableWidth } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { webhooks } = await withClient(invocation, (client) => client.get("/api/webhooks"));
  const none = "There are no webhooks: configure them under `webhooks` in cadre.yaml, in a trusted folder.";
  const now = Date.now();
  const lines = webhooks.flatMap((webhook) => {
    const rows = webhook.deliveries.map(({ event, runId, at, attempts, outcome, detail }) => [
      `  ${ago(at, now)}`,
      event,
      runId,
      attempts > 1 ? `${outcome} (${attempts} attempts)` : outcome,
      plainLine(detail),
    ]);
    const owed = webhook.owed.notices.map(({ event, runId, at }) => [
      `  ${ago(at, now)}`,
      event,
      runId,
      "owed",
    ]);
    const more = webhook.owed.more ? ["  … and more notices are owed"] : [];
    return [
      headOf(webhook, now),
      ...table(owed, tableWidth(invocation)),
      ...more,
      ...table(rows, tableWidth(invocation)),
    ];
  });
  return report(invocation, { webhooks }, webhooks.length === 0 ? [none] : lines);
}

function headOf({ name, form, host, events, problem, retryAt }: WebhookView, now: number): string {
  const where = problem ?? `${form} to ${host}, for ${events.join(", ")}`;
  const next =
    retryAt === undefined ? "" : `; next attempt in ${Math.max(0, Math.ceil((retryAt - now) / 1_000))} s`;
  return plainLine(`${name}: ${where}${next}`);
}

export async function test(invocation: Invocation, name?: string): Promise<number> {
  const answers = await withClient(invocation, async (client) => {
    const names =
      name === undefined ? (await client.get("/api/webhooks")).webhooks.map((each) => each.name) : [name];
    if (names.length === 0)
      throw new CadreError(
        "NOT_FOUND",
        "There are no webhooks in cadre.yaml: name one under `webhooks`. Nothing was sent.",
      );
    const send = async (name: string) => ({
      name,
      ...(await client.post("/api/webhooks/{name}/test", { name })),
    });
    return Promise.all(names.map(send));
  });
  const lines = answers.map(({ name, taken, detail }) =>
    plainLine(`${name}: ${taken ? "accepted" : "not accepted"} (${detail})`),
  );
  report(invocation, { answers }, lines);
  return answers.every(({ taken }) => taken) ? EXIT.done : EXIT.failed;
}
