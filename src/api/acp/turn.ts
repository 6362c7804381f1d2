// The turn that an editor waits for, if it waits for one. It is of the run that was spoken to last: another run of the session that
// ends meanwhile does not end it.

import type { StopReason } from "@agentclientprotocol/sdk";

export interface Turn {
  /** `spoken`: brings the run that the person's words have reached. */
  begin(spoken: Promise<string>): Promise<StopReason>;
  /** The run that was spoken to last. */
  runId(): Promise<string | undefined>;
  end(runId: string, reason: StopReason): Promise<void>;
  /** False: nobody waits to hear of it. */
  fail(runId: string, error: unknown): Promise<boolean>;
}

export function createTurn(): Turn {
  let spoken: Promise<string> | undefined;
  let open: PromiseWithResolvers<StopReason> | undefined;
  const runId = async (): Promise<string | undefined> => spoken?.catch(() => undefined);
  const close = async (of: string): Promise<typeof open> => {
    if ((await runId()) !== of) return undefined;
    const closed = open;
    open = undefined;
    return closed;
  };
  return {
    runId,
    begin(said) {
      open ??= Promise.withResolvers();
      const { promise, reject } = open;
      spoken = said;
      said.catch((error: unknown) => {
        open = undefined;
        reject(error);
      });
      // It may fail before anybody waits for it, which would end the process.
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
