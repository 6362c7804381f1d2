// `cadre retry RUN`: starts a new run that continues an ended one from its last good event, and follows it like `cadre run`.

import type { Invocation } from "../invocation.ts";
import { type RunOptions, visit } from "./run.ts";

export const retry = (invocation: Invocation, runId: string, options: RunOptions): Promise<number> =>
  visit(invocation, { type: "retry", runId }, options);
