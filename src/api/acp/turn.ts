// The turn that an editor waits for.
// The turn belongs to the run of the latest message, so the end of another run in the session does not end the turn.

import type { StopReason } from "@agentclientprotocol/sdk";

export interface Turn {
  /** Begins a turn. `delivered` resolves to the run that got the message. */
  begin(delivered: Promise<string>): Promise<StopReason>;
  /** The run of the latest message. */
  runId(): Promise<string | undefined>;
  end(runId: string, reason: StopReason): Promise<void>;
  /** Returns false if the editor is not waiting for this run. */
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
      // The turn may fail before the editor awaits the promise, and an unhandled rejection would end the process.
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
