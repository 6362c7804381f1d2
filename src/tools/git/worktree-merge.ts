// Merges a branch into the parent's folder, or leaves that folder exactly as it is.
//  - The merge is computed without touching the folder. Only a complete merge is applied, as a fast-forward.
//    If git refuses the fast-forward, no file has changed. If the fast-forward is interrupted, `apply-merge.ts` finishes or undoes it.
//  - The merge commit names the branch. A repeated call finds this commit and merges nothing twice.

import { revealHidden } from "../../journal/visible.ts";
import { applyMerge } from "./apply-merge.ts";
import {
  commitAt,
  type GitLocation,
  git,
  gitError,
  gitList,
  inFolder,
  isAncestor,
  tryGit,
} from "./run-git.ts";
import { commitTree, keepReason } from "./worktree-commit.ts";
import { type Checkout, unfinishedOperation, type Worktree } from "./worktree-records.ts";

export type MergeResult =
  | { status: "unchanged" }
  /** `squashed` is set if the commit has one parent only. Then git does not know that the branch is merged. */
  | { status: "merged"; commit: string; files: string[]; squashed?: true }
  /** The parent's folder is unchanged, and the branch contains all work. */
  | { status: "conflict"; branch: string; files: string[]; detail: string }
  /** The work was not merged. It is on the branch, or `detail` says where it is. */
  | { status: "kept"; branch: string; files: string[]; detail: string };

/** Maximum number of merge attempts. Another attempt is needed if the parent got a new commit in the meantime. */
const TRIES = 3;

interface MergeOptions {
  checkout: Checkout;
  message: string;
  why: string | undefined;
  mustLook: ((path: string) => boolean) | undefined;
  /** True if the work becomes one ordinary commit instead of a merge commit. */
  squash?: boolean | undefined;
  /** The commit that a person has approved, or null if nobody has approved any. Other work is not merged. Absent if nobody is asked. */
  approved?: string | null | undefined;
}

/** Everything that a merge would change in the parent's folder. */
export interface MergeReview {
  /** The latest commit of the branch. */
  commit: string;
  files: string[];
  /** The diff, or the list of changed files if the diff is too long to read. */
  diff: string;
}

export async function mergeBack(
  worktree: Worktree,
  { checkout, message, why, mustLook, squash, approved }: MergeOptions,
): Promise<MergeResult> {
  const { parent, branch, base } = worktree;
  const at = inFolder(parent);
  const tip = await commitAt(at, `refs/heads/${branch}`);
  if (tip === undefined) {
    const earlier = await earlierMerge(at, worktree);
    return earlier === undefined ? { status: "unchanged" } : mergedResult(at, earlier);
  }
  if (tip === base) return { status: "unchanged" };
  const squashed = await squashOf(at, worktree, tip);
  if (squashed !== undefined) return { ...(await mergedResult(at, squashed)), squashed: true };
  if (await isAncestor(at, tip, "HEAD")) {
    if (await isAncestor(at, tip, base)) return { status: "unchanged" };
    const earlier = await earlierMerge(at, worktree);
    if (earlier !== undefined) return mergedResult(at, earlier);
    return { status: "merged", commit: tip, files: await changedFiles(at, base, tip) };
  }
  const reason = why ?? (await whyApart(worktree, tip, { checkout, mustLook }));
  if (reason !== undefined) return keepBranch(worktree, reason);
  for (let left = TRIES; left > 0; left--) {
    const answer = await mergeOnce(worktree, checkout, { tip, message, squash, approved });
    if (answer) return answer;
  }
  return keepBranch(worktree, "the parent got new commits all the while");
}

/** Returns what a person decides about. Undefined if there is nothing to merge, or if the work cannot be merged now. */
export async function reviewMerge(
  worktree: Worktree,
  options: Pick<MergeOptions, "checkout" | "mustLook">,
): Promise<MergeReview | undefined> {
  const { parent, branch, base } = worktree;
  const at = inFolder(parent);
  const tip = await commitAt(at, `refs/heads/${branch}`);
  if (tip === undefined || tip === base || (await isAncestor(at, tip, "HEAD"))) return undefined;
  if ((await squashOf(at, worktree, tip)) !== undefined) return undefined;
  if ((await whyApart(worktree, tip, options)) !== undefined) return undefined;
  const head = await git(at, ["rev-parse", "HEAD"]);
  const result = await mergedTree(at, head, tip);
  if ("clashes" in result) return undefined;
  const files = await changedFiles(at, head, result.tree);
  return { commit: tip, files, diff: await diffOf(at, head, { ...result, branch }) };
}

/** Maximum length of a diff that is shown: a few thousand lines, which is the most that a person would read. */
const MAX_SHOWN = 200_000;

async function diffOf(
  at: GitLocation,
  head: string,
  { tree, branch }: { tree: string; branch: string },
): Promise<string> {
  const diff = (how: readonly string[]) =>
    git(at, ["diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color", ...how, head, tree, "--"]);
  const whole = revealHidden(await diff(["-p", "--no-renames"]));
  if (whole.length <= MAX_SHOWN) return whole;
  const list = revealHidden(await diff(["--stat=200", "--no-renames"]));
  return `The diff is too long to show here. See it with: git diff HEAD...${branch}\n\n${list.slice(0, MAX_SHOWN)}`;
}

