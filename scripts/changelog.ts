// What a release does to CHANGELOG.md.

const UNRELEASED = "## [Unreleased]";

/** Why this version cannot be released. Undefined if it can. */
export function releaseProblem(version: string, changelog: string): string | undefined {
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version))
    return "Name the version: `npm run release 0.2.0`.";
  if (changelog.includes(`## [${version}]`)) return `CHANGELOG.md has an entry for ${version} already.`;
  const [, entry = ""] = changelog.split(UNRELEASED);
  return /^- /m.test(entry.split("\n## ")[0]!) ? undefined : "CHANGELOG.md says nothing under [Unreleased].";
}

/** Gives the unreleased changes their version and date, and begins a new empty part above them. */
export function dateChangelog(changelog: string, version: string, now: Date): string {
  return changelog.replace(
    UNRELEASED,
    `${UNRELEASED}\n\n## [${version}] - ${now.toISOString().slice(0, 10)}`,
  );
}
