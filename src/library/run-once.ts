// `run(agent, task)`: the shortest program. It opens Cadre in the current folder for one run, and closes it when the run has ended.

import { CadreError } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { type Cadre, type CadreOptions, createCadre, type RunOptions } from "./create-cadre.ts";
import type { Agent } from "./define-agent.ts";
import type { ApprovalHandler } from "./handle-approvals.ts";
import type { Run, RunResult } from "./run.ts";
import type { RunPart } from "./stream.ts";

export interface RunOnceOptions<Input = unknown>
  extends RunOptions<Input>,
    Pick<CadreOptions, "folder" | "store" | "mcpServers" | "env"> {}

export interface RunOnce<Output> extends PromiseLike<RunResult<Output>> {
  readonly id: Promise<string>;
  /** Everything that happens in the run and in the runs below it. */
  readonly stream: AsyncIterable<RunPart>;
  /** The text of the run's own agent, piece by piece. */
  readonly textStream: AsyncIterable<string>;
  onApproval(handler: ApprovalHandler): this;
}

/** Programs with several runs at the same time open Cadre once, with `createCadre`. */
export function run<Output, Input>(
  agent: Agent<Output, Input>,
  task: string,
  { folder, store, mcpServers, env, ...options }: RunOnceOptions<Input> = {},
): RunOnce<Output> {
  // The handle is in an object, because a promise for a handle would wait for the run's end.
  const opened = open({ agents: [agent], ...omitUndefined({ folder, store, mcpServers, env }) });
  const started = opened.then((cadre) => ({ cadre, handle: cadre.run(agent, task, options) }));
  const result = started.then(async ({ cadre, handle }) => {
    try {
      return await handle.result;
    } finally {
      await cadre.close();
    }
  });
  result.catch(() => {}); // The program that awaits the run gets the error. A program that only streams does not await it.
  async function* read<Part>(what: (handle: Run<Output>) => AsyncIterable<Part>): AsyncGenerator<Part> {
    yield* what((await started).handle);
    await result.catch(() => {});
  }
  const once: RunOnce<Output> = {
    id: started.then(({ handle }) => handle.id),
    // biome-ignore lint/suspicious/noThenProperty: `await run(…)` gives the answer
    then: (onResult, onError) => result.then(onResult, onError),
    get stream() {
      return read((handle) => handle.stream);
    },
    get textStream() {
      return read((handle) => handle.textStream);
    },
    onApproval(handler) {
      started.then(
        ({ handle }) => handle.onApproval(handler),
        () => {},
      );
      return once;
    },
  };
  once.id.catch(() => {});
  return once;
}

async function open(options: CadreOptions): Promise<Cadre> {
  try {
    return await createCadre(options);
  } catch (error) {
    if (!(error instanceof CadreError && error.code === "STORE_OWNED")) throw error;
    const reason = `${error.message} For several runs at the same time, call createCadre once and use its \`run\`.`;
    throw new CadreError("STORE_OWNED", reason);
  }
}
