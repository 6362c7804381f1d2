// Determines the agent and the task from the arguments of `cadre run`.

import type { CadreClient } from "../../api/client/client.ts";
import { CadreError } from "../../errors.ts";

export interface TaskRequest {
  /** Default: the project's only agent, or the assistant if there are several or none. */
  agent?: string;
  task: string;
}

export const DEFAULT_AGENT = "assistant";

/** Parses `"task"` or `agent "task"`. Undefined without arguments: continue unfinished runs. */
export function parseTaskArguments(words: readonly string[]): TaskRequest | undefined {
  const [first, second, third] = words;
  if (third !== undefined) {
    throw new CadreError(
      "USAGE",
      'Too many words: put the task in quotes, as in `cadre run agent "what to do"`.',
    );
  }
  if (first === undefined) return undefined;
  if ((second ?? first).trim() === "")
    throw new CadreError("USAGE", 'A run needs a task: cadre run "what to do". Nothing was started.');
  return second === undefined ? { task: first } : { agent: first, task: second };
}

export async function chooseAgent(
  client: CadreClient,
  { agent, task }: TaskRequest,
): Promise<{ agent: string; task: string }> {
  if (agent !== undefined) return { agent, task };
  const { agents } = await client.get("/api/agents");
  if (agents.some(({ name }) => name === task.trim())) {
    throw new CadreError(
      "USAGE",
      `\`${task}\` is an agent: give it a task, as in \`cadre run ${task} "what to do"\`.`,
    );
  }
  const own = agents.filter(({ file, kind }) => !/^(builtin:|~\/)/.test(file) && kind !== "subagent");
  return { agent: own.length === 1 ? own[0]!.name : DEFAULT_AGENT, task };
}
