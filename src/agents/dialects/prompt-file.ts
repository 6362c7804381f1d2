// A prompt in a separate file. A path that leaves the folder of the agent's file is refused, so that a foreign agent file
// cannot pull `../../.ssh/id_rsa` into a prompt.

import type { Path } from "../../config/yaml.ts";
import { refuse, type TranslationBuilder } from "./translation-builder.ts";

export function setPromptFile(builder: TranslationBuilder, file: string, path: Path): void {
  const clean = file
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "");
  const outside = clean === "" || /^([A-Za-z]:|\/|~)/.test(clean) || clean.split("/").includes("..");
  if (!outside) {
    builder.promptFile = clean;
    return;
  }
  const message = `the prompt's file \`${file}\` is outside the folder of the file that names it`;
  refuse(builder, path, { code: "PROMPT_OUTSIDE", message, suggestion: "move it beside the file" });
}
