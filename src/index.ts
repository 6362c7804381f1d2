// The public API of the package: everything that an embedding program can import.

export { type AgentInCode, defineAgent } from "./agents/define-agent.ts";
export type { JournalEvent } from "./journal/events.ts";
export type { RunRequest } from "./loop/commands/admit.ts";
export type { NewBudget } from "./loop/commands/branches.ts";
export type { Decision, OutcomeVerdict } from "./loop/commands/person-commands.ts";
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
} from "./patterns/step-vocabulary.ts";
export type {
  AgentEventName,
  AgentEvents,
  AgentListener,
  OnAgent,
} from "./projections/formats/agent-events.ts";
export {
  cancelRun,
  decideApproval,
  decideOutcome,
  freezeBranch,
  pauseRun,
  resumeRun,
  sendMessage,
  setBudget,
  thawBranch,
} from "./runtime/commands.ts";
export { createRuntime, type Runtime, type RuntimeOptions } from "./runtime/embed.ts";
export { defineTool, type Preview, type Tool, type ToolAnswer, type ToolContext } from "./tools/tool.ts";
