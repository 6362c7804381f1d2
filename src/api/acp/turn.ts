// The turn that an editor waits for. It belongs to the run of the latest message: the end of another run of the session does not
// end it.

import type { StopReason } from "@agentclientprotocol/sdk";

export interface Turn {
  /** `delivered`: resolves to the run of the message. */
  begin(delivered: Promise<string>): Promise<StopReason>;
  /** The run of the latest message. */
  runId(): Promise<string | undefined>;
  end(runId: string, reason: StopReason): Promise<void>;
  /** False: the editor is not waiting for this run. */
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
      // It may fail before the editor awaits it, and an unhandled rejection would end the process.
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
