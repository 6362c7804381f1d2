// Doctor's checks of hooks. They start no hook.

import type { Project } from "../../project/project.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

/** The hooks that do not run as they are written. */
export const hookChecks = ({ config }: Pick<Project, "config">): Finding[] =>
  config.problems
    .filter(({ code }) => code === "HOOK_CHANGED" || code === "HOOK_MATCHER")
    .map(({ message, suggestion }) => ({
      state: "warn",
      name: "hooks",
      text: message,
      ...(suggestion === undefined ? {} : { fix: suggestion }),
    }));
