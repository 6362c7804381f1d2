// Restarts a service with the command from the configuration. The model only chooses the service.
//  - Text from the model never becomes part of a command.
//  - An interrupted restart would leave the service down. So the command can outlive Cadre, and the service can outlive the command.
//    Only a cancel or the time limit ends the command, together with its whole process group.

import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Service } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import { revealHidden } from "../journal/visible.ts";
import { refusal } from "./answers.ts";
import { cleanEnvironment } from "./shell/clean-environment.ts";
import { type ProgramOptions, type ProgramResult, runProgram } from "./shell/run-program.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

export type Services = Readonly<Record<string, z.output<typeof Service>>>;

export interface ServiceAccess {
  services: Services;
  /** Working directory of the commands: the project's own folder, even if the agent works in a worktree. */
  folder: string;
}

const RESTART_MS = 120_000;
const HEALTH_MS = 60_000;

export const restartServiceTool = ({ services, folder }: ServiceAccess) =>
  defineTool({
    name: "restart_service",
    description: `Restarts a service of this project and waits until it is healthy again. Known: ${serviceList(services)}.`,
    input: z.strictObject({ service: z.string().min(1).max(200).describe("The name of the service") }),
    effect: "unsafe",
    reaches: ["commands"],
    target: { kind: "name", field: "service" },
    idle: Object.keys(services).length === 0,
    // The tool's time limit is longer than the limits of its steps, so that the tool itself can report the timeout.
    timeout: RESTART_MS + longestHealth(services) + 10_000,
    aliases: ["restart_svc"],

    async execute({ service }, context) {
      const found = serviceOf(services, service);
      if (!found) return refusal(unknownServiceText(services, service));
      if (context.signal.aborted) return refusal("Cancelled before it began; nothing was restarted.");
      const place = { cwd: folder, env: cleanEnvironment(context.workspace, context.runId) };
      const ended = await runProgram(found.restart, {
        ...place,
        timeout: RESTART_MS,
        signal: context.signal,
      });
      const words = commandWords(service, ended);
      if (ended.code !== 0 || ended.stopped !== undefined) return answerWith(words, ended.text, true);
      return healthAnswer(found, words, ended, { ...context, ...place });
    },

    async preview({ service }) {
      const found = serviceOf(services, service);
      if (!found) return { text: unknownServiceText(services, service) };
      const { health } = found;
      const check = health
        ? `\nthen wait for ${revealHidden(health.url ?? commandText(health.command!))}`
        : "";
      // The fingerprint includes the configuration. If the configuration changes after an approval, the approval no longer applies.
      return {
        text: `${revealHidden(commandText(found.restart))}\nin ${revealHidden(folder)}${check}`,
        fingerprint: JSON.stringify([found, folder]),
      };
    },
  });

const serviceOf = (services: Services, name: string) =>
  Object.hasOwn(services, name) ? services[name] : undefined;

const serviceList = (services: Services): string => Object.keys(services).sort().join(", ") || "none";

function unknownServiceText(services: Services, name: string): string {
  if (Object.keys(services).length === 0) {
    return "No services are configured for this project, so none can be restarted. A person sets `services: { name: { restart: [command, …] } }` in cadre.yaml (and trusts the folder with `cadre trust`). Leave the restart to people, and say so in your answer.";
  }
  return `There is no service ${JSON.stringify(revealHidden(name))}; nothing was restarted. Known are: ${serviceList(services)}.`;
}

const longestHealth = (services: Services): number =>
  Math.max(0, ...Object.values(services).map(({ health }) => (health ? (health.timeout ?? HEALTH_MS) : 0)));

const commandText = (argv: readonly string[]): string =>
  argv.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");

function commandWords(service: string, { code, stopped, failed, seconds }: ProgramResult): string {
  if (failed !== undefined)
    return `The restart of ${service} could not be started (${failed}); nothing was done.`;
  if (stopped !== undefined)
    return `The restart of ${service} was ${stopped} after ${seconds} s: it may be down. Look before you do anything else.`;
  if (code !== 0)
    return `The restart of ${service} failed (exit ${code}, ${seconds} s): it may be down. Do not simply try again: look why.`;
  return `${service} was restarted (exit 0, ${seconds} s).`;
}

type Place = ToolContext & { cwd: string; env: NodeJS.ProcessEnv };

async function healthAnswer(
  { health }: Services[string],
  words: string,
  { text }: ProgramResult,
  { cwd, env, signal }: Place,
): Promise<ToolAnswer> {
  if (!health)
    return answerWith(`${words} No health check is configured, so look whether it works.`, text, false);
  const timeout = health.timeout ?? HEALTH_MS;
  const check = await waitForHealth(health, { cwd, env, signal, timeout });
  if (check.healthy) return answerWith(`${words} It is healthy, after ${check.seconds} s.`, text, false);
  const why = check.last === undefined ? "" : `; the last check: ${check.last}`;
  const sad = signal.aborted
    ? "The wait for its health was cancelled"
    : `It was not healthy within ${timeout / 1000} s`;
  return answerWith(`${words} ${sad}${why}. Read its log before you do anything else.`, text, true);
}

function answerWith(words: string, text: string, isError: boolean): ToolAnswer {
  const output = text.trim() === "" ? words : `${words}\nOutput of the command:\n${text.trimEnd()}`;
  return { output, isError };
}

type Health = NonNullable<z.output<typeof Service>["health"]>;

interface HealthResult {
  healthy: boolean;
  /** Result of the last failed health check. */
  last?: string;
  seconds: string;
}

const BETWEEN_MS = 250;

const ONE_CHECK_MS = 5_000;

async function waitForHealth(health: Health, place: ProgramOptions): Promise<HealthResult> {
  const started = performance.now();
  const elapsedMs = (): number => performance.now() - started;
  let last: string | undefined;
  while (!place.signal.aborted && elapsedMs() < place.timeout) {
    const timeout = Math.max(1, Math.min(ONE_CHECK_MS, place.timeout - elapsedMs()));
    const problem = await checkOnce(health, { ...place, timeout });
    const seconds = (elapsedMs() / 1000).toFixed(1);
    if (problem === undefined) return { healthy: true, seconds };
    last = problem;
    await delay(BETWEEN_MS, undefined, { signal: place.signal }).catch(() => undefined);
  }
  return {
    healthy: false,
    ...(last === undefined ? {} : { last }),
    seconds: (elapsedMs() / 1000).toFixed(1),
  };
}

/** Returns the problem, or undefined if the service is healthy. The response body is untrusted and not read. */
async function checkOnce({ url, command }: Health, place: ProgramOptions): Promise<string | undefined> {
  if (url === undefined) {
    const { code, failed, stopped } = await runProgram(command!, place);
    if (failed !== undefined) return failed;
    if (stopped !== undefined) return stopped;
    return code === 0 ? undefined : `exit ${code}`;
  }
  try {
    const signal = AbortSignal.any([place.signal, AbortSignal.timeout(Math.ceil(place.timeout))]);
    const response = await fetch(url, { redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
    return typeof cause?.code === "string" ? cause.code : messageOf(error);
  }
}
