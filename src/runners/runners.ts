// The programs that this process runs, at most one per run. A shell supervises each program.
// When the pipe from Cadre closes, the shell kills the program and every process it started.
// The program and every process it starts run in the project's sandbox, which is the security boundary.
// A program's permission requests are no boundary, because the program asks voluntarily.

import { hostname } from "node:os";
import { expandVariables } from "../config/expand-variables.ts";
import { messageOf } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { Definition, Runner } from "../journal/definition.ts";
import type { LiveRunner, RunnerStart, Runners } from "../loop/programs/runner.ts";
import {
  endWords,
  ownWords,
  type SupervisedServer,
  startSupervisedServer,
} from "../mcp/supervised-server.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { processStartTime } from "../process-start.ts";
import type { RunnerProcess } from "./acp-session.ts";
import { killSession } from "./leftover-processes.ts";
import type { TranslateOptions } from "./translate-call.ts";

export interface RunnersParts {
  /** Whether the project is allowed to start its own commands. */
  trusted: boolean;
  /** Values for `${NAME}` in agent files. */
  env: Readonly<Record<string, string | undefined>>;
  /** The variables that agents of the project and edited agents may name. The user's own agents may name all. */
  variables: readonly string[];
  /** Wraps a command in the sandbox, or returns the reason why the command must not run. */
  confine(
    argv: readonly string[],
    place: { workspace: string; runId: RunId },
  ): Promise<SandboxedCommand | { problem: string }>;
  diff: TranslateOptions["diff"];
  version: string;
}

export interface SandboxedCommand {
  sandbox: string;
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Checks what the program left behind. Returns sentences for people. */
  after(): Promise<string[]>;
}

interface RunningProgram {
  live: LiveRunner;
  supervised: SupervisedServer;
  after(): Promise<string[]>;
}

const START_MS = 60_000;
const MAX_ERRORS = 2_000;

export function createRunners(parts: RunnersParts): Runners {
  const programs = new Map<RunId, RunningProgram>();
  const end = async (runId: RunId): Promise<string[]> => {
    const found = programs.get(runId);
    programs.delete(runId);
    if (!found) return [];
    found.supervised.stop();
    await found.supervised.ended.catch(() => undefined);
    return found.after();
  };
  return {
    find: (runId) => programs.get(runId)?.live,
    problem: (definition) => problemWith(definition, parts.trusted),
    async start(wanted) {
      const started = await start(wanted, parts);
      programs.set(wanted.runId, started);
      return started.live;
    },
    end,
    async endLeftover({ host, pid, began }) {
      if (host !== hostname()) return false;
      killSession(pid, began);
      return true;
    },
    async close() {
      await Promise.all([...programs.keys()].map(end));
    },
  };
}

/** Returns why the program must not start. A program that the project or an edited text defines needs a person's trust, like a module or an MCP server. */
function problemWith(definition: Definition, trusted: boolean): string | undefined {
  const { runner } = definition;
  if (!runner || trusted || isOfUser(definition)) return undefined;
  return `The program ${runner.acp.command} is not started: this folder is not trusted (\`cadre trust\`).`;
}

/** Whether the agent's text is the user's own or Cadre's. False for an edited text and for a file of the project. */
const isOfUser = ({ source: { file } }: Definition): boolean =>
  file.startsWith("~/") || file.startsWith("builtin:");

/** Fills in only variables of the list. The agent's text must not choose which of Cadre's variables its program gets (A80). */
function variablesFor(definition: Definition, { env, variables }: RunnersParts): Record<string, string> {
  const templates = definition.runner!.acp.env ?? {};
  if (isOfUser(definition)) return expandVariables(templates, env);
  const listed = Object.fromEntries(variables.map((name) => [name, env[name]]));
  try {
    return expandVariables(templates, listed);
  } catch (error) {
    throw new Error(
      `${messageOf(error)} or not listed under \`variables\` in a trusted cadre.yaml: \`variables: [NAME]\` passes it on`,
    );
  }
}

async function start(wanted: RunnerStart, parts: RunnersParts): Promise<RunningProgram> {
  const { runId, workspace, session, definition } = wanted;
  const { acp } = definition.runner!;
  const { command, args = [], mode } = acp;
  try {
    const own = variablesFor(definition, parts);
    const confined = await parts.confine([command, ...args], { workspace, runId });
    if ("problem" in confined) throw new Error(confined.problem);
    const { argv, env, sandbox, after } = confined;
    const supervised = startSupervisedServer(argv, { cwd: workspace, env: { ...env, ...own } });
    const program = programOf(supervised, acp);
    const as = { workspace, program: command, diff: parts.diff };
    // The session code and its protocol package are loaded on demand, because few processes ever start a program.
    const { openSession, exitReason } = await import("./acp-session.ts");
    const opening = openSession(program, { cwd: workspace, session, mode, as, version: parts.version });
    const opened = opening.catch(async (error) => Promise.reject(await exitReason(error, program)));
    const live = await withTimeout(opened, program, wanted.signal);
    const pid = supervised.pid!;
    const began = processStartTime(pid);
    const facts = {
      command,
      ...(args.length > 0 ? { args } : {}),
      sandbox,
      pid,
      ...omitUndefined({ began }),
    };
    return { live: Object.assign(live, { facts: { ...facts, ...live.facts } }), supervised, after };
  } catch (error) {
    throw new Error(`The program ${command} cannot be used: ${messageOf(error).replace(/\.$/, "")}.`);
  }
}

function programOf(supervised: SupervisedServer, { command }: Runner["acp"]): RunnerProcess {
  let errors = "";
  supervised.errors.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-MAX_ERRORS);
  });
  const lastWords = (): string =>
    ownWords(errors) === "" ? "" : `; the last that it said: ${ownWords(errors)}`;
  const ended = supervised.ended.then(
    (code) => endWords(code, command) + lastWords(),
    (error: Error) => `it could not be started: ${error.message}`,
  );
  return { input: supervised.input, output: supervised.output, ended, kill: supervised.kill };
}

/** Waits for the program to start. Gives up if the program is silent for too long or the run is stopped. */
async function withTimeout<T>(opening: Promise<T>, program: RunnerProcess, signal: AbortSignal): Promise<T> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(`it was silent for ${START_MS / 1_000} s`), START_MS);
  const stop = (): void => reject("the run was stopped");
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([opening, refused]);
  } catch (why) {
    program.kill();
    await program.ended;
    throw new Error(String(why));
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
  }
}