/** Why the work must stay on its branch for now. */
async function whyApart(
  { parent, base }: Worktree,
  tip: string,
  { checkout, mustLook }: Pick<MergeOptions, "checkout" | "mustLook">,
): Promise<string | undefined> {
  const at = inFolder(parent);
  // A commit can contain protected files, even though tools and the sandbox keep such files out of the folder (A37).
  const delicate = (await changedFiles(at, base, tip)).filter((path) => mustLook?.(path));
  return (await keepReason(at, tip)) ?? (await whyNotNow(parent, checkout.gitDir)) ?? whyDelicate(delicate);
}

export async function keepBranch(worktree: Worktree, why: string): Promise<MergeResult> {
  const { parent, branch, base } = worktree;
  const files = await changedFiles(inFolder(parent), base, `refs/heads/${branch}`).catch(() => []);
  return { status: "kept", branch, files, detail: `Not merged: ${why}. ${mergeAdvice(branch)}` };
}

async function mergeOnce(
  worktree: Worktree,
  checkout: Checkout,
  {
    tip,
    message,
    squash = false,
    approved,
  }: { tip: string } & Pick<MergeOptions, "message" | "squash" | "approved">,
): Promise<MergeResult | undefined> {
  const { parent, branch } = worktree;
  const at = inFolder(parent);
  const head = await git(at, ["rev-parse", "HEAD"]);
  const result = await mergedTree(at, head, tip);
  if ("clashes" in result) {
    const detail = `Changed on both sides: ${someOf(result.clashes)}. ${parent} is as it was. ${mergeAdvice(branch)}`;
    return { status: "conflict", branch, files: result.clashes, detail };
  }
  if (approved !== undefined && approved !== tip)
    return keepBranch(
      worktree,
      approved === null ? "nobody has approved it" : "it was changed after it was approved",
    );
  const commit = squash
    ? await commitTree(at, result.tree, [head], {
        paragraphs: [message],
        trailers: [mark(branch), squashMark(tip)],
      })
    : await commitTree(at, result.tree, [head, tip], {
        paragraphs: [`Merge ${branch}`, message],
        trailers: [mark(branch)],
      });
  const answer = await applyMerge(checkout, { head, commit });
  if (answer.ok) return { ...(await mergedResult(at, commit)), ...(squash ? { squashed: true } : {}) };
  if ((await git(at, ["rev-parse", "HEAD"])) !== head) return undefined;
  return keepBranch(worktree, refusalIn(parent, answer.complaint));
}

async function mergedTree(
  at: GitLocation,
  head: string,
  tip: string,
): Promise<{ tree: string } | { clashes: string[] }> {
  const how = ["--write-tree", "-z", "--name-only", "--no-messages"];
  const said = await tryGit(at, ["merge-tree", ...how, head, tip]);
  if (!said.ok && said.code !== 1) throw gitError("merge-tree", said);
  const [tree = "", ...clashes] = said.output.split("\0").filter((entry) => entry !== "");
  return said.ok ? { tree } : { clashes };
}

const whyDelicate = (files: readonly string[]): string | undefined =>
  files.length === 0
    ? undefined
    : `it changes files that decide what runs, and neither Write nor Edit did that: ${someOf(files)}`;

async function whyNotNow(parent: string, gitDir: string): Promise<string | undefined> {
  const unfinished = await unfinishedOperation(gitDir);
  return unfinished && `${parent} is in the middle of a ${unfinished}`;
}

/** Builds the reason from git's message, which lists each conflicting file after a tab. */
function refusalIn(parent: string, complaint: string): string {
  const files = Array.from(complaint.matchAll(/^\t(.+)$/gm), ([, file]) => file!);
  if (files.length > 0) return `files in ${parent} that are not committed are in the way: ${someOf(files)}`;
  return `git refused it in ${parent} (${complaint.replaceAll(/\s+/g, " ")})`;
}

const mark = (branch: string): string => `Cadre-Worktree: ${branch}`;

const squashMark = (tip: string): string => `Cadre-Squashed: ${tip}`;

/** The merge of an earlier call, merge commit or squashed. A commit of a run is never on the first line of parents. */
async function earlierMerge(
  at: GitLocation,
  { branch, base }: Worktree,
  marks: readonly string[] = [mark(branch)],
): Promise<string | undefined> {
  const how = ["--first-parent", "-1", "--format=%H", "--all-match"];
  const wanted = marks.map((each) => `--grep=^${each}$`);
  return (await git(at, ["log", ...how, ...wanted, `${base}..HEAD`, "--"])) || undefined;
}

/** The commit of the parent that contains exactly this work, squashed. */
const squashOf = (at: GitLocation, worktree: Worktree, tip: string): Promise<string | undefined> =>
  earlierMerge(at, worktree, [mark(worktree.branch), squashMark(tip)]);

async function mergedResult(
  at: GitLocation,
  commit: string,
): Promise<Extract<MergeResult, { status: "merged" }>> {
  return { status: "merged", commit, files: await changedFiles(at, `${commit}^1`, commit) };
}

const changedFiles = (at: GitLocation, from: string, to: string): Promise<string[]> =>
  gitList(at, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to, "--"]);

const mergeAdvice = (branch: string): string =>
  `Its work is on the branch ${branch}: look at it, then \`git merge ${branch}\`.`;

const someOf = (files: readonly string[]): string =>
  files.slice(0, 10).join(", ") + (files.length > 10 ? ` and ${files.length - 10} more` : "");
