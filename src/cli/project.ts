// Opens the files of a project for a command, but not the project's store. Opening creates nothing and waits for no other process.

import { loadConfig } from "../config/config.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { openProject, type Project } from "../project/project.ts";
import type { Invocation } from "./invocation.ts";

export function projectOf({ folder, io }: Invocation): Project {
  return openProject({ folder, env: io.env, ...omitUndefined({ home: io.env["HOME"] || undefined }) });
}

/** The permission preset for runs that set none. */
export const defaultPreset = ({ folder, io }: Invocation): string =>
  loadConfig({ folder, env: io.env }).permissions.preset ?? "ask";
