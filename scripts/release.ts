// `npm run release 0.2.0` prepares a release: the version, the changelog, a list of all packages (SBOM), a trial of `npm publish`, a commit
// and a tag. It publishes nothing. Pushing the tag starts .github/workflows/release.yml, which publishes.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dateChangelog, releaseProblem } from "./changelog.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const version = process.argv[2] ?? "";
const changelog = readFileSync(`${root}/CHANGELOG.md`, "utf8");
const problem =
  releaseProblem(version, changelog) ??
  (read("git", "status", "--porcelain") === ""
    ? undefined
    : "There are uncommitted changes: commit them first.");
if (problem !== undefined) {
  console.error(`${problem} Nothing was changed.`);
  process.exit(2);
}

run("npm", "version", version, "--no-git-tag-version", "--allow-same-version");
writeFileSync(`${root}/CHANGELOG.md`, dateChangelog(changelog, version, new Date()));
writeFileSync(`${root}/sbom.json`, read("npm", "sbom", "--omit", "dev", "--sbom-format", "cyclonedx"));
run("npm", "publish", "--dry-run");
run("git", "add", "package.json", "package-lock.json", "CHANGELOG.md", "sbom.json");
run("git", "commit", "-m", `chore: release ${version}`);
run("git", "tag", "-a", `v${version}`, "-m", `Cadre ${version}`);
console.log(
  `\nReady. \`git push --follow-tags\` publishes ${version}. \`git reset --hard HEAD~1 && git tag -d v${version}\` takes it back.`,
);

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { cwd: root, stdio: "inherit" });
}

function read(program: string, ...words: string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}
