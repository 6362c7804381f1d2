// Stores an agent's skills in its pinned definition, so that the list in the prompt is the same for the whole run.

import { agentId } from "../../journal/agent-id.ts";
import type { Definition, PinnedSkill } from "../../journal/definition.ts";
import { rulesFor } from "../../permissions/rules.ts";
import { SKILL } from "../../projections/folds/tool-call.ts";
import type { Skill } from "./read-skills.ts";

/**
 * An agent gets the skills that its file names, and the tool that loads them. By default, an agent with this tool gets all skills.
 * `read` is called only if the agent may have skills.
 */
export async function pinSkills(
  definition: Definition,
  read: () => Promise<readonly Skill[]>,
  trusted: boolean,
): Promise<Definition> {
  const { skillNames, tools, runner } = definition;
  const names = skillNames && new Set(skillNames.map(agentId));
  const { allow, deny } = tools;
  const isDenied = rulesFor(deny, "wide", TOOL).some((rule) => rule.bare);
  const hasTool = allow === undefined || rulesFor(allow, "strict", TOOL).some((rule) => rule.names(SKILL));
  if (runner !== undefined || isDenied || (names === undefined ? !hasTool : names.size === 0))
    return definition;
  const own = (await read()).filter(({ name, forModels }) => (names ? names.has(name) : forModels));
  if (own.length === 0) return definition;
  return {
    ...definition,
    ...(hasTool ? {} : { tools: { ...tools, allow: [...allow!, SKILL] } }),
    skills: own.map((skill) => ({
      ...pinned(skill, trusted),
      ...(names && definition.dialect === "claude" ? { first: true as const } : {}),
    })),
  };
}

const TOOL = { name: SKILL };

function pinned({ name, description, file, scope, allowedTools }: Skill, trusted: boolean): PinnedSkill {
  if (scope === "project" && !trusted) return { name, description: "", file, untrusted: true };
  return { name, description, file, ...(allowedTools.length > 0 ? { allowedTools: [...allowedTools] } : {}) };
}
