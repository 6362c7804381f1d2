// Sequences of tool calls with the usual mistakes of a model, on real files. After each step, the model knows what to do next.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { PDF, PNG } from "../../test/support/sample-files.ts";
import { payloadsOf, resultsRead, scenario, turns } from "../../test/support/scenario.ts";

interface Sequence {
  title: string;
  files?: Record<string, string | Buffer>;
  /** The calls in order, each with the text that the model must read in its result. */
  steps: [tool: string, input: object | ((lastResult: string) => object), shows: RegExp | string][];
  /** The files at the end. */
  leaves?: Record<string, string>;
}

const long = Array.from({ length: 5_000 }, (_, index) => `some words in line ${index + 1}`).join("\n");
const server = "import { createServer } from 'node:http';\n\ncreateServer().listen(80);\n";
const go = 'package main\n\nfunc main() {\n\tif ok {\n\t\tfmt.Println("hi")\n\t}\n}\n';
const nextOffset = (text: string): number => Number(/continue with offset (\d+)/.exec(text)?.[1]);
const notebook = JSON.stringify({
  cells: [{ cell_type: "code", source: ["a = 1\n", "a"], outputs: [{ text: "1\n" }] }],
});
const edit = (path: string, old_string: string, new_string: string, more: object = {}) => ({
  ...{ path, old_string, new_string },
  ...more,
});

