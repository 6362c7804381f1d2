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

/** `whyNot` says why a hook must not run in a folder. */
export function createHooks<Event extends string, Setup extends HookSetup<Event>>(
  setups: readonly Setup[],
  folder: string,
  whyNot: (setup: Setup, cwd: string) => string | undefined = () => undefined,
) {
  const all = setups.map((setup) => ({ setup, matcher: createMatcher(setup.matcher) }));
  return {
    isEmpty: all.length === 0,
    /** The hooks of an event, in the order of the configuration. A matcher can use any of the tool's `names`. */
    find: (event: Event, names?: readonly string[]): Setup[] =>
      all
        .filter(
          ({ setup, matcher }) => setup.event === event && (names === undefined || matcher.matches(names)),
        )
        .map(({ setup }) => setup),

    async run(
      setup: Setup,
      input: object,
      { cwd, runId, signal }: { cwd: string; runId: string; signal: AbortSignal },
    ): Promise<HookRun> {
      const { command, seconds } = setup;
      const problem = whyNot(setup, cwd);
      if (problem !== undefined)
        return { stdout: "", stderr: "", problem: `it was not started: ${problem}`, ms: 0 };
      const env = {
        ...cleanEnvironment(cwd, runId),
        CADRE_PROJECT_DIR: folder,
        CLAUDE_PROJECT_DIR: folder,
      };
      return runHook({ command, input: JSON.stringify(input), cwd, env, timeoutMs: seconds * 1000, signal });
    },
  };
}
