// Refuses to start a run that could call no model, because no provider's key was found.
// Such a run would complete with the answer of the scripted rehearsal model, which a program could take for success.

import type { CadreClient } from "../../api/client/client.ts";
import { REHEARSAL, wouldRehearse } from "../../project/project.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, isAttended, usageError } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { confirm } from "../terminal/keys.ts";
import { fitLines } from "../view/text/fit.ts";
import { defaultAgent } from "./start-request.ts";

export interface ModelOptions {
  model?: string;
  /** Whether agents that name no model use the scripted rehearsal model. */
  rehearse?: boolean;
}

/**
 * Returns the model of agents that name none. Undefined means that the project chooses it.
 * If there is no model, asks the person at the terminal whether to rehearse. Refuses if there is no person.
 */
export async function chooseModel(
  invocation: Invocation,
  agent: string | undefined,
  { model, rehearse }: ModelOptions,
): Promise<string | undefined> {
  if (rehearse && model !== undefined)
    throw usageError("Give --model or --rehearse, not both. Nothing was started.");
  if (rehearse || model !== undefined) return rehearse ? REHEARSAL : model;
  const { config, defaultModel } = projectOf(invocation);
  const hasModel = config.model !== undefined || defaultModel !== REHEARSAL;
  if (hasModel || !(await withClient(invocation, (client) => needsModel(client, agent)))) return undefined;
  if (!isAttended(invocation))
    throw usageError(`${NO_KEY} To rehearse without a model: --rehearse. Nothing was started.`);
  for (const line of fitLines([NO_KEY], invocation.screen)) invocation.screen.line(line);
  if (await confirm(invocation, "Rehearse with a scripted model, which does nothing? [y/N] "))
    return REHEARSAL;
  throw usageError("Nothing was started.");
}

const NO_KEY =
  "No model can be called, because no provider's key was found: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or `model:` in cadre.yaml.";

/** Whether the agent itself would use the rehearsal model. The owner of the store might have a key that this process lacks. */
async function needsModel(client: CadreClient, given: string | undefined): Promise<boolean> {
  if ((await client.get("/api/health")).model !== REHEARSAL) return false;
  const name = given ?? (await defaultAgent(client));
  const { models, definition } = await client.get("/api/agents/{name}", { name });
  // A broken agent is refused when it is started, with the line of the problem.
  return wouldRehearse(definition, models);
}
