// The public API of the package: everything that a program can import from "cadre".

export { CadreError, type ErrorCode } from "./errors.ts";
export type { JournalEvent } from "./journal/events.ts";
export type { ApprovalRequest, Approved, DecidedBy } from "./library/approvals.ts";
export {
  type Cadre,
  type CadreOptions,
  type CadreProblem,
  createCadre,
  type RunOptions,
  type RunsFilter,
} from "./library/create-cadre.ts";
export { type Agent, type AgentOptions, defineAgent, type ModelObject } from "./library/define-agent.ts";
export {
  type AiTool,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolOptions,
} from "./library/define-tool.ts";
export type { ApprovalHandler } from "./library/handle-approvals.ts";
export type { McpServerOptions } from "./library/mcp-servers.ts";
export { CadreClosed, type Run, type RunResult, type RunStatus } from "./library/run.ts";
export { RunFailed } from "./library/run-failed.ts";
export { type RunOnce, type RunOnceOptions, run } from "./library/run-once.ts";
export type { JsonSchema, StandardSchema } from "./library/schema.ts";
export type { RunPart } from "./library/stream.ts";
export { ask, delegate, parallel, prompt, sleep, tool, turn, turns } from "./patterns/step-functions.ts";
export type {
  CallAnswer,
  DelegateAnswer,
  DelegateOptions,
  Step,
  Steps,
  StepsInput,
  StepsReport,
  StepsResult,
  TurnAnswer,
  TurnsAnswer,
} from "./patterns/step-vocabulary.ts";
export type {
  AgentEventName,
  AgentEvents,
  AgentListener,
  OnAgent,
} from "./projections/formats/agent-events.ts";
export type { HandlerOptions } from "./runtime/serve-folder.ts";
