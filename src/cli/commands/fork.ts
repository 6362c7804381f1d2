// `cadre fork RUN[#seq]`: starts a new run from an event of another one, which stays unchanged, and follows it like
// `cadre run`.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CadreError, describeSystemError } from "../../errors.ts";
import type { Invocation } from "../invocation.ts";
import { parseRunReference } from "../lookup/run-reference.ts";
import { type RunOptions, visit } from "./run.ts";

export interface ForkOptions extends Omit<RunOptions, "model"> {
  message?: string;
  model?: string;
  agent?: string;
  allowEffects?: boolean;
}

export async function fork(invocation: Invocation, where: string, options: ForkOptions): Promise<number> {
  const { message, model, agent, allowEffects, ...own } = options;
  const { runId, seq } = parseRunReference(where);
  const edit = {
    ...(message === undefined ? {} : { message }),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent: textOf(agent) }),
  };
  const body = {
    ...(seq === undefined ? {} : { seq }),
    ...(Object.keys(edit).length === 0 ? {} : { edit }),
    ...(allowEffects ? { allowEffects } : {}),
  };
  return visit(invocation, { type: "fork", runId, body }, own);
}

function textOf(file: string): string {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    throw new CadreError(
      "USAGE",
      `${file} cannot be read (${describeSystemError(error)}). Nothing was started.`,
    );
  }
}
