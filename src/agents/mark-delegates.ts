// Marks the descriptions of a stranger's agents in the list of delegates. They stand in the prompt of an agent that the user trusts,
// for example the built-in assistant, so they must not read like instructions to it (A75).

import type { Definition } from "../journal/definition.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import type { Agent } from "./agent.ts";
import type { AgentSet } from "./load.ts";

/** Longer descriptions are cut. A cut later on would remove the end of the mark. */
const MOST = 600;

/** `set` contains the agent and its delegates. An agent of the same untrusted folder gets its delegates as they are. */
export function markDelegates(
  definition: Definition,
  scope: Agent["scope"],
  { agents }: Pick<AgentSet, "agents">,
  nonce: () => string,
): Definition {
  const { delegates = [] } = definition;
  const isStrangers = (name: string): boolean => (agents.get(name)?.scope ?? "project") === "project";
  if (scope === "project" || !delegates.some(({ agent }) => isStrangers(agent))) return definition;
  const mark = nonce();
  return {
    ...definition,
    delegates: delegates.map((one) =>
      isStrangers(one.agent) && one.description !== ""
        ? {
            ...one,
            description: markUntrusted(
              mark,
              agents.get(one.agent)?.file ?? one.agent,
              one.description.slice(0, MOST),
            ),
          }
        : one,
    ),
  };
}
