// Checks whether a `git commit` was made: HEAD has a commit with its message that is newer than the call.

import { resolveInWorkspace } from "../files/workspace-path.ts";
import { git, inFolder } from "../git/run-git.ts";
import type { ProbeContext, ProbeResult } from "../tool.ts";

const GIT_MS = 4_000;
const LOOKED_AT = 20;

export async function probeCommit(
  words: readonly string[],
  base: string,
  { workspace, startedAt, mayShow }: ProbeContext,
): Promise<ProbeResult> {
  const place = await resolveInWorkspace(workspace, base);
  if (!place.ok) return cannotTell(`${place.why}.`);
  if (!mayShow(place.relative)) return cannotTell(`The rules do not let ${place.relative} be read.`);
  const commits = await latestCommits([place.root, ...place.names].join("/")).catch(() => undefined);
  if (!commits) return cannotTell("git could not say which commits there are.");
  const since = commits.filter(({ at }) => at >= Math.floor(startedAt / 1000));
  const message = messageOf(words);
  const made = since.find((commit) => message !== undefined && isMessage(commit.message, message));
  if (made) return { found: "done", evidence: [`Commit ${named(made)} has this message.`] };
  const [head] = commits;
  if (since.length > 0)
    return cannotTell(
      `HEAD has ${since.length} new since the call began, the latest ${named(since[0]!)}: none is known to be this one.`,
    );
  const still = head ? `HEAD is still ${named(head)}, older than the call.` : "There is no commit yet.";
  return { found: "not_done", evidence: [still] };
}

interface Commit {
  id: string;
  /** Seconds since 1970, as git stores them. */
  at: number;
  message: string;
}

/** Uses `rev-list`, because a repository's settings can make `git log` start programs. */
async function latestCommits(folder: string): Promise<Commit[]> {
  const place = {
    ...inFolder(folder),
    timeout: GIT_MS,
    env: { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" },
  };
  const heads = await git(place, ["rev-parse", "--revs-only", "HEAD"]);
  if (heads === "") return [];
  const args = [
    "rev-list",
    `--max-count=${LOOKED_AT}`,
    "--no-commit-header",
    "--format=%H%x00%ct%x00%B%x01",
    "HEAD",
  ];
  const said = await git(place, args);
  return said.split("\u0001").flatMap((one) => {
    const [id = "", at = "", message = ""] = one.trimStart().split("\0");
    return id === "" ? [] : [{ id, at: Number(at), message }];
  });
}

/** Undefined if the command gives no message, or has a flag that may change it. */
function messageOf(words: readonly string[]): string | undefined {
  const parts: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const inline = /^(?:--message=|-a?m(?=.))([\s\S]+)$/.exec(word)?.[1];
    if (inline !== undefined) parts.push(inline);
    else if (/^(-a?m|--message)$/.test(word)) parts.push(words[++index] ?? "");
    else if (!HARMLESS.has(word)) return undefined;
  }
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}

/** Flags that leave the message as given, or only append lines to it. */
const HARMLESS: ReadonlySet<string> = new Set(
  "-a --all -q --quiet -s --signoff -n --no-verify --amend --allow-empty".split(" "),
);

const isMessage = (recorded: string, given: string): boolean =>
  tidy(recorded) === tidy(given) || tidy(recorded).startsWith(`${tidy(given)}\n\nSigned-off-by: `);

/** Cleans up the message as git does: no trailing spaces, no repeated empty lines. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();

const named = ({ id, at, message }: Commit): string =>
  `${id.slice(0, 12)} "${message.split("\n", 1)[0]!.slice(0, 100)}" of ${new Date(at * 1000).toISOString()}`;

const cannotTell = (...evidence: string[]): ProbeResult => ({ found: "cannot_tell", evidence });
