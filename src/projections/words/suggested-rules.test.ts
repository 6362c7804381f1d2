import { expect, test } from "vitest";
import { describeSuggestion, ruleYaml } from "./suggested-rules.ts";

test("[SG1] a suggestion says which past calls the rule would have allowed, and gives the YAML lines to add", () => {
  const said = { rule: "Bash(npm test *)", spared: 37, of: 41, refused: 6 };
  expect(describeSuggestion(said)).toBe(
    "would have allowed 37 of the 41 such calls that people allowed, and none of the 6 that they refused",
  );
  expect(describeSuggestion({ ...said, spared: 41, refused: 0 })).toBe(
    "would have allowed all 41 such calls that people allowed; they refused none of that kind",
  );
  expect(ruleYaml("Edit(a b/**)")).toBe('permissions:\n  allow:\n    - "Edit(a b/**)"');
});
