// Drops the settings of a folder that no person has trusted, if they could be used against the person who opens it. Each key
// declares which of its values need trust. A key that declares nothing always does.

import type { Problem } from "./problem.ts";
import type { KeyFacts, TrustRule } from "./schema.ts";
import type { Path, YamlDocument } from "./yaml.ts";

export interface IgnoredSetting {
  key: string;
  problem: Problem;
}

type Values = Record<string, unknown>;

/** What a key that declares nothing is taken to say. */
const UNDECLARED: readonly TrustRule<unknown>[] = [{ what: "a key that declares nothing about trust" }];

/** Removes from `values` whatever needs trust, and reports each setting that it removed. */
export function dropUntrusted(
  document: Pick<YamlDocument, "file" | "at">,
  values: Values,
  folder: string,
  declared: Readonly<Record<string, Partial<Pick<KeyFacts<unknown>, "untrusted">> | undefined>>,
): IgnoredSetting[] {
  const ignored: IgnoredSetting[] = [];
  for (const key of Object.keys(values)) {
    for (const rule of trustRules(declared[key]?.untrusted)) {
      const value = values[key];
      if (value === undefined || rule.needsTrust?.(value, folder) === false) continue;
      if (rule.part !== undefined && rule.without) values[key] = rule.without(value);
      else delete values[key];
      const path = rule.part === undefined ? [key] : [key, rule.part];
      ignored.push({ key, problem: problemAt(document, path, rule.what) });
    }
  }
  return ignored;
}

const trustRules = (untrusted: KeyFacts<unknown>["untrusted"] = UNDECLARED): readonly TrustRule<unknown>[] =>
  untrusted === "allowed" ? [] : untrusted;

const problemAt = (document: Pick<YamlDocument, "file" | "at">, path: Path, what: string): Problem => ({
  file: document.file,
  ...document.at(path, "key"),
  code: "UNTRUSTED",
  severity: "warning",
  message: `\`${path.join(".")}\` is ignored: this folder is not trusted to set ${what}`,
  suggestion: "run `cadre trust` if you know what is in it, or set CADRE_TRUST=1",
});
