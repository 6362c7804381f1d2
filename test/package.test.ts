// Tests the published package after it is installed.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as ai from "../src/ai.ts";
import * as client from "../src/client.ts";
import * as sources from "../src/index.ts";
import * as testing from "../src/testing.ts";
import { type Installed, installPackage, manifest, ROOT } from "./package/install.ts";
import { enterByLink } from "./support/enter-by-link.ts";

/** The timeout is long, because building, packing and starting processes take a long time on a busy machine. */
const SLOW = 300_000;

let installed: Installed;
let env: Record<string, string>;
beforeAll(() => {
  installed = installPackage();
  const home = join(installed.folder, "home");
  mkdirSync(home);
  env = { PATH: process.env["PATH"]!, HOME: home, TMPDIR: home, NO_COLOR: "1", CADRE_TRUST: "1" };
}, SLOW);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true, maxRetries: 5 }));

test("the package meets the rules of npm, Node and TypeScript, and contains exactly the listed files", () => {
  const look = (tool: string, ...args: string[]) =>
    spawnSync(join(ROOT, "node_modules/.bin", tool), args, { encoding: "utf8" });
  expect(look("publint", "run", installed.tarball, "--strict").stdout).toContain("All good!");
  const types = look("attw", installed.tarball, "--ignore-rules", "cjs-resolves-to-esm");
  expect(types.status, types.stdout).toBe(0);
  const files = globSync("**/*", { cwd: installed.own });
  expect(files).toEqual(
    expect.arrayContaining([
      "dashboard/dist/index.html",
      "dist/tools/shell/supervisor.sh",
      "examples/11-incident/task.txt",
    ]),
  );
  expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
});

test("[27.8] the unpacked package is smaller than 5 MB", () => {
  expect(installed.unpackedSize).toBeLessThan(5_000_000);
});

test("[27.8] the package has no scripts that npm would run, or warn about, during an install", () => {
  const { scripts } = manifest();
  // npm also warns about `prepare` in a tarball. In a clone, npm runs `postprepare` even if there is no `prepare`.
  const warned = ["preinstall", "install", "postinstall", "prepare"].filter((name) => name in scripts);
  expect(warned).toEqual([]);
});

test("the package imports only its dependencies and optional peers; Ink and React are bundled", async () => {
  const { dependencies, peerDependencies } = manifest();
  const known = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies), "cadre"]);
  const dist = join(installed.own, "dist");
  const named = globSync("**/*.js", { cwd: dist, exclude: ["vendor/**"] }).flatMap((file) => {
    const text = readFileSync(join(dist, file), "utf8");
    const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
    const exported = staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest ?? []),
    );
    const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
    return [
      ...[...staticImports.map(({ moduleRequest }) => moduleRequest), ...exported].map(({ value }) => value),
      ...dynamic,
    ];
  });
  const packages = named
    .filter((name) => /^[@\w][\w@/.:-]*$/.test(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
  expect(packages.filter((name) => !known.has(name) && !name.startsWith("node:"))).toEqual([]);
  expect(packages).toContain("zod");

  const { renderToString, Text } = await import(join(dist, "vendor/ink.js"));
  const { createElement } = await import(join(dist, "vendor/react.js"));
  expect(renderToString(createElement(Text, null, "drawn"))).toBe("drawn");
});

test(
  "the installed command line works: init, validate, run, doctor, and up with its API",
  async () => {
    const folder = join(installed.folder, "project");
    mkdirSync(folder);
    const launcher = join(installed.own, "bin/cadre.js");
    const cadre = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], {
        ...{ cwd: folder, env },
        encoding: "utf8",
      });
      expect(`${status} ${stderr}`, args.join(" ")).toBe("0 ");
      return stdout;
    };
    expect(cadre("--version").trim()).toBe(manifest().version);
    cadre("init", "--template", "coding");
    cadre("agents", "validate", "--strict");
    expect(cadre("run", "lead", "look around")).toContain("A rehearsal by the scripted model");
    writeFileSync(join(folder, "agents/reader.md"), READER);
    writeFileSync(join(folder, "note.txt"), "hello");
    copyFileSync(join(ROOT, "test/package/reader.steps.ts"), join(folder, "agents/reader.steps.ts"));
    expect(cadre("run", "reader", "It says")).toContain("It says: ");
    expect(cadre("doctor")).toMatch(/^ok {4}agents: .*; [1-9]\d+ built in$/m);
    const up = spawn(process.execPath, [launcher, "up", "--demo", "--json", "--port", "0"], {
      ...{ cwd: folder, env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [line] = (await once(up.stdout.setEncoding("utf8"), "data")) as [string];
      const { url, link } = JSON.parse(line.split("\n")[0]!) as { url: string; link: string };
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const headers = await enterByLink(link);
      const runs = async () => (await fetch(`${url}/api/runs`, { headers })).json();
      await expect.poll(runs).toMatchObject({ runs: [{ agent: "oncall" }] });
    } finally {
      up.kill("SIGTERM");
      await once(up, "close");
    }
  },
  SLOW,
);

const READER = "---\ndescription: Reads the note.\nsteps: ./reader.steps.ts\n---\nRead it.\n";

/** A project that uses the package: its compiler options, and the file that it compiles. */
const PROJECTS: [name: string, file: string, options: object][] = [
  ["ES modules for Node", "embed.ts", { module: "nodenext" }],
  ["ES modules for Node 20 and later", "embed.ts", { module: "node20" }],
  ["a bundler", "embed.ts", { module: "esnext", moduleResolution: "bundler" }],
  ["CommonJS for Node", "embed.cts", { module: "nodenext" }],
  ["CommonJS for a bundler", "bundled.ts", { module: "commonjs", moduleResolution: "bundler" }],
];

