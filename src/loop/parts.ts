// Everything that the loop is given. It knows contracts only; `runtime.ts` puts the concrete parts in.

import type { Clock } from "../clock.ts";
import type { Digest, Ids, RunId } from "../ids.ts";
import type { Definition } from "../journal/definition.ts";
import type { Delta } from "../journal/deltas.ts";
import type { Payload } from "../journal/events.ts";
import type { ClassifyFailure, EstimateCall, Models, PriceOf } from "../models/model.ts";
import type { Grant, Judge, ShellJudge, SourcedRules } from "../permissions/permission.ts";
import type { Store } from "../stores/store.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Gate } from "./gate.ts";

export interface LoopParts {
  store: Store;
  clock: Clock;
  ids: Ids;
  digest: Digest;
  /** This process among all that drive. */
  worker: string;
  host: string;
  pid: number;

  models: Models;
  priceOf: PriceOf;
  estimateCall: EstimateCall;
  classifyFailure: ClassifyFailure;
  silenceError(ms: number): Error;
  cutStreamError(): Error;
  /** What a provider's word about waiting means for every run that uses it. */
  limiter: {
    notBefore(model: string): number | undefined;
    failed(model: string, retryAt: number): void;
    succeeded(model: string): void;
  };

  /** By every name under which a model may call it. */
  tools: ReadonlyMap<string, AnyTool>;
  inputSchema(tool: AnyTool): unknown;
  judge: Judge;
  judgeShell: ShellJudge;
  /** True where the agent's own gate lets this tool through at all. */
  offers(definition: Definition, tool: AnyTool): boolean;
  /** The rules in force now: the project's, the person's. */
  authority(): readonly SourcedRules[];
  standingGrants(): Promise<readonly Grant[]>;
  systemPrompt(definition: Definition, start: Payload<"RUN_STARTED">, runStartedAt: number): string;

  /** Lets a run that may have taken the process down step alone. */
  gate: Gate;
  /** The drives under way here, so that a cancel or a lost lease reaches what they are doing. */
  drives: Map<RunId, Driven>;
  /** E2: false once this worker's own deadline has passed; no effect may begin then. */
  mayBegin(): boolean;
  onDelta(delta: Delta): void;
  /** What no journal can hold: told to whoever runs the process. */
  onProblem(problem: { runId: RunId; message: string; error: unknown }): void;
  /** Milliseconds that effects get to finish at shutdown. */
  drainMs: number;
}

export interface Driven {
  epoch: number;
  interrupt(reason: "cancel" | "lost" | "shutdown"): void;
}
