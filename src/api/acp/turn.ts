// The turn that an editor is waiting for.
// The turn belongs to the run that got the latest message. If another run in the session ends, the turn continues.

import type { StopReason } from "@agentclientprotocol/sdk";

export interface Turn {
  /** Begins a turn. `delivered` resolves to the run that got the message. */
  begin(delivered: Promise<string>): Promise<StopReason>;
  /** The run that got the latest message. */
  runId(): Promise<string | undefined>;
  end(runId: string, reason: StopReason): Promise<void>;
  /** Ends the turn with an error. Returns false if the editor is not waiting for this run. */
  fail(runId: string, error: unknown): Promise<boolean>;
}

export function createTurn(): Turn {
  let delivered: Promise<string> | undefined;
  let open: PromiseWithResolvers<StopReason> | undefined;
  const runId = async (): Promise<string | undefined> => delivered?.catch(() => undefined);
  const close = async (of: string): Promise<typeof open> => {
    if ((await runId()) !== of) return undefined;
    const closed = open;
    open = undefined;
    return closed;
  };
  return {
    runId,
    begin(delivering) {
      open ??= Promise.withResolvers();
      const { promise, reject } = open;
      delivered = delivering;
      delivering.catch((error: unknown) => {
        open = undefined;
        reject(error);
      });
      // The turn might fail before the editor awaits the promise. Without this handler, the unhandled rejection would end the process.
      promise.catch(() => {});
      return promise;
    },
    async end(of, reason) {
      (await close(of))?.resolve(reason);
    },
    async fail(of, error) {
      const closed = await close(of);
      closed?.reject(error);
      return closed !== undefined;
    },
  };
}
