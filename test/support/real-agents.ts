// Coding agents as their makers ship them: how each is pointed at a provider of ours, and the words in which its model asks for a command.

import { existsSync } from "node:fs";
import { join } from "node:path";

export interface RealAgent {
  name: string;
  /** Its file in `node_modules/.bin`. */
  program: string;
  /** The keys of `runner.acp` beside `command`. */
  acp(provider: string): object;
  /** Whether it tells what its commands print. */
  tellsOutput: boolean;
  /** The call that runs a command. */
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
    // What its own sandbox allows it does without asking.
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
      // Without a model it asks another one first which it should be.
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

/** Where the programs are: a folder in which npm has installed them. */
export const realAgentsFolder = (): string | undefined => process.env["CADRE_REAL_AGENTS"];

/** Undefined: it is not there. */
export function findRealAgent({ program }: RealAgent): string | undefined {
  const folder = realAgentsFolder();
  const path = folder && join(folder, "node_modules", ".bin", program);
  return path && existsSync(path) ? path : undefined;
}
