// Real coding agents of other vendors, without modifications.
// This file says how to connect each agent to our mock provider, and which tool call of the agent runs a command.

import { existsSync } from "node:fs";
import { join } from "node:path";

export interface RealAgent {
  name: string;
  /** Name of the agent's file in `node_modules/.bin`. */
  program: string;
  /** The keys of `runner.acp`, except `command`. */
  acp(provider: string): object;
  /** Whether the agent reports the output of its commands. */
  tellsOutput: boolean;
  /** The tool call with which the agent's model runs a command. */
  call(command: string): { name: string; arguments: string };
}

const KEY = "sk-of-nobody";

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    name: "Claude Agent",
    program: "claude-agent-acp",
    tellsOutput: true,
    acp: (provider) => ({
      env: {
        ANTHROPIC_BASE_URL: provider,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      mode: "default",
    }),
    call: (command) => call("Bash", { command, description: "what it is for" }),
  },
  {
    name: "Codex",
    program: "codex-acp",
    tellsOutput: true,
    acp: (provider) => ({
      env: { CODEX_CONFIG: JSON.stringify(codexConfig(`${provider}/v1`)), PROVIDER_KEY: KEY },
      mode: "workspace-write",
    }),
    // The call asks to leave the agent's own sandbox, because the agent requests no approval for commands inside that sandbox.
    call: (cmd) =>
      call("exec_command", { cmd, sandbox_permissions: "require_escalated", justification: "It is needed." }),
  },
  {
    name: "opencode",
    program: "opencode",
    tellsOutput: true,
    acp: (provider) => ({
      args: ["acp"],
      env: {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(`${provider}/v1`)),
      },
    }),
    call: (command) => call("bash", { command, description: "what it is for" }),
  },
  {
    name: "Gemini CLI",
    program: "gemini",
    tellsOutput: false,
    acp: (provider) => ({
      // If `--model` is absent, the agent first asks another model which model to use.
      args: ["--acp", "--model", "gemini-2.5-flash"],
      env: { GOOGLE_GEMINI_BASE_URL: provider, GEMINI_API_KEY: KEY },
      mode: "default",
    }),
    call: (command) => call("run_shell_command", { command, description: "what it is for" }),
  },
];

const codexConfig = (base_url: string): object => ({
  model: "any",
  model_provider: "ours",
  model_providers: { ours: { name: "ours", base_url, wire_api: "responses", env_key: "PROVIDER_KEY" } },
});

const opencodeConfig = (baseURL: string): object => ({
  model: "ours/any",
  permission: { bash: "ask" },
  provider: {
    ours: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL, apiKey: KEY },
      models: { any: { name: "any", tool_call: true } },
    },
  },
});

const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) });

/** The folder in which npm has installed the agents. */
export const realAgentsFolder = (): string | undefined => process.env["CADRE_REAL_AGENTS"];

/** Path of the agent's program. Undefined if the agent is not installed. */
export function findRealAgent({ program }: RealAgent): string | undefined {
  const folder = realAgentsFolder();
  const path = folder && join(folder, "node_modules", ".bin", program);
  return path && existsSync(path) ? path : undefined;
}
