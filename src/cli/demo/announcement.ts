// The text that `cadre up --demo` prints: the link, what is real and what is scripted, and how to use a real model.

import { NPX } from "../command-line.ts";

export interface DemoAnnouncement {
  /** Signs one browser in, once. */
  link: string;
  folder: string;
  /** The server was killed from its page and restarted. */
  again: boolean;
  /** How the person starts Cadre from any folder, for example `npx cadre`. */
  cadre: string;
}

export function demoLines({ link, folder, again, cadre }: DemoAnnouncement): string[] {
  if (again) return ["", "The server was killed, and is back. For a browser that is new to it:", `  ${link}`];
  return [
    "Open this, it signs your browser in:",
    `  ${link}`,
    "",
    "An incident is under way there, and waits for you. The service, its bug, its log and its tests are real;",
    `the model is scripted. All of it is a copy in ${folder}.`,
    "",
    cadre === NPX
      ? "With a real model, on the project that you are in:"
      : "With a real model, on a project of your own:",
    "  export ANTHROPIC_API_KEY=…          # or OPENAI_API_KEY, GEMINI_API_KEY",
    // In another folder `npx` would download whatever has this name in the registry.
    cadre === NPX ? `  ${NPX} init` : `  cd your-project && ${cadre} init`,
    `  ${cadre} up`,
    "",
    "Ctrl-C ends the demo. Once more in the terminal alone:",
    `  ${cadre} demo`,
  ];
}
