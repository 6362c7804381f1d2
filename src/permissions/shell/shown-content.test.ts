import { describe, expect, test } from "vitest";
import type { FindFacts } from "../../journal/tool-facts.ts";
import { createJudge } from "../judge.ts";

const find: FindFacts = () => ({
  reaches: ["commands", "files", "network"],
  target: { kind: "command", field: "command" },
});
const judge = createJudge(find);

const verdictOf = (command: string, deny: string, allow: readonly string[] = []): string =>
  judge({
    ...{ tool: "Bash", input: { command }, effect: "unsafe", workspace: "/w", now: 0 },
    ...{ gate: { ask: [], deny: [] }, ancestors: [], grants: [] },
    authority: [{ source: "project", rules: { allow: [...allow], ask: [], deny: [deny] } }],
  }).verdict;

describe("[A70] [30.7] a rule that denies reading a file also applies to commands that show the file without naming it", () => {
  test.each([
    // These commands are from the issue.
    ...["git log -p", "git show", "git diff", "git diff HEAD~3", "git grep KEY", "grep -r KEY", "rg -uu KEY"],
    // Variants of the patch flags.
    ...[
      "git log --patch",
      "git log -U9",
      "git log -S KEY -p",
      "git log --unified=0",
      "git log -L1,9:.env2",
      "git log --cc",
    ],
    ...[
      "git log -3p",
      "git log --oneline -p main",
      "git --no-pager log -p",
      "git -C src log -p",
      "git --git-dir .git show",
    ],
    // Other git commands that show content.
    ...[
      "git stash show -p",
      "git stash list -p",
      "git reflog -p",
      "git status -v",
      "git commit -v --dry-run",
      "git add -p",
    ],
    ...[
      "git whatchanged",
      "git format-patch -1 --stdout",
      "git cat-file -p 1234abcd",
      "git archive HEAD",
      "git bundle create - HEAD",
    ],
    ...[
      "git fast-export HEAD",
      "git range-diff a b c",
      "git rebase --show-current-patch",
      "git lp",
      "git diff-tree -p HEAD",
    ],
    ...[
      "git show 1234abcd --stat",
      "git diff --stat -p",
      "git diff --stat --unified=1",
      "git log -p -- ':(glob)**'",
      "git diff -- ':/'",
    ],
    ...["git diff -- '*.ts'", "git log -p -- .", "git -c a.b=c diff", "git show HEAD:src/a.ts HEAD"],
    // Lists of names that depend on the content of a change.
    ...[
      "git diff --name-only -G KEY HEAD~1",
      "git diff --numstat -SKEY",
      "git diff --stat -S KEY",
      "git diff --numstat -G KEY",
      "git show --name-only --pickaxe-regex -S KEY",
      "git diff --quiet -G^KEY=a",
      "git diff --shortstat --pickaxe-all -GKEY",
      "git diff --numstat -I KEY",
      "git diff --stat --ignore-matching-lines=KEY",
      "git diff --stat --ignore-m=KEY",
      "git log --name-only --find-object=1234abcd",
      "git log --oneline --find-obj 1234abcd",
      "git log --oneline -GKEY",
      "git log --numstat -IKEY",
      "git stash list -G KEY",
      "git shortlog -SKEY",
      "git diff-tree --name-only -G KEY HEAD",
    ],
    // Searches without a path. Some have a flag whose value looks like a path.
    ...[
      "grep -rn KEY",
      "grep -R KEY",
      "grep -rA 3 KEY",
      "grep --recursive KEY",
      "grep -d recurse KEY",
      "grep -re KEY",
      "rgrep KEY",
    ],
    ...[
      "rg KEY --hidden",
      "rg --no-ignore KEY",
      "rg -. KEY",
      "rg -A 3 KEY -u",
      "rg -g '.env' KEY",
      "rg --files -u",
      "ag KEY",
      "ack KEY",
    ],
    ...[
      "grep -rn KEY .",
      "grep -rn KEY src ..",
      "tar c .",
      "timeout 9 git log -p",
      "env git diff",
      "sh -c 'git log -p'",
    ],
    ...["git log -p | head", "true && git show | cat", "xargs git show"],
  ])("%s", (command) => {
    const allowed = ["Bash(git *)", "Bash(grep *)", "Bash(rg *)", "Bash(tar *)", "Bash(sh *)"];
    expect(verdictOf(command, "Read(.env)", allowed)).not.toBe("allow");
  });

  test.each([
    ["git log -p -- secret", "Read(secret/**)"],
    ["git log -p -- src", "Read(**/*.pem)"],
    ["rg KEY", "Read(config/**)"],
    ["rg KEY src", "Read(src/keys/**)"],
    ["grep -rn KEY src", "Read(src/keys/a.txt)"],
    ["git show HEAD:secret/a", "Read(secret/**)"],
    ["git blame secret/a", "Read(secret/**)"],
    ["git -C src diff", "Read(secret/**)"],
    ["rg -A 3 KEY", "Read(secret/**)"],
    ["sh -c 'rg -n KEY'", "Read(secret/**)"],
    ["tree && rg -n KEY", "Read(secret/**)"],
    ["rg --unknown KEY src", "Read(secret/**)"],
  ])("%s, where %s is denied", (command, deny) => {
    expect(verdictOf(command, deny)).not.toBe("allow");
  });

  test.each([
    ...[
      "git log",
      "git log --oneline -5",
      "git log --stat",
      "git log -n 3 --graph --all",
      "git status",
      "git status -sb",
    ],
    ...[
      "git diff --stat",
      "git diff --name-only --stat --ignore-all-space",
      "git diff --name-only HEAD",
      "git show --stat",
      "git show -s",
      "git branch -a",
      "git ls-files",
    ],
    ...[
      "git log -p -- src",
      "git diff -- src/a.ts",
      "git show HEAD:src/a.ts",
      "git blame src/a.ts",
      "git log -p -3 -- src/a.ts",
    ],
    ...[
      "grep -rn KEY src",
      "grep KEY src/a.ts",
      "rg KEY",
      "rg -n KEY src",
      "rg -A 3 KEY src",
      "find . -name x",
      "ls -R",
      "ls -la",
    ],
    ...["git log --oneline | head -5", "cat src/a.ts"],
  ])("%s does not show .env, so it does not ask", (command) => {
    expect(verdictOf(command, "Read(.env)")).toBe("allow");
  });

  test.each([
    ...["rg -n KEY src", "rg -iA 3 KEY src", "grep -rn KEY src", "git -C src log", "git -C src push origin"],
    ...["rm -rf dist", "tree -L 2", "env rg -n KEY src", "ls -R"],
  ])("%s shows nothing of another folder, so it does not ask", (command) => {
    const allowed = ["Bash(git *)", "Bash(rm *)", "Bash(env *)", "Bash(tree *)"];
    expect(verdictOf(command, "Read(secret/**)", allowed)).toBe("allow");
  });

  test.each([
    ...[
      "git commit -am x",
      "git push -u origin main",
      "git add .gitignore",
      "git checkout -b x",
      "git stash",
    ],
    ...["git pull --rebase", "git fetch -p"],
  ])("%s is still covered by an allow rule", (command) => {
    expect(verdictOf(command, "Read(.env)", ["Bash(git *)"])).toBe("allow");
  });
});
