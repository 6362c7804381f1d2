// `cadre pause`, `resume` and `message`: records a signal for a run. Its driver acts on it.

import type { CadreClient } from "../../api/client/client.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { nextDriverText, pauseEffectText } from "../view/drivers.ts";
import { jsonLine } from "../view/text/plain.ts";

export const message = (invocation: Invocation, runId: string, text: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/message", { id: runId, body: { text } });
    return { told: { runId, message: text }, word: "Message recorded" };
  });

export const pause = (invocation: Invocation, runId: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/pause", { id: runId });
    const held = `it stays paused until \`cadre resume ${runId}\``;
    return { told: { runId, paused: true }, word: "Pause recorded", held };
  });

export const resume = (invocation: Invocation, runId: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/resume", { id: runId });
    return { told: { runId, paused: false }, word: "Recorded" };
  });

async function signal(
  { folder, io, json, screen, commandLine }: Invocation,
  send: (client: CadreClient) => Promise<{ told: object; word: string; held?: string }>,
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const { told, word, held } = await send(client);
    const next =
      held === undefined ? nextDriverText(client, commandLine) : pauseEffectText(client, commandLine, held);
    screen.line(json ? jsonLine(told) : `${word}; ${await next}.`);
    return EXIT.done;
  });
}
