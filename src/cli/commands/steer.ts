// `cadre message`, `pause`, `resume`, `freeze` and `thaw`: records a signal for a run or a branch. The driver acts on it.

import type { CadreClient } from "../../api/client/client.ts";
import { plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { nextDriverText, pauseEffectText } from "../view/drivers.ts";
import { jsonLine } from "../view/text/plain.ts";

export const message = (invocation: Invocation, runId: string, text: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/message", { id: runId, body: { text } });
    return { result: { runId, message: text }, text: "Message recorded" };
  });

export const pause = (invocation: Invocation, runId: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/pause", { id: runId });
    const until = `it stays paused until \`cadre resume ${runId}\``;
    return { result: { runId, paused: true }, text: "Pause recorded", until };
  });

export const resume = (invocation: Invocation, runId: string) =>
  signal(invocation, async (client) => {
    await client.post("/api/runs/{id}/resume", { id: runId });
    return { result: { runId, paused: false }, text: "Recorded" };
  });

async function signal(
  { folder, io, json, screen, commandLine }: Invocation,
  send: (client: CadreClient) => Promise<{ result: object; text: string; until?: string }>,
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const { result, text, until } = await send(client);
    const next =
      until === undefined ? nextDriverText(client, commandLine) : pauseEffectText(client, commandLine, until);
    screen.line(json ? jsonLine(result) : `${text}; ${await next}.`);
    return EXIT.done;
  });
}

export const freeze = (invocation: Invocation, runId: string) =>
  changeBranch(invocation, runId, {
    act: (client) => client.post("/api/runs/{id}/freeze", { id: runId }),
    state: "frozen",
  });

export const thaw = (invocation: Invocation, runId: string) =>
  changeBranch(invocation, runId, {
    act: (client) => client.post("/api/runs/{id}/thaw", { id: runId }),
    state: "thawed",
  });

async function changeBranch(
  { folder, io, json, screen, commandLine }: Invocation,
  runId: string,
  { act, state }: { act(client: CadreClient): Promise<{ runs: string[] }>; state: "frozen" | "thawed" },
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const { runs } = await act(client);
    const next = () =>
      state === "frozen"
        ? pauseEffectText(client, commandLine, `it stays frozen until \`cadre thaw ${runId}\``)
        : nextDriverText(client, commandLine);
    const text =
      runs.length === 0
        ? `Nothing to do: the branch of ${runId} is ${state === "frozen" ? "already frozen" : "not frozen"}.`
        : `${plural(runs.length, "run")} ${state}; ${await next()}.`;
    screen.line(json ? jsonLine({ runId, [state]: runs }) : text);
    return EXIT.done;
  });
}
