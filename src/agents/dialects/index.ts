// The dialects, in the order in which they are asked. To add one: a file beside this one, and a line here.

import type { Data } from "../../config/yaml.ts";
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

/** Copilot's file names are its own in any folder; then the folders of products; keys in the same order. */
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

/** What `dialect:` may say, beside `cadre`. */
export const dialectNames: readonly string[] = dialects.map(({ name }) => name);

/** Undefined: ours. So is an override that nobody knows: whoever asks has checked it. */
export function dialectOf(
  path: string,
  keys: Readonly<Record<string, Data>>,
  override?: string,
): Dialect | undefined {
  if (override !== undefined) return dialects.find(({ name }) => name === override);
  const byPath = dialects.find((dialect) => dialect.matchesPath?.(path));
  if (byPath) return byPath;
  // A file with a key that only we have is ours, whatever else it borrows.
  if (OURS.some((key) => Object.hasOwn(keys, key)) || keys["kind"] === "main" || keys["kind"] === "subagent")
    return undefined;
  return dialects.find((dialect) => dialect.matchesKeys?.(keys));
}

const OURS =
  "delegation router advisors team bestOf policy delegate_targets workspace pool extends limits runner".split(
    " ",
  );
