import { useState } from "react";
import { messageOf } from "../../../src/errors.ts";

export interface Action {
  busy: boolean;
  /** A sentence that says why the last action failed. */
  problem: string | undefined;
  /** Resolves to true if the action succeeded. */
  perform(what: () => Promise<unknown>): Promise<boolean>;
}

/** Performs one action at a time. Keeps the error message, so that it can be shown where the user started the action. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  return {
    busy,
    problem,
    async perform(what) {
      setBusy(true);
      setProblem(undefined);
      try {
        await what();
        return true;
      } catch (error) {
        setProblem(messageOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
