// Decides which settings of a repository git may use. A repository is written by others, and many settings name programs.
// Settings that are known to name none stay in force. Every other setting is overridden, so a setting that a future git adds is off, too.
// The user's own configuration still applies. Git has no single switch for this, so the settings are overridden one by one (A30).

import type { GitSetting } from "../shell/clean-environment.ts";

export interface RepositorySetting {
  key: string;
  value: string;
}

/** Settings for every git command in a repository that a stranger might have written. Hooks and the file monitor are off for all git commands. */
export const FIXED_SETTINGS: readonly GitSetting[] = [
  // Otherwise a folder of ordinary committed files can be a repository with its own configuration.
  ["safe.bareRepository", "explicit"],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  // Each submodule has its own configuration, which Cadre does not check.
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  // Cadre reads its own trailers.
  ["trailer.separators", ":"],
];

/** A partial clone fetches missing objects with a program that its configuration names. No transport is allowed, not even a local one. */
export const NO_TRANSPORT = { GIT_ALLOW_PROTOCOL: "", GIT_NO_LAZY_FETCH: "1", GIT_PROTOCOL_FROM_USER: "0" };

/** Settings that override the repository's settings. */
export const overridesOf = (own: readonly RepositorySetting[]): GitSetting[] => own.flatMap(overrideOf);

/** git-lfs is a well-known filter that the user has installed. */
export const LFS_COMMAND = /^git-lfs (clean|smudge|filter-process)( --skip)?( -- %f)?( %f)?$/;

/** Replaces an external diff program with git's own diff. The `#` turns the arguments that git appends into a comment. */
const PLAIN_DIFF = `git --no-pager diff --no-index --no-ext-diff --no-textconv -- "$2" "$5" || : #`;

function overrideOf({ key, value }: RepositorySetting): GitSetting[] {
  if (key === "diff.external" || /^diff\..+\.command$/s.test(key)) return [[key, PLAIN_DIFF]];
  if (/^diff\..+\.textconv$/s.test(key)) return [[key, "cat"]];
  if (/^gpg(\..+)?\.program$/s.test(key)) return [[key, "false"]];
  const filter = /^(filter\..+)\.(clean|smudge|process)$/s.exec(key)?.[1];
  if (filter !== undefined)
    return LFS_COMMAND.test(value)
      ? []
      : [
          [key, ""],
          [`${filter}.required`, "false"],
        ];
  if (/^submodule\..+\.ignore$/s.test(key)) return [[key, "dirty"]];
  if (/^remote\..+\.promisor$/s.test(key)) return [[key, "false"]];
  return isHarmless(key) ? [] : [[key, ""]];
}

/** Whether the value of a setting might name a program, or a file with further settings. True for every setting that is not known. */
export const namesProgram = (key: string): boolean => !isHarmless(key);

const isHarmless = (key: string): boolean => HARMLESS.some((pattern) => pattern.test(key));

/** Keys as git lists them: section and name in small letters. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree)$/,
  /^core\.(autocrlf|eol|safecrlf|whitespace|quotepath|commentchar|abbrev|excludesfile|attributesfile|notesref)$/,
  /^core\.(sparsecheckout|sparsecheckoutcone|untrackedcache|splitindex|preloadindex|multipackindex|commitgraph)$/,
  /^core\.(compression|loosecompression|bigfilethreshold|fsync|fsyncmethod|fsyncobjectfiles|sharedrepository)$/,
  /^core\.(protecthfs|protectntfs|longpaths|trustctime|checkstat|fscache|hidedotfiles|usereplacerefs|packedgit\w+)$/,
  /^core\.(deltabasecachelimit|warnambiguousrefs|prefersymlinkrefs|maxtreedepth)$/,
  /^extensions\./,
  // Git also lists the included settings one by one. Overriding the inclusion itself would be an error.
  /^include(if)?\./,
  /^(user|author|committer|branch|url|http|color|column|advice|i18n|index|pack|repack|push|pull|rebase)\./,
  /^(rerere|status|tag|format|fetch|clone|init|gui|blame|apply|am|feature|checkout|commitgraph|receive)\./,
  /^(log|merge|diff|grep|gc|notes|transfer|maintenance|safe)\.(?!recentobjectshook$)[^.]+$/,
  /^diff\..+\.(xfuncname|funcname|binary|wordregex|algorithm)$/s,
  /^filter\..+\.required$/s,
  /^remote\.pushdefault$|^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipfetchall|gh-resolved)$/s,
  /^submodule\.(active|recurse|fetchjobs)$|^submodule\..+\.(url|active|branch|shallow|fetchrecursesubmodules)$/s,
  /^lfs\.(repositoryformatversion|url)$|^lfs\..+\.(access|locksverify)$/s,
];
