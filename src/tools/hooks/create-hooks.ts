// The hooks of a project: decides which commands belong to an event, and runs one of them.

import { cleanEnvironment } from "../shell/clean-environment.ts";
import { createMatcher } from "./match-hooks.ts";
import { type HookRun, runHook } from "./run-hook.ts";

export interface HookSetup<Event extends string> {
  event: Event;
  matcher: string | undefined;
  command: string;
  seconds: number;
}

export function createHooks<Event extends string>(setups: readonly HookSetup<Event>[], folder: string) {
  const all = setups.map((setup) => ({ setup, matcher: createMatcher(setup.matcher) }));
  return {
    isEmpty: all.length === 0,
    /** The hooks of an event, in the order of the configuration. A matcher can use any of the tool's `names`. */
    find: (event: Event, names?: readonly string[]): HookSetup<Event>[] =>
      all
        .filter(
          ({ setup, matcher }) => setup.event === event && (names === undefined || matcher.matches(names)),
        )
        .map(({ setup }) => setup),

    run(
      { command, seconds }: HookSetup<Event>,
      input: object,
      { cwd, runId, signal }: { cwd: string; runId: string; signal: AbortSignal },
    ): Promise<HookRun> {
      const env = {
        ...cleanEnvironment(cwd, runId),
        CADRE_PROJECT_DIR: folder,
        CLAUDE_PROJECT_DIR: folder,
      };
      return runHook({ command, input: JSON.stringify(input), cwd, env, timeoutMs: seconds * 1000, signal });
    },
  };
}
