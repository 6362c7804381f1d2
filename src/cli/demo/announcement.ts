// What the demo of `cadre up` says in the terminal: where to look, what is real, and the way to a model that thinks.

import { NPX } from "../command-line.ts";

export interface DemoAnnouncement {
  /** Lets one browser in, once. */
  link: string;
  folder: string;
  /** Killed from its page, and started again. */
  again: boolean;
  /** What they type for `cadre`, wherever they are. */
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
    // `npx` elsewhere would fetch whatever has our name in the registry.
    cadre === NPX ? `  ${NPX} init` : `  cd your-project && ${cadre} init`,
    `  ${cadre} up`,
    "",
    "Ctrl-C ends the demo. Once more in the terminal alone:",
    `  ${cadre} demo`,
  ];
}
