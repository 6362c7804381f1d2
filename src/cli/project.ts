// A project's files as a command sees them: no store is opened, so nothing is created and nobody is waited for.

import { loadConfig } from "../config/config.ts";
import { openProject, type Project } from "../project/project.ts";
import type { Invocation } from "./invocation.ts";

export function projectOf({ folder, io }: Invocation): Project {
  const home = io.env["HOME"];
  return openProject({ folder, env: io.env, ...(home ? { home } : {}) });
}

/** What holds in a run that was given no preset of its own. */
export const defaultPreset = ({ folder, io }: Invocation): string =>
  loadConfig({ folder, env: io.env }).permissions.preset ?? "ask";
