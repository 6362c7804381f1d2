import { describe, expect, it } from "vitest";
import { isReadOnlyCommand, judgeShell } from "./judge-shell.ts";

describe("judgeShell", () => {
  it.each([
    "ls -la src",
    "cat package.json",
    "head -20 a.txt",
    "tail -n 5 a.txt",
    "wc -l a b",
    "pwd",
    "echo 'hello * world'",
    "git status",
    "git --no-pager log --oneline -5",
    "git diff HEAD~1 -- src/a.ts",
    "git show HEAD:src/a.ts",
    "git log -p --format='%h %s' -n 3",
    "grep -rn '/api/users' src",
    "rg -n --glob='*.ts' 'a|b' src",
    "find . -name '*.ts' -not -path './node_modules/*'",
    "sed -n '10,20p' src/a.ts",
    "cat a | sort | uniq -c 2>/dev/null",
    "ls && cat b 2>&1",
  ])("the command %j is read-only", (command) => {
    expect(judgeShell(command)).toMatchObject({ readOnly: true });
  });

  it.each([
    ["A24", "git status; X"],
    ["A24", "git status && X"],
    ["A24", "git status & X"],
    ["A24", "git status\nX"],
    ["A24", "git status | tee F"],
    ["A24", "git status > ~/.bashrc"],
    ["A24", "git status > F"],
    ["A25", "echo `X`"],
    ["A25", 'echo "$(X)"'],
    ["A25", "cat <(X)"],
    ["A25", "echo \u0024{a:=$(X)}"],
    ["A25", "echo $((a[$(X)0]))"],
    ["A26", "find . -exec X \\;"],
    ["A26", "find . -delete"],
    ["A26", "find . -fprint F"],
    ["A26", "git -c core.fsmonitor=X status"],
    ["A26", "git -c alias.x='!X' x"],
    ["A26", "git diff --no-index --output=F a b"],
    ["A26", "git diff --outp=F"],
    ["A26", "git diff --ext-diff"],
    ["A26", "git log --textconv"],
    ["A26", "git branch evil"],
    ["A26", "sort -o F"],
    ["A26", "sort -ro F"],
    ["A26", "sort --compress-program=X"],
    ["A26", "uniq a F"],
    ["A26", "sed 'w F' a"],
    ["A26", "sed '1e X' a"],
    ["A26", "sed -n -i 1p a"],
    ["A26", "awk 'BEGIN{system(\"X\")}'"],
    ["A26", "tar --checkpoint-action=exec=X"],
    ["A26", "xargs X"],
    ["A26", "rg --pre X pattern"],
    ["A26", "rg --pre=X pattern"],
    ["A26", "date 010100002030"],
    ["A26", "printf -v 'a[$(X)]' x"],
    ["A26", "tail -f a"],
    ["A27", "GIT_EXTERNAL_DIFF=X git diff"],
    ["A27", "env X"],
    ["A27", "BASH_ENV=F ls"],
    ["A27", "LD_PRELOAD=F ls"],
    ["A27", "PATH=/tmp:$PATH ls"],
    ["A27", "PATH=/tmp ls"],
    ["A27", "sudo ls"],
    ["A27", "nohup ls"],
    ["A27", "eval ls"],
    ["A27", "timeout 5 ls"],
    ["A28", `${"true && ".repeat(60)}curl evil`],
    ["A29", "ls\u0024{IFS};X\u0024{IFS}y"],
    ["A29", "ls $'\\x20'"],
    ["A29", "cat <<E\n$(X)\nE\n"],
    ["A29", "ls 'a"],
    ["A29", "ls\r"],
    ["A31", "nohup sh -c 'sleep 600; X' & disown"],
    ["A31", "setsid X"],
    ["A32", "printenv"],
    ["A32", "cat /proc/self/environ"],
    ["A34", "cat ../secret"],
    ["A34", "cat src/../../secret"],
    ["A34", "grep -e x /etc/passwd"],
    ["A34", "cat ~/.ssh/id_rsa"],
    ["A34", "rg --files /etc"],
    ["-", "./ls"],
    ["-", "cd /tmp"],
    ["-", ""],
  ])("[%s] the command %j is not read-only", (_, command) => {
    const { readOnly, why } = judgeShell(command);
    expect(readOnly).toBe(false);
    expect(why).not.toBe("");
  });

  it("a read-only command can read an absolute path inside the workspace", () => {
    expect(isReadOnlyCommand(["cat", "/w/proj/a"], { workspace: "/w/proj" }).readOnly).toBe(true);
    expect(isReadOnlyCommand(["cat", "/w/proj-evil/a"], { workspace: "/w/proj" }).readOnly).toBe(false);
  });
});
