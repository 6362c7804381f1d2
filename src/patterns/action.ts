// The actions that `decide` can return. Each one is complete: `perform` carries it out without looking anything up.

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
  /** Broadcasts and vote of a team member at the end of its round. */
  team?: TeamTurn | undefined;
  /** The failed descendant that caused this failure. */
  cause?: FirstCause | undefined;
  /** The agent that failed after it had taken the work over. `summary` already names it. */
  failedStage?: string | undefined;
}

/** Text from another agent, under a heading. */
export interface Section {
  heading: string;
  source: string;
  text: string;
}

/** A run that a pattern asks for. */
export interface PatternRun {
  /** The run's slot in the pattern. A slot is filled once, however often the pattern asks for the run. */
  key: string;
  trigger: Trigger;
  /** Full name, or a definition that differs from the agent's file. */
  agent: string | Definition;
  task: string;
  input?: unknown;
  /** The person's own input, if `input` comes from another agent. Null: the person gave none. */
  requestInput?: unknown;
  reason?: string | undefined;
  /** Text that the run reads in place of its task: the text that its parent read, with additions. */
  before?: string | undefined;
  sections?: readonly Section[] | undefined;
  /** Messages of the team that the run reads in addition to its task. */
  messages?: readonly { id: string; from: string; text: string }[] | undefined;
  /** JSON Schema of the run's answer, in place of the schema in its agent's file. */
  output?: unknown;
  maxTurns?: number | undefined;
  team?: TeamSlot | undefined;
  /** The run continues the conversation of the same agent from the round before. */
  continues?: true | undefined;
  /** Number of further attempts if this one fails. */
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
  /** Do nothing until a signal arrives, or until `wakeAt`. */
  | { type: "rest"; wakeAt: number | undefined }
  /** Record what the run waits for, and rest. */
  | { type: "suspend"; waitingOn: WaitingOn; wakeAt: number | undefined }
  /** Record that the run continues. */
  | { type: "resume"; by: string }
  /** Append these events. They have no effect outside the journal. */
  | { type: "record"; events: EventBody[] }
  | { type: "call-model"; callId: string; attempt: number; model: string; purpose: Purpose }
  /** Judge these calls of the model, which have no verdict yet. */
  | { type: "propose"; calls: string[] }
  /** Record and judge calls that the agent's module makes. */
  | { type: "propose-made"; calls: StepCall[] }
  /** Start these calls together. */
  | { type: "run-tools"; calls: string[] }
  /** Start the children that these calls ask for. */
  | { type: "start-children"; calls: string[] }
  /** Start the children that a pattern asks for. */
  | { type: "start-runs"; runs: PatternRun[] }
  /** Append these events and cancel those children, which the run no longer waits for. */
  | { type: "give-up-on"; runIds: string[]; events: EventBody[]; reason: string }
  /** Perform a call of a built-in tool, such as sending a message. */
  | { type: "run-builtin"; call: string }
  /** Merge the worktree of a child. */
  | { type: "merge-child"; runId: string }
  /** Only children are left: cancel them and wait for their ends. */
  | { type: "cancel-children"; runIds: string[]; waitingOn: WaitingOn }
  | { type: "end"; ending: Ending };
