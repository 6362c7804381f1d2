// The contract of a program that does an agent's work in the place of a model. The loop prompts it, writes down what it tells, and
// answers what it asks; the process behind it is a convenience: whatever must outlive it is in the journal.

import type { RunId } from "../../ids.ts";
import type { Definition, Effect } from "../../journal/definition.ts";
import type { FileChange, RunnerStarted } from "../../journal/events.ts";
import type { Todo } from "../../projections/folds/todos.ts";

export interface Runners {
  /** The program that works for a run in this process; undefined: there is none, or it has ended. */
  find(runId: RunId): LiveRunner | undefined;
  /** Why this agent's program is not started here, if so. */
  problem(definition: Definition): string | undefined;
  /** Throws a sentence that says why it cannot be had. */
  start(wanted: RunnerStart): Promise<LiveRunner>;
  /** Ends the program of a run with everything that it started. Answers with what a person should know of what it left. */
  end(runId: RunId): Promise<string[]>;
  /** Ends what a process that is no more left running. False: it ran on another machine. */
  endLeftover(left: RunnerStarted): Promise<boolean>;
  close(): Promise<void>;
}

export interface RunnerStart {
  runId: RunId;
  definition: Definition;
  workspace: string;
  /** The session to go on with; absent: a new one. */
  session: string | undefined;
  signal: AbortSignal;
}

export type RunnerFacts = Omit<RunnerStarted, "callId" | "attempt" | "host">;

export interface LiveRunner {
  readonly facts: RunnerFacts;
  /** Milliseconds that it has worked on the prompt under way, while somebody listened. */
  workedMs: number;
  /** Money that it says it has cost since it was last taken; undefined: it says nothing. */
  readonly cost: number | undefined;
  takeCost(): number | undefined;
  /** Its calls under our ids, by its own. */
  readonly calls: Map<string, string>;
  /** Its questions that are not answered yet: their ids, and the calls that they are about. */
  readonly openQuestions: ReadonlyMap<number, string>;
  prompt(text: string, onText: (piece: string) => void): void;
  /** What it tells next. */
  nextReport(limits: { signal: AbortSignal; ms: number; silenceMs: number }): Promise<RunnerReport>;
  /** Never for more than once. False: it is not there any more to hear it. */
  answer(ask: number, allowed: boolean): boolean;
  /** Asks it to stop its work on the prompt: it is still heard. */
  cancel(): void;
}

/** A call of the program's, by the name of the tool of ours that would do the same. */
export interface ProgramCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** What rules are asked about: one for each file. */
  judged: Record<string, unknown>[];
  effect: Effect;
  preview: string;
  /** All of it is shown. */
  isWhole: boolean;
  /** Once it is over. */
  result?: { output: string; isError: boolean; files: FileChange[]; untrusted: string | undefined };
}

export type RunnerReport =
  /** A whole message, with more to come after it. */
  | { type: "message"; text: string }
  /** It does something, or has done it; it has not asked. */
  | { type: "call"; call: ProgramCall }
  /** It asks whether it may. `once`: it can be allowed for this time only. */
  | { type: "asked"; ask: number; call: ProgramCall; once: boolean }
  | { type: "plan"; todos: Todo[] }
  /** It has cost more than it had: `cost` says how much. */
  | { type: "spent" }
  | { type: "answer"; text: string; stop: string }
  | { type: "gone"; why: string }
  /** Nothing was heard, or the time is over, or whoever listens was stopped. */
  | { type: "silent" | "late" | "stopped" };