test.each(PROJECTS)(
  "[27.8] a project passes the type check of strict TypeScript without skipLibCheck: %s",
  (name, file, options) => {
    const folder = join(installed.folder, name.replaceAll(" ", "-"));
    mkdirSync(folder);
    copyFileSync(join(ROOT, "test/package", file), join(folder, file));
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, target: "esnext", ...options },
      ...{
        exactOptionalPropertyTypes: true,
        types: ["node"],
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: [file] }));
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ type: file === "bundled.ts" ? "commonjs" : "module" }),
    );
    const checked = spawnSync(join(ROOT, "node_modules/.bin/tsc"), { cwd: folder, encoding: "utf8" });
    expect(checked.stdout).toBe("");
  },
  SLOW,
);

test("a program that embeds Cadre runs", () => {
  const { folder } = installed;
  copyFileSync(join(ROOT, "test/package/embed.ts"), join(folder, "embed.ts"));
  const said = execFileSync(process.execPath, ["embed.ts"], { cwd: folder, env, encoding: "utf8" });
  expect(said).toBe("Tea costs 3 €.\n");
});

/** Own modules and all modules that `import "cadre"` loads, rounded up to the next 50. docs/guide/embed.md names these numbers. */
const MODULES = [550, 750];

test('[27.5] `import "cadre"` loads neither the command line nor the server', () => {
  const code = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
    await import("cadre");`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    ...{ cwd: installed.folder, env },
    encoding: "utf8",
  });
  const own = [...loaded.matchAll(/\/cadre\/dist\/(.+)\.js/g)].map(([, file]) => file!);
  const all = loaded.split("\n").filter((url) => url.startsWith("file:"));
  expect([own.length, all.length].map((count) => Math.ceil(count / 50) * 50)).toEqual(MODULES);
  expect(own).toContain("library/create-cadre");
  expect(
    own.filter((file) => /^(cli|stores\/postgres\/store|api\/(server|routes|openai|mcp))\b/.test(file)),
  ).toEqual([]);
});

test("a CommonJS program can `require` the package", () => {
  const code = `const { createCadre } = require("cadre");
    const { scriptedModel } = require("cadre/testing");
    console.log(typeof createCadre, typeof scriptedModel, typeof require("cadre/ai").uiResponse);`;
  const printed = execFileSync(process.execPath, ["--input-type=commonjs", "-e", code], {
    ...{ cwd: installed.folder, env },
    encoding: "utf8",
  });
  expect(printed).toBe("function function function\n");
});

test("[27.8] an older Node gets a sentence that says which version is needed", () => {
  const old = `Object.defineProperty(process.versions, "node", { value: "22.23.3" });`;
  const { stderr, status } = spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(old)}`,
      "--input-type=module",
      "-e",
      'import "cadre"',
    ],
    { cwd: installed.folder, env, encoding: "utf8" },
  );
  expect(stderr).toContain("Cadre needs Node 24.15 or newer");
  expect(status).toBe(1);
});

test("the package exports the same names as the sources", async () => {
  const exported = await import(join(ROOT, "index.js"));
  expect(Object.keys(exported).sort()).toEqual(Object.keys(sources).sort());
  expect(Object.keys(await import(join(ROOT, "testing.js"))).sort()).toEqual(Object.keys(testing).sort());
  expect(Object.keys(await import(join(ROOT, "client.js"))).sort()).toEqual(Object.keys(client).sort());
  expect(Object.keys(await import(join(ROOT, "ai.js"))).sort()).toEqual(Object.keys(ai).sort());
});

test("the types of the public API are the ones in public-api.txt (`vitest -u` updates it)", async () => {
  const dist = join(installed.own, "dist");
  const files = globSync("{index,ai,client,testing,library/*}.d.ts", { cwd: dist }).toSorted();
  const withoutComments = (text: string): string => text.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
  const report = files.map(
    (file) => `// ${file}\n${withoutComments(readFileSync(join(dist, file), "utf8")).trim()}\n`,
  );
  await expect(report.join("\n")).toMatchFileSnapshot("package/public-api.txt");
});

test("the package lists all bundled third-party code, and every licence is permissive", () => {
  const page = join(installed.own, "dashboard/dist");
  const lists = [page, join(installed.own, "dist/vendor")].map((folder) =>
    readFileSync(join(folder, "third-party.md"), "utf8"),
  );
  for (const list of lists) {
    const full = list.split(/^## /m).filter((section) => /^(Permission|Redistribution) /m.test(section));
    const referred = [...list.matchAll(/^The terms are those of (\S+) above\.$/gm)].map(([, name]) => name);
    const complete = new Set(full.map((section) => section.split(" ", 1)[0]));
    expect(referred.filter((name) => !complete.has(name))).toEqual([]);
  }
  const listed = lists.flatMap((text) => [...text.matchAll(/^## (.+) - \S+ \((.*)\)$/gm)]);
  const licences = listed.map(([, name = "", licence = ""]) => ({ name, licence }));
  const harmless = ["0BSD", "BSD-3-Clause", "ISC", "MIT"];
  expect(licences.filter(({ licence }) => !harmless.includes(licence))).toEqual([]);
  expect(licences.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["react", "react-dom", "uplot", "ink", "yoga-layout"]),
  );
  // The list contains only modules. Style sheets have their own licence comments.
  const styles = globSync("assets/index-*.css", { cwd: page }).map((file) =>
    readFileSync(join(page, file), "utf8"),
  );
  expect(styles.join("")).toMatch(/tailwindcss v[\d.]+ \| MIT License/);
  expect(globSync("**/*.{woff,woff2,ttf,png,jpg,wasm}", { cwd: page })).toEqual([]);
});
