// The state that the workers and people of one simulation share.

import type { FakeClock } from "../../src/clock.ts";
import type { Ids, RunId } from "../../src/ids.ts";
import type { Definition } from "../../src/journal/definition.ts";
import type { LoopParts } from "../../src/loop/parts.ts";
import type { Store } from "../../src/stores/store.ts";
import type { AnyTool, ToolAnswer } from "../../src/tools/tool.ts";
import type { Gate } from "./gate.ts";
import type { SimOptions } from "./options.ts";
import type { Random } from "./random.ts";
import type { Watch } from "./watch.ts";

export interface Surroundings {
  options: SimOptions;
  random: Random;
  clock: FakeClock;
  ids: Ids;
  watch: Watch;
  /** The machine's notes about commands, by call and attempt. */
  notes: Map<string, Note>;
  /** Returns the definition from the agent's file. Throws if there is no such agent. */
  findAgent(name: string): Promise<Definition>;
  store(): Store;
  onActivity(): void;
  trace(line: string): void;
  mutant: Mutant;
}

/** A note about one attempt of a command. */
export interface Note {
  /** True if the note says that the command had not begun. */
  isVoid?: true;
  answer?: ToolAnswer;
}

/** A deliberate defect, which overrides parts of a worker at run time. */
export interface Mutant {
  name: string;
  store?(store: Store, world: Surroundings): Store;
  tools?(tools: AnyTool[]): AnyTool[];
  parts?(parts: LoopParts): LoopParts;
  /** Breaks something that all workers share. Returns a function that repairs it. */
  install?(): () => void;
}

export interface Findable extends Mutant {
  /** Matches the message of the problem that the mutant must cause. */
  found: RegExp;
  /** The first seed to try. It is set if low seeds do not reveal the mutant. */
  from?: number;
}

/** A simulated process, as its tools, models and stores see it. */
export interface SimProcess {
  readonly name: string;
  readonly pid: number;
  readonly gate: Gate;
  /** The latest model intent of each run that this process knows to be on disk. */
  readonly intents: Map<RunId, Intent>;
  /** E2: true until the worker's own deadline. The worker must begin nothing after its deadline. */
  mayBegin(): boolean;
}

export interface Intent {
  runId: RunId;
  callId: string;
  attempt: number;
}
