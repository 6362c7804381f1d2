// The contract of a program that does an agent's work in place of a model. The loop prompts it, records its reports
// and answers
// its questions. The process may end at any time: everything that must outlive it is in the journal.

import type { RunId } from "../../ids.ts";
import type { Definition, Effect } from "../../journal/definition.ts";
import type { FileChange, RunnerStarted } from "../../journal/events.ts";
import type { Todo } from "../../projections/folds/todos.ts";

export interface Runners {
  /** The program that works for a run in this process, if there is one. */
  find(runId: RunId): LiveRunner | undefined;
  /** Why this agent's program cannot be started here, if so. */
  problem(definition: Definition): string | undefined;
  /** Throws an error with a sentence that says why it cannot be started. */
  start(wanted: RunnerStart): Promise<LiveRunner>;
  /** Ends a run's program with everything that it started. Returns sentences about what it left behind, for people. */
  end(runId: RunId): Promise<string[]>;
  /** Kills processes that an earlier Cadre process left running. False: they ran on another machine. */
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
  /** Milliseconds that it has worked on the current prompt. */
  workedMs: number;
  /** Reported cost that is not recorded yet. Undefined: the program reports no cost. */
  readonly cost: number | undefined;
  takeCost(): number | undefined;
  /** Our call ids by the program's own. */
  readonly calls: Map<string, string>;
  /** Unanswered questions: the id of each, and the call that it is about. */
  readonly openQuestions: ReadonlyMap<number, string>;
  prompt(text: string, onText: (piece: string) => void): void;
  /** Waits for the next report. */
  nextReport(limits: { signal: AbortSignal; ms: number; silenceMs: number }): Promise<RunnerReport>;
  /** Allows or denies for this one time. False: the program is no longer there. */
  answer(ask: number, allowed: boolean): boolean;
  /** Asks it to stop working on the prompt. Its reports still arrive. */
  cancel(): void;
}

/** A call of the program, under the name of the tool of ours that does the same. */
export interface ProgramCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The inputs that rules are asked about: one for each file. */
  judged: Record<string, unknown>[];
  effect: Effect;
  preview: string;
  /** The preview shows everything. */
  isWhole: boolean;
  /** Set once the call is over. */
  result?: { output: string; isError: boolean; files: FileChange[]; untrusted: string | undefined };
}

export type RunnerReport =
  /** A whole message, with more to follow. */
  | { type: "message"; text: string }
  /** It is doing or has done something without asking. */
  | { type: "call"; call: ProgramCall }
  /** It asks for permission. `once`: it offers to be allowed for this time only. */
  | { type: "asked"; ask: number; call: ProgramCall; once: boolean }
  | { type: "plan"; todos: Todo[] }
  /** It has reported a higher cost. */
  | { type: "spent" }
  | { type: "answer"; text: string; stop: string }
  | { type: "gone"; why: string }
  /** It was silent for too long, its time is over, or the listener was stopped. */
  | { type: "silent" | "late" | "stopped" };
