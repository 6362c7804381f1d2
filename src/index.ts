// What a program that embeds Cadre may use.

export { type AgentInCode, defineAgent } from "./agents/define-agent.ts";
export { createRuntime } from "./embed.ts";
export type { RunRequest } from "./loop/admit.ts";
export { freezeBranch, type NewBudget, setBudget, thawBranch } from "./loop/branches.ts";
export {
  cancelRun,
  type Decision,
  decideApproval,
  decideOutcome,
  type OutcomeVerdict,
  pauseRun,
  resumeRun,
} from "./loop/people.ts";
export { sendMessage } from "./loop/send-message.ts";
export {
  ask,
  type CallAnswer,
  type DelegateAnswer,
  type DelegateOptions,
  delegate,
  parallel,
  prompt,
  type Step,
  type Steps,
  type StepsInput,
  type StepsReport,
  type StepsResult,
  sleep,
  type TurnAnswer,
  type TurnsAnswer,
  tool,
  turn,
  turns,
} from "./patterns/step.ts";
export type { AgentEventName, AgentEvents, AgentListener, OnAgent } from "./projections/lifecycle.ts";
export type { RuntimeAssembly as Runtime, RuntimeOptions } from "./runtime.ts";
export { defineTool, type Preview, type Tool, type ToolAnswer, type ToolContext } from "./tools/tool.ts";
