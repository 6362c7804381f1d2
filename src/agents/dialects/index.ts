// The list of dialects. To add a dialect, write a file in this folder and add a line here.

import type { Data } from "../../config/yaml.ts";
import { ALL_PATTERNS } from "../../patterns/declarations/facts.ts";
import { aiAgentDialect } from "./ai-agent.ts";
import { claudeDialect } from "./claude.ts";
import { codexDialect } from "./codex.ts";
import { chatmodeDialect, copilotDialect } from "./copilot.ts";
import { cursorDialect } from "./cursor.ts";
import type { Dialect } from "./dialect.ts";
import { factoryDialect } from "./factory.ts";
import { geminiDialect } from "./gemini.ts";
import { kiroDialect } from "./kiro.ts";
import { linggenDialect } from "./linggen.ts";
import { modesDialect } from "./modes.ts";
import { kiloDialect, opencodeDialect } from "./opencode.ts";
import { piDialect } from "./pi.ts";
import { rolesDialect } from "./roles.ts";

export { rolesDialect };

/** The first dialect that matches is used. Copilot comes first, because no other product uses Copilot's file names. */
export const dialects: readonly Dialect[] = [
  copilotDialect,
  chatmodeDialect,
  aiAgentDialect,
  modesDialect,
  kiloDialect,
  opencodeDialect,
  geminiDialect,
  cursorDialect,
  factoryDialect,
  kiroDialect,
  codexDialect,
  piDialect,
  linggenDialect,
  rolesDialect,
  claudeDialect,
];

/** Values of the key `dialect`, except `cadre`. */
export const dialectNames: readonly string[] = dialects.map(({ name }) => name);

/** The dialect of a file. Undefined if the file is in Cadre's own format. The caller has already looked at the key `dialect`. */
export function dialectOf(
  path: string,
  keys: Readonly<Record<string, Data>>,
  override?: string,
): Dialect | undefined {
  if (override !== undefined) return dialects.find(({ name }) => name === override);
  const byPath = dialects.find((dialect) => dialect.matchesPath?.(path));
  if (byPath) return byPath;
  // A file with a key that only Cadre has is in Cadre's format, even if it also has keys of other products.
  if (OURS.some((key) => Object.hasOwn(keys, key)) || keys["kind"] === "main" || keys["kind"] === "subagent")
    return undefined;
  return dialects.find((dialect) => dialect.matchesKeys?.(keys));
}

const OURS: readonly string[] = [
  ...ALL_PATTERNS.filter(({ isOnlyOurs }) => isOnlyOurs).map(({ key }) => key),
  ..."delegation policy delegate_targets workspace pool extends limits runner".split(" "),
];
