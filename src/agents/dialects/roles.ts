// Reads roles from JSON (S2). A wrapper contains default values and a list of roles. The keys are in Pascal case or camel case.
// The roles are in a separate file, or in the key `roles` of cadre.yaml.

import { type Problem, suggestWord } from "../../config/problem.ts";
import type { Data, Path } from "../../config/yaml.ts";
import { isMapping } from "../files/parse.ts";
import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import {
  alias,
  areTexts,
  limitKey,
  modelKey,
  type Reader,
  type Readers,
  readAll,
  sameKey,
} from "./read-keys.ts";
import {
  allowDelegates,
  finishTranslation,
  refuse,
  setKey,
  setLimit,
  setPromptFile,
  startTranslation,
  type TranslationBuilder,
  warn,
  warnIgnored,
} from "./translation-builder.ts";

export const rolesDialect: Dialect = {
  name: "roles",
  matchesKeys: (keys) =>
    field(keys, "AgentRoles") !== undefined || Array.isArray(field(keys, "Roles")?.value),
  translate(source) {
    const wrapper = wrapperOf(source);
    const roles = wrapper && field(wrapper.keys, "Roles");
    if (!wrapper || !roles || !Array.isArray(roles.value) || roles.value.length === 0)
      return [unreadable(source, wrapper?.path ?? [], "`Roles` must be a list of roles")];
    const found = roles.value.map((role, index) =>
      translate(source, wrapper.keys, role, [...wrapper.path, roles.written, index]),
    );
    // Problems of the wrapper are reported only with the first role.
    found[0]?.problems.push(...wrapperProblems(source, wrapper));
    return found;
  },
};

type Keys = Readonly<Record<string, Data>>;

function wrapperOf({ keys }: SourceFile): { keys: Keys; path: Path } | undefined {
  const inner = field(keys, "AgentRoles");
  if (!inner) return { keys, path: [] };
  if (Array.isArray(inner.value)) return { keys: { Roles: inner.value }, path: [inner.written] };
  return isMapping(inner.value) ? { keys: inner.value, path: [inner.written] } : undefined;
}

function wrapperProblems(source: SourceFile, { keys, path }: { keys: Keys; path: Path }): Problem[] {
  const builder = startTranslation(source, path);
  const known = ["Roles", ...Object.values(DEFAULTS)];
  for (const [key, value] of Object.entries(keys)) {
    const name = known.find((word) => word.toLowerCase() === key.toLowerCase());
    if (name === undefined) {
      const message = `unknown key \`${key}\``;
      warn(builder, [key], { code: "UNKNOWN_KEY", message, ...suggestWord(key, known) });
    } else if (name !== "Roles" && !isCount(value))
      warnIgnored(builder, [key], `\`${key}\` must be a number`);
  }
  return builder.problems;
}

const isCount = (value: Data | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Finds a key and ignores letter case: `MaxDepth` means `maxDepth`. */
function field(keys: Keys, name: string): { value: Data; written: string } | undefined {
  const written = Object.keys(keys).find((key) => key.toLowerCase() === name.toLowerCase());
  return written === undefined ? undefined : { value: keys[written]!, written };
}

function translate(source: SourceFile, wrapper: Keys, role: Data, path: Path): Translation {
  if (!isMapping(role)) return unreadable(source, path, "a role must be `key: value` pairs");
  const builder = startTranslation({ ...source, body: "" }, path);
  const known = (key: string): string => KNOWN.get(key.toLowerCase()) ?? key;
  const readers = Object.fromEntries(
    Object.keys(role).map((key): [string, Reader] => {
      const reader = Object.hasOwn(READERS, known(key)) ? READERS[known(key)]! : sameKey;
      return [key, reader];
    }),
  );
  readAll(builder, role, readers);
  readDelegation(builder, role);
  applyDefaults(builder, wrapper);
  return finishTranslation(builder);
}

/** `CanDelegate: false` takes precedence over any list of delegates. */
function readDelegation(builder: TranslationBuilder, role: Keys): void {
  const may = field(role, "CanDelegate");
  const to = field(role, "AllowedDelegations");
  const names = to?.value ?? undefined;
  if (may && may.value !== null && typeof may.value !== "boolean") {
    refuse(builder, [may.written], { code: "BAD_AGENTS", message: "`CanDelegate` must be true or false" });
  } else if (names !== undefined && !areTexts(names)) {
    refuse(builder, [to!.written], { code: "BAD_AGENTS", message: "`AllowedDelegations` must be names" });
  } else if (may?.value === false) {
    allowDelegates(builder, [], [may.written]);
  } else if (names) {
    allowDelegates(builder, names, [to!.written]);
    // In the prompts of these roles, the delegation tool has the name `delegate_to_agent`.
    if (names.length > 0) setKey(builder, "delegation", { tool: "delegate_to_agent" }, to!.written);
  } else if (may?.value === true) {
    const message =
      "the role may delegate, but names no agent: in Cadre an agent starts only agents that it names";
    const suggestion = "list them in `AllowedDelegations`";
    warn(builder, [may.written], { code: "AGENTS_UNNAMED", message, suggestion });
  }
}

const DEFAULTS = {
  maxDepth: "MaxDepth",
  maxTurns: "DefaultMaxIterations",
  maxDuration: "DefaultMaxDurationMs",
};

/** Fills in the wrapper's defaults for keys that the role does not set. */
function applyDefaults(builder: TranslationBuilder, wrapper: Keys): void {
  for (const [name, key] of Object.entries(DEFAULTS)) {
    const value = field(wrapper, key)?.value;
    if (isCount(value) && !Object.hasOwn(builder.limits, name)) setLimit(builder, name, value, key);
  }
  if (!Object.hasOwn(builder.keys, "context")) setKey(builder, "context", "full", "Context");
}

function unreadable(source: SourceFile, path: Path, message: string): Translation {
  const builder = startTranslation({ ...source, body: "" }, path);
  refuse(builder, [], { code: "BAD_ROLES", message });
  return finishTranslation(builder);
}

const promptFile: Reader = (builder, value, key) => {
  if (typeof value === "string") setPromptFile(builder, value, [key]);
  else if (value !== null)
    refuse(builder, [key], { code: "BAD_ROLES", message: `\`${key}\` must be a path` });
};

const promptText: Reader = (builder, value) => {
  if (typeof value === "string") builder.body = value.trim();
};

const readElsewhere: Reader = () => {};

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor("CanDelegate AllowedDelegations", readElsewhere),
  RoleId: alias("name"),
  DisplayName: alias("title"),
  Description: alias("description"),
  ModelId: modelKey,
  SystemPromptFile: promptFile,
  SystemPrompt: promptText,
  MaxIterations: limitKey("maxTurns"),
  MaxDurationMs: limitKey("maxDuration"),
  Context: alias("context"),
};

const KNOWN = new Map(Object.keys(READERS).map((key) => [key.toLowerCase(), key]));
