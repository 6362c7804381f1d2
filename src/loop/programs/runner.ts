// The contract of a program that does an agent's work in place of a model.
// The loop prompts it, records its reports and answers its questions.
// The process may end at any time: everything that must outlive it is in the journal.

import type { RunId } from "../../ids.ts";
import type { Definition, Effect } from "../../journal/definition.ts";
import type { FileChange, RunnerStarted } from "../../journal/events.ts";
import type { Todo } from "../../projections/folds/todos.ts";

export interface Runners {
  /** The program that works for a run in this process, if there is one. */
  find(runId: RunId): LiveRunner | undefined;
  /** Why this agent's program cannot be started here. Undefined: it can. */
  problem(definition: Definition): string | undefined;
  /** Starts a program. Throws an error that tells people why it cannot be started. */
  start(wanted: RunnerStart): Promise<LiveRunner>;
  /** Ends a run's program with everything that it started. Returns sentences about what it left behind, for people. */
  end(runId: RunId): Promise<string[]>;
  /** Kills processes that an earlier Cadre process left running. Returns false if they ran on another machine. */
  endLeftover(left: RunnerStarted): Promise<boolean>;
  close(): Promise<void>;
}

export interface RunnerStart {
  runId: RunId;
  definition: Definition;
  workspace: string;
  /** The session to resume. Absent: a new one. */
  session: string | undefined;
  signal: AbortSignal;
}

export type RunnerFacts = Omit<RunnerStarted, "callId" | "attempt" | "host">;

export interface LiveRunner {
  readonly facts: RunnerFacts;
  /** Milliseconds for which the program has worked on the current prompt. */
  workedMs: number;
  /** Reported cost that is not recorded yet. Undefined: the program reports no cost. */
  readonly cost: number | undefined;
  takeCost(): number | undefined;
  /** Cadre's call ids, by the program's call ids. */
  readonly calls: Map<string, string>;
  /** Unanswered questions: the id of each, and the call that it is about. */
  readonly openQuestions: ReadonlyMap<number, string>;
  prompt(text: string, onText: (piece: string) => void): void;
  /** Waits for the next report. */
  nextReport(limits: { signal: AbortSignal; ms: number; silenceMs: number }): Promise<RunnerReport>;
  /** Allows or denies a call for this one time. Returns false if the program has ended. */
  answer(ask: number, allowed: boolean): boolean;
  /** Asks the program to stop working on the prompt. Its reports still arrive. */
  cancel(): void;
}

/** A call of the program, under the name of the Cadre tool that does the same. */
export interface ProgramCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The inputs that are judged: one for each file. */
  judged: Record<string, unknown>[];
  effect: Effect;
  preview: string;
  /** Whether the preview shows the whole call. */
  isWhole: boolean;
  /** Set once the call is over. */
  result?: { output: string; isError: boolean; files: FileChange[]; untrusted: string | undefined };
}

export type RunnerReport =
  /** A whole message, with more to follow. */
  | { type: "message"; text: string }
  /** The program is doing or has done something without asking. */
  | { type: "call"; call: ProgramCall }
  /** The program asks for permission. `once`: it can be allowed for this time only. */
  | { type: "asked"; ask: number; call: ProgramCall; once: boolean }
  | { type: "plan"; todos: Todo[] }
  /** The program has reported a higher cost. */
  | { type: "spent" }
  | { type: "answer"; text: string; stop: string }
  | { type: "gone"; why: string }
  /** The program was silent for too long, its time is over, or the listener was stopped. */
  | { type: "silent" | "late" | "stopped" };
