// `cadre message`, `pause`, `resume`, `freeze` and `thaw`: each records a signal for a run or a branch. The driver then acts on the signal.

import { CadreError } from "../../errors.ts";
import { plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { readAttachments } from "../option-values.ts";
import { pauseEffectText, reportRecorded } from "../view/drivers.ts";

export function message(
  invocation: Invocation,
  runId: string,
  text: string,
  { attach }: { attach?: string[] } = {},
): Promise<number> {
  const files = readAttachments(attach, invocation.io.cwd, "Nothing was sent.");
  return withClient(invocation, async (client) => {
    try {
      await client.post("/api/runs/{id}/message", { id: runId, body: { text, ...files } });
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== "RUN_TERMINAL") throw error;
      const next = `\`cadre run --resume ${runId} ${quoteMessage(text)}\``;
      throw new CadreError(error.code, `${error.message} To continue it with this message: ${next}.`);
    }
    const value = { runId, message: text };
    return reportRecorded(invocation, client, { value, text: "Message recorded" });
  });
}

/** The message as one word of a shell command. A long message is left out. */
const quoteMessage = (text: string): string =>
  /^[^`\p{Cc}]{1,200}$/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : '"…"';

export const pause = (invocation: Invocation, runId: string): Promise<number> =>
  withClient(invocation, async (client) => {
    await client.post("/api/runs/{id}/pause", { id: runId });
    const until = `it stays paused until \`cadre resume ${runId}\``;
    const line = `Pause recorded; ${await pauseEffectText(client, invocation.commandLine, until)}.`;
    return report(invocation, { runId, paused: true }, [line]);
  });

interface ResumeOptions {
  continue: boolean;
}

export const resume = (
  invocation: Invocation,
  runId: string,
  { continue: starts }: ResumeOptions,
): Promise<number> =>
  withClient(invocation, async (client) => {
    await client.post("/api/runs/{id}/resume", { id: runId });
    return reportRecorded(invocation, client, { value: { runId, paused: false }, text: "Recorded", starts });
  });

export const freeze = (invocation: Invocation, runId: string): Promise<number> =>
  withClient(invocation, async (client) => {
    const { runs: frozen } = await client.post("/api/runs/{id}/freeze", { id: runId });
    const none = `Nothing to do: the branch of ${runId} is already frozen.`;
    const until = `it stays frozen until \`cadre thaw ${runId}\``;
    const effect = await pauseEffectText(client, invocation.commandLine, until);
    const line = frozen.length === 0 ? none : `${plural(frozen.length, "run")} frozen; ${effect}.`;
    return report(invocation, { runId, frozen }, [line]);
  });

export const thaw = (
  invocation: Invocation,
  runId: string,
  { continue: starts }: ResumeOptions,
): Promise<number> =>
  withClient(invocation, async (client) => {
    const { runs: thawed } = await client.post("/api/runs/{id}/thaw", { id: runId });
    const value = { runId, thawed };
    if (thawed.length === 0)
      return report(invocation, value, [`Nothing to do: the branch of ${runId} is not frozen.`]);
    const text = `${plural(thawed.length, "run")} thawed`;
    return reportRecorded(invocation, client, { value, text, starts });
  });