const SEQUENCES: Sequence[] = [
  {
    title: "a long file is continued with the offset that the answer names",
    files: { "long.txt": long },
    steps: [
      ["Read", { path: "long.txt" }, /\(lines 1–(\d+) of 5000; continue with offset \d+\)$/],
      [
        "Read",
        (text) => ({ path: "long.txt", offset: nextOffset(text), limit: 2 }),
        /^(\d+)\tsome words in line \1\n/,
      ],
      ["Read", { path: "long.txt", offset: 5_001 }, "(there are only 5000 lines)"],
    ],
  },
  {
    title: "each tool names the file that was meant by a missing path",
    files: { "src/http/server.ts": server },
    steps: [
      ["Read", { path: "server.ts" }, "did you mean src/http/server.ts?"],
      [
        "Edit",
        edit("src/server.ts", "80", "8080"),
        "use Glob to find the file that you mean, or Write to create it; nothing",
      ],
      ["Grep", { path: "src/http/sever.ts", pattern: "listen" }, "did you mean src/http/server.ts?"],
      ["LS", { path: "src/htpp" }, /src\/htpp does not exist: .*Glob/],
      ["Edit", edit("src/http/server.ts", "80", "8080"), "modified src/http/server.ts (1 place)"],
    ],
    leaves: { "src/http/server.ts": server.replace("80", "8080") },
  },
  {
    title: "blanks at line ends do not matter to an edit",
    files: { "a.txt": "alpha  \nbeta\t\ngamma\n" },
    steps: [
      [
        "Edit",
        edit("a.txt", "alpha\nbeta", "one"),
        /matched ignoring blanks at line ends\)\n1\tone\n2\tgamma$/,
      ],
    ],
    leaves: { "a.txt": "one\ngamma\n" },
  },
  {
    title: "an edit with spaces keeps the tabs of the file",
    files: { "main.go": go },
    steps: [
      [
        "Edit",
        edit("main.go", '    if ok {\n        fmt.Println("hi")', '    if ok {\n        fmt.Println("ho")'),
        "matched ignoring indentation",
      ],
    ],
    leaves: { "main.go": go.replace("hi", "ho") },
  },
  {
    title: "plain quotes and dashes match typographic ones",
    files: { "notes.md": "It’s “here” – now\nEnd\n" },
    steps: [["Edit", edit("notes.md", `It's "here" - now`, "It is gone"), "ignoring the kind of quotes"]],
    leaves: { "notes.md": "It is gone\nEnd\n" },
  },
  {
    title: "an ambiguous edit names the lines, and lines around the text make it clear",
    files: { "a.ts": "f(1);\ng();\nf(1);\nh();\n" },
    steps: [
      [
        "Edit",
        edit("a.ts", "f(1);", "f(2);"),
        /2 times \(lines 1, 3\): add lines around it, or set replace_all; nothing/,
      ],
      ["Edit", edit("a.ts", "f(1);\nh();", "f(2);\nh();"), /^3\tf\(2\);$/m],
      ["Edit", edit("a.ts", "(", "((", { replace_all: true }), "4 places"],
    ],
    leaves: { "a.ts": "f((1);\ng(();\nf((2);\nh(();\n" },
  },
  {
    title: "places that match only with tolerance are not guessed",
    files: { "a.py": "if a:\n    go()\nif b:\n        go()\n" },
    steps: [
      [
        "Edit",
        edit("a.py", "\tgo()", "\tstop()"),
        /2 places match it ignoring indentation \(lines 2, 4\): copy one of them exactly; nothing/,
      ],
    ],
    leaves: { "a.py": "if a:\n    go()\nif b:\n        go()\n" },
  },
  {
    title: "several edits in one call are made together or not at all",
    files: { "a.txt": "one\ntwo\nthree\n" },
    steps: [
      [
        "Edit",
        {
          path: "a.txt",
          edits: [
            { old_string: "one", new_string: "1" },
            { old_string: "seven", new_string: "7" },
          ],
        },
        /because of edit 2 of 2: .*nothing was changed/s,
      ],
      [
        "Edit",
        {
          path: "a.txt",
          edits: [
            { old_string: "one", new_string: "1" },
            { old_string: "three", new_string: "3" },
          ],
        },
        "2 places",
      ],
    ],
    leaves: { "a.txt": "1\ntwo\n3\n" },
  },
  {
    title: "an edit that finds nothing shows the nearest lines, and they can be copied",
    files: { "server.ts": server },
    steps: [
      [
        "Edit",
        edit("server.ts", "createServer().listen(8080);", "x"),
        /most similar lines are:\n[\s\S]*^3\tcreateServer\(\)\.listen\(80\);\nIn line 3 the file has ".*80.*", old_string has ".*8080.*"\. Copy the text exactly/m,
      ],
      ["Edit", edit("server.ts", "zzz qqq", "x"), "read the file again"],
      [
        "Edit",
        edit("server.ts", "createServer().listen(80);", "createServer().listen(81);"),
        /listen\(81\);$/,
      ],
    ],
    leaves: { "server.ts": server.replace("80", "81") },
  },
  {
    title: "an edit after the agent's own command needs no second reading",
    files: { "a.txt": "one\ntwo\n" },
    steps: [
      ["Read", { path: "a.txt" }, "1\tone\n2\ttwo"],
      ["Bash", { command: "sed -i 's/one/ONE/' a.txt" }, "[exit 0"],
      ["Edit", edit("a.txt", "two", "TWO"), "modified a.txt"],
    ],
    leaves: { "a.txt": "ONE\nTWO\n" },
  },
  {
    title: "a file with Windows line ends keeps them",
    files: { "a.txt": "one\r\ntwo\r\nthree\r\n" },
    steps: [["Edit", edit("a.txt", "one\ntwo", "1\n2"), "1 place"]],
    leaves: { "a.txt": "1\r\n2\r\nthree\r\n" },
  },
  {
    title: "Grep shows the text around a match, and what is wrong with a pattern",
    files: {
      "a.txt": "one\ntwo\nneedle(\nfour\nfive\n",
      "min.js": `${"a;".repeat(900)}needle${"b;".repeat(900)}`,
    },
    steps: [
      ["Grep", { pattern: "needle(" }, /unclosed group[\s\S]*a backslash before a special character/],
      [
        "Grep",
        { pattern: "needle\\(", context: 1, path: "a.txt" },
        "a.txt-2-two\na.txt:3:needle(\na.txt-4-four",
      ],
      ["Grep", { pattern: "needle", path: "min.js" }, /characters before\) …(a;)+needle(b;)+… \(\d+ more/],
      ["Grep", { pattern: "absent" }, "no match"],
    ],
  },
  {
    title: "names in lower case, file_path and numbers as text are understood",
    files: { "a.txt": "one\ntwo\nthree\n" },
    steps: [
      ["read", { file_path: "a.txt", offset: "2", limit: "1" }, /^2\ttwo\n/],
      ["read_file", { path: "a.txt" }, "3\tthree"],
      ["grep", { pattern: "t", context: "0" }, "a.txt:2:two"],
      ["str_replace", { file_path: "a.txt", old_string: "two", new_string: "2" }, "modified a.txt"],
      ["bash", { cmd: "echo hi" }, "hi\n[exit 0"],
      ["bash", { sript: "true" }, /no tool "bash" for you\. You have: .*Bash/],
    ],
    leaves: { "a.txt": "one\n2\nthree\n" },
  },
  {
    title: "a tool that does not exist is answered with those that do",
    steps: [["Teleport", { to: "home" }, /There is no tool "Teleport" for you\. You have: Read, .*Bash/]],
  },
  {
    title: "a long output is cut at lines, and its saved text is read and searched",
    steps: [
      [
        "Bash",
        { command: "seq 1 20000" },
        /^1\n2\n[\s\S]*lines 4\d+–18\d+ of 20000 left out[\s\S]*Read or Grep output:m1\.0\)$/,
      ],
      ["Read", { path: "output:m1.0", offset: 9_999, limit: 2 }, /^9999\t9999\n10000\t10000\n/],
      ["Grep", { path: "output:m1.0", pattern: "^1234.$" }, "12345:12345"],
      ["Read", { path: "output:m7.0" }, "its name is in the shortened answer"],
    ],
  },
  {
    title: "an image and a PDF are attached, whatever they are called",
    files: { "shot.bin": PNG, "paper.pdf": PDF },
    steps: [
      ["Read", { path: "shot.bin" }, "shot.bin (image/png"],
      ["Read", { path: "paper.pdf" }, "paper.pdf (application/pdf"],
      ["Edit", edit("shot.bin", "a", "b"), "nothing was changed"],
    ],
  },
  {
    title: "a notebook is shown as cells, and is not edited as lines",
    files: { "a.ipynb": notebook },
    steps: [
      ["Read", { path: "a.ipynb" }, /# cell 1 \(code\)[\s\S]*# output/],
      ["Edit", edit("a.ipynb", "a = 1", "a = 2"), "change it by a program with Bash"],
    ],
    leaves: { "a.ipynb": notebook },
  },
  {
    title: "a folder that is read is listed, and one that is written to is refused",
    files: { "src/a.ts": "1\n", "src/b.ts": "2\n" },
    steps: [
      ["Read", { path: "src" }, "src is a folder:\na.ts (2 bytes)\nb.ts (2 bytes)"],
      ["Write", { path: "src", content: "x" }, /is a folder.*nothing was changed/],
      ["Glob", { pattern: "src/*.tsx" }, "no file matches src/*.tsx"],
      ["Glob", { pattern: "src/*.ts" }, /src\/a\.ts\nsrc\/b\.ts/],
    ],
  },
  {
    title: "a command that is killed says how it can have more time or less output",
    steps: [
      ["Bash", { command: "sleep 60", timeout: "300" }, "set a longer timeout, or background"],
      ["Bash", { command: "yes" }, "send it to a file"],
    ],
  },
  {
    title: "a server in the background is waited for, read and stopped",
    steps: [
      [
        "Bash",
        { command: "echo starting; sleep 1; echo listening; sleep 300", background: true },
        "[background command m1.0 is still running",
      ],
      ["BashOutput", { id: "1", wait: 0 }, "there are m1.0 (echo starting"],
      ["BashOutput", { id: "m1.0", until: "listening", wait: 20_000 }, "m1.0 is still running"],
      ["BashOutput", { id: "m1.0", until: "never", wait: 0 }, '"never" has not come'],
      ["Grep", { path: "output:m1.0", pattern: "start" }, "1:starting"],
      ["BashOutput", { id: "m1.0", stop: true }, "stopped"],
      ["BashInput", { id: "m1.0", input: "hello" }, /m1\.0 was ended/],
    ],
  },
  {
    title: "a path outside the workspace and an empty file are named as such",
    files: { "empty.txt": "" },
    steps: [
      ["Read", { path: "/etc/hostname" }, "outside the workspace: only files in it can be used"],
      ["Read", { path: "empty.txt" }, "empty.txt is empty"],
      ["Edit", edit("empty.txt", "a", "b"), "nothing was changed"],
      ["Edit", { path: "empty.txt", new_string: "b" }, "needs old_string and new_string, or edits with both"],
    ],
  },
  {
    title: "each command has a new shell, and a command that fails shows what it wrote and its exit code",
    files: { "src/a.ts": "1\n" },
    steps: [
      ["Bash", { command: "cd src && pwd" }, /\/src\n\[exit 0/],
      ["Bash", { command: "pwd | grep -c /src$; export FOO=1" }, "0\n[exit 0"],
      ["Bash", { command: "echo FOO=$FOO" }, "FOO=\n[exit 0"],
      ["Bash", { command: "false" }, "[exit 1"],
      ["Bash", { command: "echo out; echo err >&2; exit 2" }, /out\nerr\n\[exit 2/],
      ["Bash", { command: "nosuchcommand" }, /nosuchcommand: command not found\n\[exit 127/],
      ["Bash", { command: "printf '\\033[31mred\\033[0m\\n'" }, /^red\n\[exit 0/],
      ["Bash", { command: "head -c 200 /dev/zero" }, "(binary output, 200 bytes, not shown)"],
      ["Bash", { cmd: "echo forgiven" }, "forgiven\n[exit 0"],
    ],
  },
  {
    title: "a command that waits for input ends at once, and processes that it leaves running are named",
    steps: [
      ["Bash", { command: "read -p 'Continue? ' x; echo got=$x" }, "got=\n[exit 0"],
      ["Bash", { command: "cat", timeout: 20_000 }, "[exit 0"],
      [
        "Bash",
        { command: "sleep 301 & echo started" },
        /^started\n\[exit 0[\s\S]*left them running: \d+ sleep 301.*set background\./,
      ],
      [
        "Bash",
        { command: "nohup sleep 302 >/dev/null 2>&1 & disown; echo started" },
        /left them running: \d+ sleep 302/,
      ],
      ["Bash", { command: "setsid sleep 303 & echo started" }, /left them running: \d+ sleep 303/],
    ],
  },
  {
    title: "edits after one another, each of which needs the one before, and edits that are out of date",
    files: { "f.txt": "one\ntwo\nthree\nfour\n" },
    steps: [
      ["Read", { path: "f.txt", offset: 99 }, "(there are only 4 lines)"],
      [
        "Edit",
        {
          path: "f.txt",
          edits: [
            { old_string: "one", new_string: "1" },
            { old_string: "1\ntwo", new_string: "1-2" },
          ],
        },
        "2 places",
      ],
      ["Edit", edit("f.txt", "two", "TWO"), /does not hold old_string[\s\S]*nothing was changed/],
      ["Edit", edit("f.txt", "", "x"), "old_string is empty: name the text to replace, or use Write"],
      ["Edit", edit("f.txt", "1\t1-2", "x"), "old_string begins with line numbers"],
      [
        "Edit",
        edit("nofile.txt", "a", "b"),
        "use Glob to find the file that you mean, or Write to create it",
      ],
      [
        "Read",
        { path: "f.txt", offset: 0, lines: 3 },
        /Unrecognized key: "lines"\nIt takes: path, offset, limit, column/,
      ],
      ["Write", { path: "new/dir/f.txt", content: "hello\n" }, "created new/dir/f.txt (1 line)"],
    ],
    leaves: { "f.txt": "1-2\nthree\nfour\n" },
  },
  {
    title: "text in another encoding and binary files are refused with advice",
    files: {
      "latin1.txt": Buffer.from("caf\u00e9 au lait\n", "latin1"),
      "utf16.txt": Buffer.from("\ufeffhello\n", "utf16le"),
      "data.bin": Buffer.from([1, 0, 2, 0]),
    },
    steps: [
      ["Read", { path: "latin1.txt" }, "not UTF-8 text (Latin-1, perhaps): convert a copy with Bash (iconv)"],
      ["Edit", edit("latin1.txt", "au", "with"), /Bash \(iconv\); nothing was changed$/],
      ["Read", { path: "utf16.txt" }, "is UTF-16 text, and only UTF-8 can be used: convert a copy"],
      ["Grep", { pattern: "hello" }, "utf16.txt:1:hello"],
      ["Read", { path: "data.bin" }, "is binary (4 bytes), and only text can be used"],
    ],
  },
];

const config = "sandbox: none\npermissions: { allow: [Bash, BashInput, Edit, Write] }\n";

for (const { title, files = {}, steps, leaves = {} } of SEQUENCES)
  scenario(
    `[25.9] [25.10] [25.11] ${title}`,
    {
      ...{ idle: true, changes: true, config },
      script: turns(
        ...steps.map(([tool, input]) => (lastResult: string) => ({
          calls: [{ tool, input: typeof input === "function" ? input(lastResult) : input }],
        })),
      ),
    },
    async (world) => {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(world.folder, path)), { recursive: true });
        writeFileSync(join(world.folder, path), content);
      }
      const runId = await world.run("work");
      const state = await world.drive(runId);
      expect(state.waitingOn).toBeUndefined();
      const events = await world.events(runId);
      const read = resultsRead(events);
      for (const [index, [tool, , shows]] of steps.entries())
        expect(read[index], `step ${index + 1}, ${tool}`).toEqual(
          typeof shows === "string" ? expect.stringContaining(shows) : expect.stringMatching(shows),
        );
      expect(payloadsOf(events, "RUN_COMPLETED")).toHaveLength(1);
      for (const [path, text] of Object.entries(leaves))
        expect(readFileSync(join(world.folder, path), "utf8")).toBe(text);
    },
  );
