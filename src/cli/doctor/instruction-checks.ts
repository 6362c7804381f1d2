// Doctor's check of AGENTS.md, CLAUDE.md and the other files with instructions for all agents.

import { problemSentence } from "../../agents/instructions/read-instructions.ts";
import type { Project } from "../../project/project.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

export async function instructionChecks({ instructions, config }: Project): Promise<Finding[]> {
  const { files, problems } = await instructions.find({});
  const name = "instructions";
  const names = files.map(({ file }) => file).join(", ");
  const warnings = problems.map(
    (problem): Finding => ({ state: "warn", name, text: problemSentence(problem) }),
  );
  if (files.length === 0 && warnings.length > 0) return warnings;
  if (files.length === 0)
    return [
      { state: "ok", name, text: config.instructions === false ? "switched off" : "none, which is fine" },
    ];
  const text = `every agent is told ${names}${config.trusted ? "" : ", as untrusted text"}`;
  return [{ state: "ok", name, text }, ...warnings];
}
