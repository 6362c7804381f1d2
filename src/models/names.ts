// Model names have the form `provider/model`, where the model part may contain slashes. An alias stands for such a name.

import { CadreError } from "../errors.ts";

/** Follows aliases to the full name. Returns a name that is not an alias unchanged. */
export function fullName(name: string, aliases: Record<string, string> = {}): string {
  const path = [name];
  let current = name;
  while (Object.hasOwn(aliases, current)) {
    current = aliases[current]!;
    if (path.includes(current)) {
      throw new CadreError(
        "CONFIG_INVALID",
        `The model alias "${name}" never ends (${[...path, current].join(" → ")}): ` +
          "let one of them name a model as provider/model.",
      );
    }
    path.push(current);
  }
  return current;
}

export const providerOf = (model: string): string => model.slice(0, Math.max(0, model.indexOf("/"))) || model;

export const modelPartOf = (model: string): string => model.slice(model.indexOf("/") + 1);

/** The candidate most similar to the word, if it is similar enough for the word to be a typo. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
