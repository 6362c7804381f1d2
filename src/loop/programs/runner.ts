// The contract of a program that does an agent's work in place of a model.
// The loop sends prompts to the program, records its reports and answers its questions.
// The process can end at any time: everything that must outlive the process is in the journal.

import type { RunId } from "../../ids.ts";
import type { Definition, Effect } from "../../journal/definition.ts";
import type { FileChange, RunnerStarted } from "../../journal/events.ts";
import type { Todo } from "../../projections/folds/todos.ts";

export interface Runners {
  /** The program that works for a run in this process, if one exists. */
  find(runId: RunId): LiveRunner | undefined;
  /** Why this agent's program cannot be started on this machine. Undefined if it can be started. */
  problem(definition: Definition): string | undefined;
  /** Starts a program. Throws an error that tells people why it cannot be started. */
  start(wanted: RunnerStart): Promise<LiveRunner>;
  /** Ends a run's program and everything that the program started. Returns sentences that tell people what it left behind. */
  end(runId: RunId): Promise<string[]>;
  /** Kills processes that an earlier Cadre process left running. Returns false if they ran on another machine. */
  endLeftover(left: RunnerStarted): Promise<boolean>;
  close(): Promise<void>;
}

export interface RunnerStart {
  runId: RunId;
  definition: Definition;
  workspace: string;
  /** The session to resume. If absent, the program starts a new session. */
  session: string | undefined;
  signal: AbortSignal;
}

export type RunnerFacts = Omit<RunnerStarted, "callId" | "attempt" | "host">;

export interface LiveRunner {
  readonly facts: RunnerFacts;
  /** Milliseconds for which the program has worked on the current prompt. */
  workedMs: number;
  /** Reported cost that is not yet recorded. Undefined if the program reports no cost. */
  readonly cost: number | undefined;
  takeCost(): number | undefined;
  /** Maps the program's call ids to Cadre's call ids. */
  readonly calls: Map<string, string>;
  /** Unanswered questions: the id of each question, and the call that it is about. */
  readonly openQuestions: ReadonlyMap<number, string>;
  prompt(text: string, onText: (piece: string) => void): void;
  nextReport(limits: { signal: AbortSignal; ms: number; silenceMs: number }): Promise<RunnerReport>;
  /** Allows or denies a call this one time. Returns false if the program has ended. */
  answer(ask: number, allowed: boolean): boolean;
  /** Asks the program to stop working on the prompt. The program's remaining reports still arrive. */
  cancel(): void;
}

/** A call of the program, under the name of the equivalent Cadre tool. */
export interface ProgramCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The inputs that the rules judge. A call about several files has one input per file. */
  judged: Record<string, unknown>[];
  effect: Effect;
  preview: string;
  /** Whether the preview shows the whole call. */
  isWhole: boolean;
  /** The result of the call, once the call is over. */
  result?: { output: string; isError: boolean; files: FileChange[]; untrusted: string | undefined };
}

export type RunnerReport =
  /** A complete message. More messages can follow. */
  | { type: "message"; text: string }
  /** The program is doing something without asking, or has already done it. */
  | { type: "call"; call: ProgramCall }
  /** The program asks for permission. `once` means that the call can be allowed for this one time only. */
  | { type: "asked"; ask: number; call: ProgramCall; once: boolean }
  | { type: "plan"; todos: Todo[] }
  /** The program has reported a higher cost. */
  | { type: "spent" }
  | { type: "answer"; text: string; stop: string }
  | { type: "gone"; why: string }
  /** The program was silent for too long, its time is over, or the wait for reports was stopped. */
  | { type: "silent" | "late" | "stopped" };
