// A question that is answered with yes or with no.

import type { Invocation } from "./io.ts";
import { createKeys } from "./keys.ts";

/** Anything but a clear yes is a no. */
export async function askYesNo({ io, screen }: Invocation, question: string): Promise<boolean> {
  const left = new AbortController();
  const { stdin, stdout } = io;
  const keys = createKeys({ stdin, stdout, hold: screen.hold, onInterrupt: () => left.abort() });
  try {
    return /^y(es)?$/i.test((await keys.line(question, left.signal)).trim());
  } catch (error) {
    if (left.signal.aborted) return false;
    throw error;
  }
}
