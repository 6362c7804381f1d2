import { expect, test } from "vitest";
import { buildJournal, contextAdded, runStarted, toolResult } from "../../stores/contract/kit.contract.ts";
import { searchHit } from "./search-hit.ts";

const [task, message, tool] = buildJournal(
  runStarted({ task: "Mend the Kühlschrank" }),
  contextAdded(
    "c1",
    `${"Some words before. ".repeat(20)}The door hums\n\n at night.${" And after.".repeat(40)}`,
  ),
  toolResult("m1.0", { output: "door door doorbell" }),
);

const marked = (event: typeof task, query: string): string | undefined =>
  searchHit(event!, query)
    ?.parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("");

test("[29.18] a hit shows the passage around the words, on one line", () => {
  expect(marked(task, "mend")).toBe("[Mend] the Kühlschrank");
  const passage = marked(message, "hum door")!;
  expect(passage).toContain("The [door] [hums] at night.");
  expect(passage).toMatch(/^….*…$/);
  expect(passage.length).toBeLessThan(220);
});

test("[29.18] like the index, a passage ignores case and accents, and beginnings of words match", () => {
  expect(marked(task, "KUHL")).toBe("Mend the [Kühlschrank]");
  expect(marked(task, "refrigerator")).toBeUndefined();
});

test("[29.18] a hit in the task comes before one in a message, and one in a tool's output last; whole words come before beginnings", () => {
  const score = (event: typeof task, query: string): number => searchHit(event!, query)!.score;
  expect(score(task, "mend")).toBeGreaterThan(score(message, "door"));
  expect(score(message, "door")).toBeGreaterThan(score(tool, "door"));
  expect(score(message, "door")).toBeGreaterThan(score(message, "doo"));
  expect(score(message, "door hums")).toBeGreaterThan(score(message, "door fence"));
});
