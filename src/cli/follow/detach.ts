// `--detach`: records the run and starts a background process. That process drives the run, or waits until the driving process exits.
// The background process exits when no run can continue without a person.
// If a server drives the runs, no background process is started.
// Such a process would become the owner of the store if the server were killed, and would then block a new server.

import { randomUUID } from "node:crypto";
import type { CadreClient } from "../../api/client/client.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { CommandLine } from "../command-line.ts";
import { continueInBackground } from "../connection/background.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, usageError } from "../invocation.ts";
import { jsonLine } from "../view/text/plain.ts";
import { refuseModelOfOwner, type StartRequest, submitRequest } from "./start-request.ts";

export async function detach(
  invocation: Invocation,
  request: StartRequest,
  { yes = false, model }: { yes?: boolean; model?: string },
): Promise<number> {
  if (request.type === "unfinished")
    throw usageError('A run in the background needs a task: `cadre run --detach "what to do"`.');
  const { io, json, screen, commandLine } = invocation;
  const key = randomUUID();
  const submit = async (client: CadreClient) => {
    if (model !== undefined) await refuseModelOfOwner(client, model);
    const { isServer, isWorker, pid } = await client.get("/api/health");
    const runId = await submitRequest(client, request, yes, key);
    return { runId, server: isServer && isWorker ? pid : undefined };
  };
  const options = { createsStore: true, flags: omitUndefined({ model }) };
  const { runId, server } = await withClient(invocation, submit, options);
  // If another command drives the run now, the background process takes over when that command exits.
  // `--yes` always needs a background process, because that process approves the calls.
  if (server === undefined || yes) continueInBackground(invocation, { yes });
  screen.line(json ? jsonLine({ runId }) : runId);
  if (json) return EXIT.done;
  const next =
    server === undefined ? backgroundLines(runId, commandLine, yes) : serverLines(runId, commandLine, server);
  for (const line of next) io.stderr.write(`cadre: ${line}\n`);
  return EXIT.done;
}

const serverLines = (runId: string, commandLine: CommandLine, pid: number): string[] => [
  `the server (process ${pid}) is working on it. Follow it: ${commandLine(`tail ${runId}`)}`,
  `if it needs you, \`${commandLine("approve")}\` shows why. It continues when you have answered.`,
];

/** Says that the run stops when it needs a person. The background process then exits, so that it does not block the store. */
function backgroundLines(runId: string, commandLine: CommandLine, yes: boolean): string[] {
  const needs = yes ? "needs you for more than an approval" : "needs you";
  return [
    `it continues in the background until it has ended or ${needs}. Follow it: ${commandLine(`tail ${runId}`)}`,
    `if it needs you, \`${commandLine("approve")}\` shows why. It continues in the background when you have answered.`,
  ];
}
