// What a program that embeds Cadre may use.

export type { RunRequest } from "./loop/admit.ts";
export {
  cancelRun,
  type Decision,
  decideApproval,
  decideOutcome,
  type OutcomeVerdict,
  pauseRun,
  resumeRun,
  sendMessage,
} from "./loop/people.ts";
export { createRuntime, type Runtime, type RuntimeOptions } from "./runtime.ts";
export { defineTool, type Preview, type Tool, type ToolAnswer, type ToolContext } from "./tools/tool.ts";
