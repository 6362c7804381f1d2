// Model names have the form `provider/model`, where the model part may contain slashes. An alias is another name for such a
// name.

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
