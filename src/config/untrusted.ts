// Drops settings of an untrusted folder that could harm the person who opens the folder.
// Each key declares which of its values need trust. If a key declares nothing, every value needs trust.

import type { Problem } from "./problem.ts";
import type { KeyFacts, TrustRule } from "./schema.ts";
import type { YamlDocument } from "./yaml.ts";

export interface IgnoredSetting {
  key: string;
  /** The setting as written, for example `permissions.allow`. */
  path: string;
  /** The effect of the setting, for example `allow rules`. */
  what: string;
  problem: Problem;
}

type Values = Record<string, unknown>;

/** The rule for a key that declares nothing: every value needs trust. */
const UNDECLARED: readonly TrustRule<unknown>[] = [{ what: "a key that declares nothing about trust" }];

/**
 * Takes the keys of which every value needs trust out of the file's data, and reports each. They are not even checked:
 * otherwise a mistake in a setting that is ignored anyway would stop every command in the folder.
 */
export function takeUntrustedKeys(
  document: Pick<YamlDocument, "file" | "at" | "data">,
  declared: Readonly<Record<string, Partial<Pick<KeyFacts<unknown>, "untrusted">> | undefined>>,
): IgnoredSetting[] {
  const data = document.data as Record<string, unknown>;
  return Object.keys(data).flatMap((key) => {
    const rule = Object.hasOwn(declared, key)
      ? trustRules(declared[key]?.untrusted).find(isForAll)
      : undefined;
    if (rule === undefined) return [];
    delete data[key];
    return [ignoredSetting([key], rule.what, { file: document.file, ...document.at([key], "key") })];
  });
}

const isForAll = ({ part, needsTrust }: TrustRule<unknown>): boolean =>
  part === undefined && needsTrust === undefined;

/** Removes every setting that needs trust from `values`, and reports each removed setting. */
export function dropUntrusted(
  document: Pick<YamlDocument, "file" | "at">,
  values: Values,
  folder: string,
  declared: Readonly<Record<string, Partial<Pick<KeyFacts<unknown>, "untrusted">> | undefined>>,
): IgnoredSetting[] {
  const ignored: IgnoredSetting[] = [];
  for (const key of Object.keys(values)) {
    for (const { what, part, needsTrust, without } of trustRules(declared[key]?.untrusted)) {
      const value = values[key];
      if (value === undefined || needsTrust?.(value, folder) === false) continue;
      if (part !== undefined && without) values[key] = without(value);
      else delete values[key];
      const path = part === undefined ? [key] : [key, part];
      ignored.push(ignoredSetting(path, what, { file: document.file, ...document.at(path, "key") }));
    }
  }
  return ignored;
}

export function ignoredSetting(
  path: readonly string[],
  what: string,
  place: Pick<Problem, "file" | "line" | "column">,
): IgnoredSetting {
  const problem: Problem = {
    ...place,
    code: "UNTRUSTED",
    severity: "warning",
    message: `\`${path.join(".")}\` is ignored: this folder is not trusted to set ${what}`,
    suggestion: "run `cadre trust` if you know what is in it, or set CADRE_TRUST=1",
  };
  return { key: path[0]!, path: path.join("."), what, problem };
}

const trustRules = (untrusted: KeyFacts<unknown>["untrusted"] = UNDECLARED): readonly TrustRule<unknown>[] =>
  untrusted === "allowed" ? [] : untrusted;
