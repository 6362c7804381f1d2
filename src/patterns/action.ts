// What `decide` may say should happen next. Imperative and complete: `perform` does exactly this and looks up nothing.

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
  /** What a member of a team has to say after its round. */
  team?: TeamTurn | undefined;
  /** Where a failure began, if it began below. */
  cause?: FirstCause | undefined;
}

/** Words that somebody else wrote, under a heading. */
export interface Section {
  heading: string;
  source: string;
  text: string;
}

/** A run that a pattern wants to have. */
export interface PatternRun {
  /** Its seat in the pattern: the same seat is filled once, however often it is asked for. */
  key: string;
  trigger: Trigger;
  /** Full name; or the definition itself, where it is not the one of its file. */
  agent: string | Definition;
  task: string;
  input?: unknown;
  /** What the person gave, where `input` is what somebody else brought; null: nothing. */
  requestInput?: unknown;
  reason?: string | undefined;
  /** What stands in the task's place: as its parent has read it, and what is added to it. */
  before?: string | undefined;
  sections?: readonly Section[] | undefined;
  /** What it is told beside its task. */
  messages?: readonly { id: string; from: string; text: string }[] | undefined;
  /** The form in which it must answer, where that is not its own. */
  output?: unknown;
  maxTurns?: number | undefined;
  team?: TeamSlot | undefined;
  /** Goes on where the same agent stopped in the round before. */
  continues?: true | undefined;
  /** Attempts that are left if this one fails. */
  retries?: number | undefined;
}

/** A call that the agent's steps make. */
export interface StepCall {
  id: string;
  name: string;
  input: unknown;
  hidden: boolean;
}

export type Action =
  /** The run has ended: there is nothing to do, ever. */
  | { type: "stop" }
  /** Nothing to do until a signal, or until then. */
  | { type: "rest"; wakeAt: number | undefined }
  /** Say in the journal what is waited for, and rest. */
  | { type: "suspend"; waitingOn: WaitingOn; wakeAt: number | undefined }
  /** Say in the journal that the run goes on. */
  | { type: "resume"; by: string }
  /** Write these down; no effect is involved. */
  | { type: "record"; events: EventBody[] }
  | { type: "call-model"; callId: string; attempt: number; model: string; purpose: Purpose }
  /** Judge calls that have no verdict yet. */
  | { type: "propose"; calls: string[] }
  /** Judge calls that the agent's steps make: they exist from then on. */
  | { type: "propose-made"; calls: StepCall[] }
  /** Begin these calls together. */
  | { type: "run-tools"; calls: string[] }
  /** Start the children that these calls ask for. */
  | { type: "start-children"; calls: string[] }
  /** Start the children that a pattern asks for. */
  | { type: "start-runs"; runs: PatternRun[] }
  /** Write these down, and have those children cancelled: nobody waits for them any longer. */
  | { type: "give-up-on"; runIds: string[]; events: EventBody[]; reason: string }
  /** What the loop does itself: see to children that nobody waits for, send a message. */
  | { type: "run-errand"; call: string }
  /** Bring in what a child that worked apart has done. */
  | { type: "merge-child"; runId: string }
  /** The run is over but for its children: have them cancelled, and wait. */
  | { type: "cancel-children"; runIds: string[]; waitingOn: WaitingOn }
  | { type: "end"; ending: Ending };
