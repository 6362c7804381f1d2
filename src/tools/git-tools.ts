// The git tools: `mcp__git__status`, `diff`, `log`, `commit` and `branch`. They form a group, as the tools of an MCP server do:
// an agent has them if its file names them, or has `mcpServers: [git]`.
//  - They run Cadre's own git, without hooks and transports. A repository whose settings start programs is refused.
//  - They show nothing outside the workspace, and no file that the rules do not let the agent read.

import { z } from "zod";
import { CadreError } from "../errors.ts";
import { revealHiddenInName } from "../journal/visible.ts";
import { HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { resolveInWorkspace } from "./files/workspace-path.ts";
import { gitProgramSetting } from "./git/program-setting.ts";
import { commitAt, git, gitList, inFolder, tryGit } from "./git/run-git.ts";
import { type AnyTool, defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

export const GIT_GROUP = "git";

/** Files in one diff. A longer list could exceed the limit for the arguments of a program. */
const MAX_FILES = 300;
const MAX_COMMITS = 500;

const READS = {
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "reads" },
  searches: true,
  group: GIT_GROUP,
} as const;

const CHANGES = { reaches: ["files"], group: GIT_GROUP } as const;

const path = z.string().optional().describe("Only this file or folder");
const revision = z.string().max(200).regex(/^[^-]/).optional();

const statusTool = defineTool({
  name: "mcp__git__status",
  description: "Shows the branch, and the files that are changed, staged or new.",
  input: z.strictObject({ path }),
  ...READS,
  sameAs: "git status",
  execute: (input, context) =>
    withGit(context, async () => {
      const branch = await tryGit(at(context), ["symbolic-ref", "--quiet", "--short", "HEAD"]);
      const changed = await changedFiles(context, await pathspec(input.path, context));
      const { shown, hidden } = sift(changed, ({ file }) => file, context);
      const lines = shown.map(({ state, file }) => `${state} ${revealHiddenInName(file)}`);
      const head = branch.ok ? `On branch ${branch.output.trim()}` : "HEAD is on no branch";
      return textAnswer(
        [head, ...(changed.length === 0 ? ["Nothing has changed."] : lines), ...hidden].join("\n"),
      );
    }),
});

const diffTool = defineTool({
  name: "mcp__git__diff",
  description:
    "Shows changes: of the files since the last commit, of what is staged, or between two commits. New files are listed by mcp__git__status.",
  input: z.strictObject({
    path,
    from: revision.describe("A commit, branch or tag; the last commit without it"),
    to: revision.describe("A later commit; the files of the workspace without it"),
    staged: z.boolean().optional().describe("Only what is staged"),
  }),
  ...READS,
  sameAs: "git diff",
  execute: (input, context) =>
    withGit(context, async () => {
      const range = [await commitNamed(input.from ?? "HEAD", context)];
      if (input.to !== undefined) range.push(await commitNamed(input.to, context));
      const diff = [...DIFF, ...(input.staged ? ["--cached"] : []), ...range];
      const names = ["--name-only", "-z", "--", ...(await pathspec(input.path, context))];
      const { shown, hidden } = sift(
        await gitList(at(context), [...diff, ...names]),
        (file) => file,
        context,
      );
      const taken = shown.slice(0, MAX_FILES);
      if (taken.length === 0) return textAnswer(["No differences.", ...hidden].join("\n"));
      const text = await git(at(context), [...diff, "--patch", "--", ...taken.map(literal)]);
      const more = shown.length - taken.length;
      const rest = more > 0 ? [`(${more} more files have changed: name a path)`] : [];
      return textAnswer([text, ...rest, ...hidden].join("\n"));
    }),
});

/** No program of a setting, no text of renamed or foreign files, and no index that is written again. */
const DIFF = [
  ...["-c", "diff.autoRefreshIndex=false", "diff", "--no-ext-diff", "--no-textconv", "--no-renames"],
  ...["--no-color", "--relative", "--ignore-submodules=dirty"],
];

const logTool = defineTool({
  name: "mcp__git__log",
  description: "Lists commits, the newest first: hash, date, author and message.",
  input: z.strictObject({
    path,
    from: revision.describe("A commit, branch or tag; HEAD without it"),
    max: z.int().min(1).max(MAX_COMMITS).optional().describe("20 without it"),
  }),
  ...READS,
  sameAs: "git log",
  execute: (input, context) =>
    withGit(context, async () => {
      const commit = await commitNamed(input.from ?? "HEAD", context);
      const format = ["--no-color", "--no-patch", "--date=iso-strict", "--format=%h %ad %an%n%w(0,4,4)%B"];
      const args = ["log", `-${input.max ?? 20}`, ...format, commit];
      return textAnswer(await git(at(context), [...args, "--", ...(await pathspec(input.path, context))]));
    }),
});

const Commit = z.strictObject({
  message: z.string().trim().min(1).max(20_000),
  paths: z.array(z.string().min(1)).min(1).max(MAX_FILES).describe("The files or folders to commit"),
});

const commitTool = defineTool({
  name: "mcp__git__commit",
  description: "Commits the changes of these files, new and deleted ones too. Hooks do not run.",
  input: Commit,
  effect: "unsafe",
  ...CHANGES,
  sameAs: "git commit",
  execute: ({ message, paths }, context) =>
    withGit(context, async () => {
      const named = (await Promise.all(paths.map((one) => pathspec(one, context)))).flat();
      await git(at(context), ["add", "--", ...named]);
      await git(at(context), ["commit", "--quiet", "--no-verify", "--file=-", "--", ...named], message);
      return textAnswer(await git(at(context), ["log", "-1", "--no-color", "--stat", "--format=%h %s"]));
    }),
  async preview({ message, paths }, context) {
    const files = await listChanged(paths, context).catch(() => paths);
    const text = `${message}\n\n${files.map(revealHiddenInName).join("\n") || "(no changes)"}`;
    return { text, fingerprint: JSON.stringify([message, paths, files]) };
  },
});

const branchTool = defineTool({
  name: "mcp__git__branch",
  description: "Creates a branch at the current commit and switches to it. The files stay as they are.",
  input: z.strictObject({ name: z.string().min(1).max(200) }),
  effect: "idempotent",
  ...CHANGES,
  sameAs: "git switch -c x",
  execute: ({ name }, context) =>
    withGit(context, async () => {
      const valid = await tryGit(at(context), ["check-ref-format", `refs/heads/${name}`]);
      if (!valid.ok || name.startsWith("-"))
        return refusal(`${JSON.stringify(name)} is not a branch's name.`);
      const head = await tryGit(at(context), ["symbolic-ref", "--quiet", "HEAD"]);
      if (head.output.trim() !== `refs/heads/${name}`)
        await git(at(context), ["switch", "--quiet", "--no-track", "-c", name]);
      return textAnswer(`On branch ${name}`);
    }),
});

export const gitTools: readonly AnyTool[] = [statusTool, diffTool, logTool, commitTool, branchTool];

const at = ({ workspace }: Pick<ToolContext, "workspace">) => inFolder(workspace);

/** Answers with the failure, so that the model reads git's own message. */
async function withGit(
  { workspace }: Pick<ToolContext, "workspace">,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const setting = gitProgramSetting(workspace);
  if (setting !== undefined)
    return refusal(`The git tools do not work here, because this repository has ${setting}.`);
  try {
    return await work();
  } catch (error) {
    if (error instanceof CadreError) return refusal(error.message);
    throw error;
  }
}

/** A hash, so that `HEAD:file` and other names for the content of a file are refused. */
async function commitNamed(name: string, context: Pick<ToolContext, "workspace">): Promise<string> {
  const commit = await commitAt(at(context), name);
  if (commit === undefined)
    throw new CadreError("UNPROCESSABLE", `there is no commit ${JSON.stringify(name)}`);
  return commit;
}

const literal = (file: string): string => `:(literal)${file}`;

async function pathspec(
  file: string | undefined,
  { workspace }: Pick<ToolContext, "workspace">,
): Promise<string[]> {
  const place = await resolveInWorkspace(workspace, file ?? ".");
  if (!place.ok) throw new CadreError("UNPROCESSABLE", place.why);
  return [place.relative === "." ? "." : literal(place.relative)];
}

interface ChangedFile {
  state: string;
  file: string;
}

/** The changed files below the workspace, with paths from the workspace. */
async function changedFiles(
  context: Pick<ToolContext, "workspace">,
  paths: readonly string[],
): Promise<ChangedFile[]> {
  const prefix = await git(at(context), ["rev-parse", "--show-prefix"]);
  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  const entries = await gitList(at(context), [...args, "--ignore-submodules=dirty", "--", ...paths]);
  return entries.map((entry) => ({ state: entry.slice(0, 2), file: entry.slice(3 + prefix.length) }));
}

async function listChanged(
  paths: readonly string[],
  context: Pick<ToolContext, "workspace">,
): Promise<string[]> {
  if (gitProgramSetting(context.workspace) !== undefined) return [...paths];
  const named = (await Promise.all(paths.map((one) => pathspec(one, context)))).flat();
  return (await changedFiles(context, named)).map(({ file }) => file);
}

/** Leaves out what the rules do not let the agent read. */
function sift<T>(all: readonly T[], fileOf: (one: T) => string, { mayShow }: ToolContext) {
  const shown = all.filter((one) => mayShow?.(fileOf(one)) !== false);
  return { shown, hidden: shown.length < all.length ? [HIDDEN_BY_RULES] : [] };
}
