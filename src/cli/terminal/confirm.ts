// Asks a yes-or-no question at the terminal.

import type { Invocation } from "../invocation.ts";
import { createKeys } from "./keys.ts";

/** Any answer other than `y` or `yes` means no. */
export async function confirm({ io, screen }: Invocation, question: string): Promise<boolean> {
  const left = new AbortController();
  const { stdin, stdout } = io;
  const keys = createKeys({ stdin, stdout, suspend: screen.suspend, onInterrupt: () => left.abort() });
  try {
    return /^y(es)?$/i.test((await keys.readLine(question, left.signal)).trim());
  } catch (error) {
    if (left.signal.aborted) return false;
    throw error;
  }
}
