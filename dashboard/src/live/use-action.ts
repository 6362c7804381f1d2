import { useState } from "react";
import { messageOf } from "../../../src/errors.ts";

export interface Action {
  busy: boolean;
  /** What it was refused for, in a sentence. */
  problem: string | undefined;
  /** True: it is done. */
  perform(what: () => Promise<unknown>): Promise<boolean>;
}

/** Something that a person does to a run: once at a time, and a refusal is shown where it was asked. */
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
