// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are sources
// Small sources for each architecture rule: wrong sources that the rule must report, and right sources that it must accept.

type Planted = Record<string, string>;

/** Sources for each rule. `wrong` maps a part of the expected message to the files that cause it. `right` has files without a problem. */
export const PLANTED: Record<string, { wrong: Record<string, Planted>; right: Planted }> = {
  AR1: {
    wrong: {
      "src/journal/a.ts:2: journal comes before loop": {
        "src/journal/a.ts": '// first line\nimport type { X } from "../loop/drive.ts";',
      },
      "src/ids.ts:1: ids comes before stores": { "src/ids.ts": 'export { y } from "./stores/store.ts";' },
      "src/engines/e.ts:1: engines comes before runtime": {
        "src/engines/e.ts": 'type R = import("../runtime/embed.ts").Runtime;',
      },
      "src/api/a.ts:1: api comes before cli": { "src/api/a.ts": 'import "../cli/main.ts";' },
      "imports the test src/stores/store.contract.ts": {
        "src/stores/s.ts": 'import { suite } from "./store.contract.ts";',
      },
      "not part of the product": { "src/cli/main.ts": 'import x from "../../bench/main.ts";' },
      "util has no place": { "src/util.ts": "" },
    },
    right: {
      "src/cli/main.ts":
        'import { createCadre } from "../library/create-cadre.ts";\nimport p from "../../package.json" with { type: "json" };',
      "src/loop/drive/drive.ts":
        'import {\n  a,\n  type B,\n} from "../journal/a.ts";\nimport c from "./c.ts";',
      "src/journal/a.test.ts": 'import { drive } from "../loop/drive.ts";',
      "src/journal/b.ts": 'const s = `\nimport { drive } from "../loop/drive.ts";`;',
    },
  },
  AR2: {
    wrong: {
      "models does not know tools": { "src/models/m.ts": 'import type { Tool } from "../tools/tool.ts";' },
      "permissions does not know stores": { "src/permissions/p.ts": 'import("../stores/sqlite/store.ts");' },
    },
    right: {
      "src/tools/read.ts": 'import { t } from "./tool.ts";\nimport { e } from "../journal/events.ts";',
    },
  },
  AR3: {
    wrong: {
      "src/loop/a.ts:1: the loop gets this": { "src/loop/a.ts": 'import { p } from "../models/prices.ts";' },
      "src/loop/b.ts:1: the loop gets this": {
        "src/loop/b.ts": 'import type { R } from "../permissions/rules.ts";',
      },
    },
    right: {
      "src/loop/a.ts": 'import { t } from "../tools/tool.ts";\nimport type { S } from "../stores/store.ts";',
      "src/loop/a.test.ts": 'import { store } from "../stores/sqlite/store.ts";',
    },
  },
  AR4: {
    wrong: {
      "only runtime/, project/ and library/ import src/stores/sqlite/store.ts": {
        "src/engines/local.ts": 'import { open } from "../stores/sqlite/store.ts";',
      },
      "only runtime/, project/ and library/ import src/tools/index.ts": {
        "src/cli/main.ts": 'import { tools } from "../tools/index.ts";',
      },
      "only runtime/, project/ and library/ import src/engines/local.ts": {
        "src/api/server/app.ts": 'import { e } from "../../engines/local.ts";',
      },
    },
    right: {
      "src/runtime/assembly.ts":
        'import { tools } from "../tools/index.ts";\nimport { open } from "../stores/sqlite/store.ts";',
      "src/stores/sqlite/store.ts": 'import { migrate } from "./migrate.ts";',
      "src/api/server/app.ts": 'import type { Engine } from "../../engines/engine.ts";',
    },
  },
  AR5: {
    wrong: {
      "cycle src/loop/a.ts → src/loop/b.ts → src/loop/c.ts → src/loop/a.ts": {
        "src/loop/a.ts": 'import "./b.ts";',
        "src/loop/b.ts": 'import type { C } from "./c.ts";',
        "src/loop/c.ts": 'export type A = import("./a.ts").A;',
      },
      "cycle src/ids.ts → src/ids.ts": { "src/ids.ts": 'import { x } from "./ids.ts";' },
    },
    right: {
      "src/a.ts": 'import "./b.ts";\nimport "./c.ts";',
      "src/b.ts": 'import "./c.ts";',
      "src/c.ts": "",
    },
  },
  AR6: {
    wrong: {
      "node:crypto is not there": { "src/journal/hash.ts": 'import { hash } from "node:crypto";' },
      "only zod may be imported here, not yaml": { "src/projections/p.ts": 'import { parse } from "yaml";' },
      "src/api/routes/runs.ts may not run in a browser": {
        "src/api/client/client.ts": 'import { StartRun } from "../routes/runs.ts";',
      },
      "the client loads no schemas": { "src/api/client/types.ts": 'import { z } from "zod";' },
      "only zod and eventsource-parser": { "src/api/client/stream.ts": 'import { hc } from "hono/client";' },
      "src/api/client/types.ts:2: Buffer": {
        "src/api/client/types.ts": '// Buffer\nconst a = Buffer.from("process");',
      },
      "src/errors.ts:1: process": { "src/errors.ts": "const a = `$" + "{process.pid}`;" },
      "src/config/config.ts may not run": { "src/ids.ts": 'import { config } from "./config/config.ts";' },
    },
    right: {
      "src/journal/events.ts": 'import { z } from "zod";\nimport { assertNever } from "../errors.ts";',
      "src/api/client/stream.ts":
        'import { createParser } from "eventsource-parser";\nconst a = { process: b.process };',
      "src/journal/a.test.ts": 'import { hash } from "node:crypto";',
      "src/api/client/client.ts":
        'import type { z } from "zod";\nimport type { ApiRoute } from "../routes/index.ts";',
      "src/config/config.ts": 'import { homedir } from "node:os";\nprocess.cwd();',
    },
  },
  AR7: {
    wrong: {
      "does not import src/runtime/assembly.ts": {
        "dashboard/src/a.tsx": 'import type { R } from "../../src/runtime/assembly.ts";',
      },
      "does not import src/clock.ts": { "dashboard/src/b.ts": 'import { e } from "../../src/clock.ts";' },
      "the whole runtime": { "dashboard/src/c.ts": 'import { run } from "cadre";' },
      "node:path": { "dashboard/src/d.ts": 'import { join } from "node:path";' },
    },
    right: {
      "dashboard/src/pages/a.tsx":
        'import { useState } from "react";\nimport { r } from "../../../src/projections/run-state.ts";\nimport "../a.css";\nimport { c } from "../../../src/api/client/client.ts";',
    },
  },
  AR20: {
    wrong: {
      "src/loop/a.ts:1: starts programs": { "src/loop/a.ts": 'import { spawn } from "node:child_process";' },
      "src/cli/b.ts:1: starts programs": { "src/cli/b.ts": 'import "child_process";' },
      "src/cli/c.ts:1: starts programs": {
        "src/cli/c.ts": 'const { exec } = await import("node:child_process");',
      },
      "src/tools/d.ts:1: starts git": { "src/tools/d.ts": 'await runProgram(["git", "status"], options);' },
      "src/tools/shell/supervise.ts:1: starts git": {
        "src/tools/shell/supervise.ts": 'spawn("/usr/bin/git", args);',
      },
      "src/tools/e.ts:1: starts git": { "src/tools/e.ts": "exec(`git status`);" },
      "src/tools/f.ts:2: starts git": { "src/tools/f.ts": 'const argv =\n["git", verb];' },
    },
    right: {
      "src/tools/git/run-git.ts": 'import { spawn } from "node:child_process";\nspawn("git", []);',
      "src/tools/g.ts": 'import { git } from "./git/run-git.ts";\nconst known = new Set(["git"]);',
      "src/tools/g.test.ts": 'import { execFile } from "node:child_process";\nexecFile("git", []);',
    },
  },
  AR16: {
    wrong: {
      "src/index.ts → src/library/create-cadre.ts → src/cli/connect.ts": {
        "src/index.ts": 'export { createCadre } from "./library/create-cadre.ts";',
        "src/library/create-cadre.ts": 'import { connect } from "../cli/connect.ts";',
        "src/cli/connect.ts": "",
      },
    },
    right: {
      "src/index.ts": 'export { createCadre } from "./library/create-cadre.ts";',
      "src/library/create-cadre.ts": "",
      "src/cli/main.ts": 'import { createCadre } from "../library/create-cadre.ts";',
    },
  },
  AR17: {
    wrong: {
      "src/loop/drive/decide.ts:1: decide reaches this file, so it cannot use node:fs": {
        "src/loop/drive/decide.ts": 'import { readFileSync } from "node:fs";',
      },
      "src/patterns/a.ts:2: decide reaches this file (src/loop/drive/decide.ts → src/patterns/a.ts), so it cannot use Date.now":
        {
          "src/loop/drive/decide.ts": 'import { a } from "../../patterns/a.ts";',
          "src/patterns/a.ts": "// first line\nexport const a = () => Date.now();",
        },
      "so it cannot use src/stores/store.ts": {
        "src/loop/drive/decide.ts": 'import { b } from "./b.ts";',
        "src/loop/drive/b.ts": 'import type { LoopParts } from "../parts.ts";',
        "src/loop/parts.ts": 'import type { Store } from "../stores/store.ts";',
      },
      "so it cannot use p-limit": { "src/loop/drive/decide.ts": 'import limit from "p-limit";' },
    },
    right: {
      "src/loop/drive/decide.ts":
        'import { z } from "zod";\nimport { c } from "../../journal/c.ts";\nconst day = new Date(c);',
      "src/journal/c.ts": "export const c = 1; // Date.now()",
      "src/loop/drive/drive.ts": 'import { decide } from "./decide.ts";\nimport "node:fs"; Date.now();',
    },
  },
  AR15: {
    wrong: {
      "ui comes before dashboard/src/display/b.ts": {
        "dashboard/src/ui/a.ts": 'import { b } from "../display/b.ts";',
        "dashboard/src/display/b.ts": "",
      },
      "components comes before dashboard/src/pages/d.ts": {
        "dashboard/src/components/c/c.ts": 'import type { D } from "../../pages/d.ts";',
        "dashboard/src/pages/d.ts": "",
      },
    },
    right: {
      "dashboard/src/routes.tsx": 'import { e } from "./pages/e.tsx";',
      "dashboard/src/pages/e.tsx": 'import { f } from "../components/f.tsx";',
      "dashboard/src/components/f.tsx": "",
    },
  },
  AR11: {
    wrong: {
      "src/a.ts:1: `any`": { "src/a.ts": "const a: any = b;" },
      "src/b.ts:2: `any`": { "src/b.ts": "\nf(a as any);" },
      "src/c.ts:1: `any`": { "src/c.ts": "type A = Map<string, any[]>;" },
      "src/d.ts:2: `any`": { "src/d.ts": "// biome-ignore lint/suspicious/noExplicitAny:\ntype A = any;" },
    },
    right: {
      "src/a.ts":
        "// biome-ignore lint/suspicious/noExplicitAny: holds tools of every input\ntype A = Tool<any>;",
      "src/b.ts":
        '// any\nconst a: string = "any"; const anyTool = Promise.any([z.any()]); type M = { any: 1 };',
      "src/b.test.ts": "const a: any = b;",
    },
  },
  AR12: {
    wrong: {
      "src/tools/index.ts:1: `export *`": { "src/tools/index.ts": 'export * from "./read.ts";' },
      "src/tools/index.ts:2: a list does not": {
        "src/tools/index.ts": 'import { a } from "./a.ts";\nexport {\n  read,\n} from "./read.ts";',
      },
      "src/index.ts:1: `export *`": { "src/index.ts": 'export type * from "./ids.ts";' },
    },
    right: {
      "src/tools/index.ts": 'import { read } from "./read.ts";\nexport const tools = [read];',
      "src/index.ts": 'export { read } from "./tools/read.ts";',
    },
  },
  AR13: {
    wrong: {
      '`runTask` says "task"; our word is "run"': { ...glossary(), "src/a.ts": "function runTask() {}" },
      '`SUB_AGENTS` says "sub agents"; our word is "child"': {
        ...glossary(),
        "src/b.ts": "const SUB_AGENTS = 1;",
      },
      'src/task-list.ts:1: `task-list` says "task"': { ...glossary(), "src/task-list.ts": "" },
    },
    right: {
      ...glossary(),
      "src/a.ts": 'const multitasking = api.task("task"); // task',
      "src/b.test.ts": "const task = 1;",
    },
  },
  AR14: {
    wrong: {
      "src/a.test.ts:1: F51 is in no list": { "SPEC.md": "", "src/a.test.ts": 'test("[F51] falls", f);' },
      "J12 is in no list": {
        "SPEC.md": "J13",
        "src/b.test.ts": 'test.each(a.map((b) => b))("[J11, J12] x", f);',
      },
      "F1 is in no list": { "SPEC.md": "", "test/c.test.ts": "describe(`[F1] $" + "{x}`, f);" },
    },
    right: {
      "SPEC.md": "- **S3** A store refuses.",
      "src/a.test.ts":
        'test("[F44] a"); test("[S3][A01] b"); test("no id"); const s = "test(\\"[Z1]\\")"; a["x"][B9];',
    },
  },
};

function glossary(): Planted {
  const rows = [
    "| Word | Meaning | Avoid |",
    "|---|---|---|",
    "| **run** | one piece of work | `task` (too wide), job |",
  ];
  return { "GLOSSARY.md": [...rows, "| child | a run of a run | sub-agents |", "| turn | – | |"].join("\n") };
}
