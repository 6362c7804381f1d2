// The actions that `decide` can return. Each action is complete: `perform` carries it out without looking anything up.

import type { Definition } from "../journal/definition.ts";
import type {
  EventBody,
  FirstCause,
  Purpose,
  StopReason,
  TeamSlot,
  TeamTurn,
  Trigger,
  WaitingOn,
} from "../journal/events.ts";

export interface Ending {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  details?: string | undefined;
  warnings?: string[] | undefined;
  suggestions?: string[] | undefined;
  output?: unknown;
  /** The broadcasts and the vote of a team member at the end of its round. */
  team?: TeamTurn | undefined;
  /** The failed descendant that caused this failure. */
  cause?: FirstCause | undefined;
  /** The agent that took the work over and then failed. `summary` already names it. */
  failedStage?: string | undefined;
}

/** A text from another agent, with its heading. */
export interface Section {
  heading: string;
  source: string;
  text: string;
}

export interface PatternRun {
  /** The run's slot in the pattern. A slot is filled once, however often the pattern requests the run. */
  key: string;
  trigger: Trigger;
  /** Full name of an agent, or a definition that differs from the agent's file. */
  agent: string | Definition;
  task: string;
  input?: unknown;
  /** The person's own input, if `input` comes from another agent. Null if the person gave no input. */
  requestInput?: unknown;
  reason?: string | undefined;
  /** Replaces the person's request at the start of the run's opening, if the parent read this text instead of its task. */
  before?: string | undefined;
  sections?: readonly Section[] | undefined;
  /** Team messages that the run reads in addition to its task. */
  messages?: readonly { id: string; from: string; text: string }[] | undefined;
  /** JSON Schema of the run's answer. It replaces the schema in the agent's file. */
  output?: unknown;
  maxTurns?: number | undefined;
  team?: TeamSlot | undefined;
  /** True if the run continues the conversation that the same agent had in the previous round. */
  continues?: true | undefined;
  /** Number of further attempts if the first attempt fails. */
  retries?: number | undefined;
}

/** A tool call that the agent's module makes. */
export interface StepCall {
  id: string;
  name: string;
  input: unknown;
  hidden: boolean;
}

export type Action =
  /** The run has ended, and nothing more will happen to it. */
  | { type: "stop" }
  /** Do nothing until a signal arrives or the time `wakeAt` is reached. */
  | { type: "rest"; wakeAt: number | undefined }
  /** Record what the run waits for, and rest. */
  | { type: "suspend"; waitingOn: WaitingOn; wakeAt: number | undefined }
  /** Record that the run continues. */
  | { type: "resume"; by: string }
  /** Append these events. They have no effect outside the journal. */
  | { type: "record"; events: EventBody[] }
  | { type: "call-model"; callId: string; attempt: number; model: string; purpose: Purpose }
  /** Judge these calls of the model. They have no verdict yet. */
  | { type: "propose"; calls: string[] }
  /** Record and judge these calls of the agent's module. */
  | { type: "propose-made"; calls: StepCall[] }
  /** Start these calls together. */
  | { type: "run-tools"; calls: string[] }
  /** Start the children that these calls request. */
  | { type: "start-children"; calls: string[] }
  /** Start the children that a pattern requests. */
  | { type: "start-runs"; runs: PatternRun[] }
  /** Append these events, and cancel the children that the run no longer waits for. */
  | { type: "give-up-on"; runIds: string[]; events: EventBody[]; reason: string }
  /** Perform a call of a built-in tool, such as sending a message. */
  | { type: "run-builtin"; call: string }
  /** Merge the worktree of a child. */
  | { type: "merge-child"; runId: string }
  /** Merge the run's own worktree, because the run would end like this. */
  | { type: "merge-own"; ending: Ending }
  /** Only children are still running: cancel them and wait until they have ended. */
  | { type: "cancel-children"; runIds: string[]; waitingOn: WaitingOn }
  | { type: "end"; ending: Ending };
