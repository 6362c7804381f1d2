// Collects the secrets to mask: from the environment, the configuration and the `.env` files.

import type { Config } from "../config/config.ts";
import { otlpHeaders } from "../config/otlp.ts";
import { DECLARED_KEYS } from "../config/schema.ts";
import {
  configuredSecrets,
  envFiles,
  environmentSecrets,
  everyText,
  headerSecrets,
} from "../config/secrets.ts";
import type { Env } from "../config/trust.ts";
import { messageOf } from "../errors.ts";
import { createMask, type Mask, type Secret } from "../journal/masking/mask.ts";

export interface MaskSources {
  folder: string;
  env: Env;
  /** The configuration. If it cannot be read, only the secrets of the environment and of `.env` files are masked. */
  config?: Pick<Config, "dir"> & Partial<Config>;
}

/** Limit on the number of collected secrets. Only a constantly rewritten file could reach it. */
const MOST_KNOWN = 20_000;

export function createProjectMask({ folder, env, config }: MaskSources): Mask {
  const files = envFiles(folder, config?.dir);
  const fixed = [...settingSecrets(config ?? {}, env), ...headerSecrets(otlpHeaders(env))];
  /** All secrets found so far. A value stays secret even after it was removed from its `.env` file, because it might have been copied. */
  const known = new Map<string, Secret>();
  const list = (): Secret[] => {
    if (known.size > MOST_KNOWN) known.clear();
    for (const secret of [...fixed, ...files.secrets()]) {
      // A secret that is part of the folder's path is not masked: masking it would garble every path in the project.
      if (!known.has(secret.value) && !folder.includes(secret.value)) known.set(secret.value, secret);
    }
    return [...known.values()];
  };
  return createMask({ list, hasChanged: files.changed });
}

/** Finds secrets in the environment and the settings. If a setting does not declare which of its values are secret, all of them are. */
export function settingSecrets(
  config: Readonly<Record<string, unknown>>,
  env: Env,
  declared: Readonly<Record<string, { secrets?: "none" | "named" | "all" }>> = DECLARED_KEYS,
): Secret[] {
  const valuesWith = (secrets: "named" | "all"): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(declared)
        .filter(([, facts]) => (facts.secrets ?? "all") === secrets)
        .map(([key]) => [key, config[key]]),
    );
  const [named, all] = [valuesWith("named"), valuesWith("all")];
  return [
    ...environmentSecrets(env, [...variablesNamed(named), ...variablesNamed(all)]),
    ...configuredSecrets(named),
    ...everyText(all),
  ];
}

/** Settings that name an environment variable without a secret. A tenant's name is not secret: it is part of the server's addresses. */
const NOT_SECRET = new Set(["tenantEnv"]);

/** Collects the environment variables that settings like `apiKeyEnv` and `tokenEnv` name, at any depth. */
function variablesNamed(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== "string") return variablesNamed(inner);
    return key.endsWith("Env") && !NOT_SECRET.has(key) ? [inner] : [];
  });
}

export interface ReportedProblem {
  message: string;
  error: unknown;
}

/** Masks a problem before it is reported, because providers repeat API keys in their error messages. */
export function maskProblem<P extends ReportedProblem>(problem: P, mask: Mask): P {
  const { message, error } = problem;
  const said = messageOf(error);
  const masked = mask.text(said);
  return { ...problem, message: mask.text(message), error: masked === said ? error : new Error(masked) };
}
