import type { KeyedModel } from "../../project/project.ts";

/** The project's first cadre.yaml. `keyed`: the provider whose key was found; `script`: the script to play if there is none. */
export function configText({ keyed, script }: { keyed?: KeyedModel; script?: string }): string {
  return `# Cadre. Everything here is optional; commented lines show the format.

# The model of agents that name none: any provider/model, also of your own server (\`providers\`).
${modelLine(keyed, script)}
# providers:                              # takes effect once this folder is trusted: cadre trust
#   local: { type: openai-compatible, baseURL: "http://127.0.0.1:8000/v1" } # then write local/name-of-model
# aliases: { fast: anthropic/claude-haiku-4-5 }
# limits: { maxDepth: 3, maxTurns: 20, tree: { maxCost: 5 } }
# permissions:
#   allow: [Read, "Bash(npm test)"]       # takes effect once this folder is trusted: cadre trust
#   ask: [Bash, Write, Edit]
#   deny: [WebSearch]
`;
}

function modelLine(keyed: KeyedModel | undefined, script: string | undefined): string {
  if (keyed) return `model: ${keyed.model} # ${keyed.key} was found in the environment`;
  const real = "anthropic/claude-sonnet-4-5";
  if (script === undefined) return `# model: ${real} # without a provider's key a scripted model rehearses`;
  return `model: scripted/${script} # no provider's key was found: ${script}.script.yaml plays. With one, write ${real}`;
}
