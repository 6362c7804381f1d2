import cadre from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import type { Runners } from "../loop/programs/runner.ts";
import { isProtectedPath } from "../permissions/protected-files.ts";
import { createRunners, type RunnersParts } from "../runners/runners.ts";
import { diffPreview } from "../tools/files/diff-preview.ts";
import { confine } from "../tools/sandbox/confine.ts";
import { cleanEnvironment } from "../tools/shell/clean-environment.ts";

/** Runs the programs of this project's agents in the project's sandbox, with a clean environment. */
export function createProjectRunners(
  config: Config,
  env: RunnersParts["env"],
  named: () => readonly string[],
): Runners {
  const { sandbox, folder, dir: stateFolder, trusted } = config;
  const setup = { sandbox, folder, stateFolder, isProtected: isProtectedPath, named };
  return createRunners({
    trusted,
    env,
    variables: config.variables,
    diff: diffPreview,
    version: cadre.version,
    async confine(argv, { workspace, runId }) {
      const context = {
        ...{ workspace, runId, callId: "runner", attempt: 1, effect: "unsafe" as const },
        // Trust in the folder counts as approval, so the program can reach its provider over the network. Protected files stay protected.
        approved: true as const,
        key: runId,
        nonce: () => "",
        signal: new AbortController().signal,
      };
      const options = { command: "", env: cleanEnvironment(workspace, runId, env), context, setup };
      const confined = await confine(argv, options);
      if ("problem" in confined) return confined;
      return {
        ...confined,
        async after() {
          confined.release();
          return confined.checkAfterwards("");
        },
      };
    },
  });
}
