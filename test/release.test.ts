import { expect, test } from "vitest";
import { dateChangelog, releaseProblem } from "../scripts/changelog.ts";

const CHANGELOG =
  "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-01\n\n- Older.\n";

test("[35.5] a release gives the unreleased changes their version and date, and keeps the older ones", () => {
  const text = dateChangelog(CHANGELOG, "0.2.0", new Date("2026-12-01T10:00:00Z"));
  expect(text).toContain("## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A thing.");
  expect(text).toContain("## [0.1.0] - 2026-11-01");
  expect(releaseProblem("0.3.0", text)).toBe("CHANGELOG.md says nothing under [Unreleased].");
});

test.each([
  ["", "Name the version: `npm run release 0.2.0`."],
  ["v0.2.0", "Name the version: `npm run release 0.2.0`."],
  ["0.1.0", "CHANGELOG.md has an entry for 0.1.0 already."],
  ["0.2.0", undefined],
])("[35.5] the version %j is refused with a reason, or accepted", (version, problem) => {
  expect(releaseProblem(version, CHANGELOG)).toBe(problem);
});
