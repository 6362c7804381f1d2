// `node examples/07-team/main.ts`: a team of three agents discusses a design in two rounds and writes down the result.

import { type Example, main } from "../shared/play.ts";

const MEMBERS = ["analyst", "developer", "security-reviewer"];

export const example: Example = {
  folder: import.meta.dirname,
  agent: "patterns/panel",
  shows: ["analyst", "panel"],
  expected: {
    tree: [
      "panel, user, 1",
      "├─ analyst, team, 1",
      "├─ developer, team, 2",
      "├─ security-reviewer, team, 1",
      "├─ analyst, team, 1",
      "├─ developer, team, 1",
      "└─ security-reviewer, team, 1",
    ],
    answer: { by: "panel", says: "with 128 random bits" },
    reads: {
      ...Object.fromEntries(MEMBERS.map((name) => [name, ["## ORIGINAL USER REQUEST", `You are ${name}`]])),
      panel: [
        "## ROUND 1",
        "Three cases:",
        "Simplest:",
        "Three ways in:",
        "## ROUND 2",
        "opened_at",
        "is over",
      ],
    },
    together: MEMBERS,
  },
};

if (import.meta.main) await main(example);
