// The templates of `cadre init`: small, commented sets of agents. The agents use the scripted model if there is no API key.

import { fileURLToPath } from "node:url";

export interface Template {
  name: string;
  /** The template's label in the question of `cadre init`. */
  label: string;
  hint: string;
  /** Folder with the template's files. Undefined for the template that uses the agents already in the project. */
  folder?: string;
  /** The agent and the task that we suggest for the first run. */
  first?: { agent: string; task: string };
}

/** Name of the script, used in `scripted/…` and in the file name. */
export const SCRIPT = "first-steps";

const folderOf = (name: string): string =>
  fileURLToPath(new URL(`../../../templates/${name}`, import.meta.url));

export const TEMPLATES: readonly Template[] = [
  {
    name: "incident",
    label: "Incident response",
    hint: "from the log to the cause, and a fix that waits for you",
    folder: folderOf("incident"),
    first: { agent: "oncall", task: "checkout answers with 500 since this morning" },
  },
  {
    name: "coding",
    label: "A coding team",
    hint: "a lead, a coder, and a reviewer who only reads",
    folder: folderOf("coding"),
    first: { agent: "lead", task: "what should be improved here?" },
  },
  {
    name: "company",
    label: "A company of small agents",
    hint: "a front desk that routes, a researcher, a writer and an editor",
    folder: folderOf("company"),
    first: { agent: "front-desk", task: "write a note about our new prices" },
  },
  {
    name: "existing",
    label: "The agents that are already here",
    hint: "from Claude Code, opencode or Copilot, unchanged",
  },
];
