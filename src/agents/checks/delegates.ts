// Reports delegates that no model is allowed to call. Also reports delegation settings in an agent without delegates.

import { patternsIn } from "../../patterns/declarations/facts.ts";
import { type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

export const checkDelegates: Check = ({ definition, references, dialect }, { agents }) => {
  if (definition.kind === "subagent") return [];
  const named = references.filter(({ key, agent }) => key === "agents" && agent !== undefined);
  const isChooser = patternsIn(definition).some(({ pattern }) => pattern.choices);
  const findings: Finding[] = definition.agents
    .filter((name) => !isChooser && agents.get(name)?.definition?.delegable === false)
    .map((name) =>
      warningAt(
        "agents",
        "NOT_DELEGABLE",
        `\`${name}\` can only be started by people, not by a model: it is left out`,
        {
          names: name,
          drop: true,
        },
      ),
    );
  if (named.length > 0 && definition.agents.length === 0) {
    const message = "`agents` names agents, but its `policy` allows delegation to none of them";
    const suggestion = "add `Delegate` to `policy`, or remove `agents`";
    findings.push(warningAt("agents", "DELEGATION_WITHHELD", message, { suggestion }));
  }
  // The author of another product's file gets no warning, because the dialect filled in `delegation` and `context`.
  const isMeant = dialect === "cadre" && named.length === 0;
  if (!isMeant || definition.agents.length > 0 || definition.steps) return findings;
  for (const key of ["delegation", "context"] as const) {
    if (definition[key] !== undefined)
      findings.push(
        warningAt(key, "NO_DELEGATES", `\`${key}\` has no effect: it may not delegate to any agent`),
      );
  }
  return findings;
};
