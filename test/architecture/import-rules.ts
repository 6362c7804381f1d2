// Rules for imports between folders (DESIGN §13). A test can import anything, but no file is allowed to import a test.

import type { Rule, Tree } from "./rule.ts";
import { type Import, lineAt, type Source } from "./sources.ts";

/** Layers from the bottom up. A folder is allowed to import from its own layer and from lower layers. */
const LAYERS: readonly (readonly string[])[] = [
  [
    "ids",
    "system-ids",
    "errors",
    "clock",
    "repeat",
    "config",
    "omit-undefined",
    "process-start",
    "sized-cache",
    "glob-pattern",
    "key-files",
    "bounded-pattern",
  ],
  // The declaration of a pattern is in the journal's layer, because the journal uses the pattern's schema and trigger.
  ["journal", "patterns/declarations"],
  ["projections"],
  ["permissions", "models", "tools", "stores"],
  ["agents"],
  ["patterns"],
  ["loop"],
  ["engines"],
  ["api", "mcp", "runners", "triggers", "webhooks", "telemetry"],
  ["project", "runtime"],
  ["library"],
  ["cli", "index", "ai", "client", "testing"],
];

const STRANGERS = new Set(["permissions", "models", "tools", "stores"]);

const CONTRACTS = new Set([
  "src/models/model.ts",
  "src/tools/tool.ts",
  "src/tools/answers.ts",
  "src/permissions/permission.ts",
  "src/stores/store.ts",
  "src/stores/override-store.ts",
  "src/stores/users.ts",
  "src/stores/outbox.ts",
  "src/stores/triggers.ts",
  "src/stores/move-tree.ts",
  "src/stores/tree-file.ts",
  "src/engines/engine.ts",
]);

/** Folders with exchangeable implementations. Other code imports only the contracts of these folders. `runtime/` and `project/` can import the implementations too. */
const EXCHANGEABLE = new Set(["models", "tools", "stores", "engines"]);

/** The folders that put the implementations together. */
const OPENS = new Set(["runtime", "project", "library"]);

const BROWSER_SAFE =
  /^src\/(?:(?:journal|projections|patterns\/declarations)\/.+|ids|system-ids|errors|omit-undefined|config\/(?:duration|limits|names)|api\/client\/.+)(?:\.ts)?$/;
const FOR_DASHBOARD =
  /^src\/(?:(?:journal|projections|patterns\/declarations)\/.+|ids|system-ids|errors|omit-undefined|api\/client\/.+)(?:\.ts)?$/;
const NODE_GLOBAL =
  /(?<![\w$.#])(process|Buffer|global|require|__dirname|__filename|setImmediate)\b(?!\s*\??:)/g;

/** Layers of the dashboard from the bottom up. Files outside these folders (`routes.tsx`, `main.tsx`) can import from all layers. */
const PAGE_LAYERS = ["ui", "live", "display", "components", "pages"];

/** The file whose function must be pure. Rule AR17 checks the imports of this file. */
const DECIDE = "src/loop/drive/decide.ts";

/** Folders that contain only values and pure functions. Rule AR17 checks the files in `agents` and `loop` one by one, by their imports. */
const PURE_PLACES = new Set([
  "ids",
  "errors",
  "config",
  "omit-undefined",
  "journal",
  "projections",
  "patterns",
  "patterns/declarations",
  "agents",
  "loop",
]);
const PURE_PACKAGES = new Set(["zod"]);

/** Globals that have side effects or depend on hidden inputs such as the clock and randomness. */
const EFFECT_GLOBAL =
  /(?<![\w$.#])(?:process|fetch|console|crypto|performance|setTimeout|setInterval|setImmediate|queueMicrotask)\b(?!\s*\??:)|\bDate\.now\b|\bMath\.random\b|\bnew Date\(\s*\)/g;

const inDashboard = (source: Source) => !source.isTest && source.path.startsWith("dashboard/src/");

const pageLayerOf = (path: string): number => {
  const layer = PAGE_LAYERS.indexOf(path.split("/")[2] ?? "");
  return layer < 0 ? PAGE_LAYERS.length : layer;
};

export const importRules: Rule[] = [
  {
    id: "AR1",
    title: "a folder imports only from its own layer and the layers below",
    check: (tree) => [
      ...unknownPlaces(tree),
      ...badImports(tree, inSource, (from, { target }) => {
        if (target === undefined || !isSource(target)) return undefined;
        if (isTestPath(target)) return `imports the test ${target}`;
        if (!target.startsWith("src/"))
          return isFixture(from.path) ? undefined : `imports ${target}, which is not part of the product`;
        const [own, other] = [placeOf(from.path), placeOf(target)];
        if (layerOf(other) <= layerOf(own)) return undefined;
        return `${own} comes before ${other}, so it cannot import ${target}`;
      }),
    ],
  },
  {
    id: "AR2",
    title: "models, tools, stores and permissions never import each other",
    check: (tree) =>
      badImports(tree, inSource, (from, { target }) => {
        const [own, other] = [placeOf(from.path), placeOf(target)];
        if (own === other || !STRANGERS.has(own) || !STRANGERS.has(other)) return undefined;
        return `${own} does not know ${other}: pass it in from runtime/ instead of importing ${target}`;
      }),
  },
  {
    id: "AR3",
    title: "the loop imports only the contracts of models, tools, permissions and stores",
    check: (tree) =>
      badImports(tree, inFolder("loop"), (_from, { target }) => {
        if (!STRANGERS.has(placeOf(target)) || CONTRACTS.has(withExtension(target))) return undefined;
        return `the loop gets this by its LoopParts, it does not import ${target}`;
      }),
  },
  {
    id: "AR4",
    title: "only runtime/, project/ and library/ import concrete models, tools, stores and engines",
    check: (tree) =>
      badImports(tree, inSource, (from, { target }) => {
        const [own, other] = [placeOf(from.path), placeOf(target)];
        if (own === other || OPENS.has(own) || !EXCHANGEABLE.has(other)) return undefined;
        if (CONTRACTS.has(withExtension(target))) return undefined;
        return `only runtime/, project/ and library/ import ${target}; elsewhere the contract of ${other} is enough`;
      }),
  },
  {
    id: "AR5",
    title: "there are no import cycles, even between types",
    check: (tree) => cycles(tree).map((path) => `${path[0]}: cycle ${path.join(" → ")}`),
  },
  {
    id: "AR6",
    title: "journal, projections, ids, errors and the client of the API run in a browser",
    check: (tree) => {
      const inBrowser = (source: Source) => !source.isTest && BROWSER_SAFE.test(source.path);
      return [
        ...badImports(tree, inBrowser, (from, { target, specifier, typeOnly }) => {
          // The client is allowed to import types from the routes, but not their code.
          if (from.path.startsWith("src/api/client/")) {
            if (typeOnly && (specifier === "zod" || target?.startsWith("src/api/"))) return undefined;
            if (specifier === "zod") return "the client loads no schemas: use `import type`";
          }
          if (target !== undefined)
            return BROWSER_SAFE.test(target) ? undefined : `${target} may not run in a browser`;
          if (specifier.startsWith("node:")) return `${specifier} is not there in a browser`;
          const allowed = from.path === "src/api/client/stream.ts" ? ["zod", "eventsource-parser"] : ["zod"];
          return allowed.includes(packageOf(specifier))
            ? undefined
            : `only ${allowed.join(" and ")} may be imported here, not ${specifier}`;
        }),
        ...tree.sources.filter(inBrowser).flatMap(nodeGlobals),
      ];
    },
  },
  {
    id: "AR7",
    title: "the dashboard imports only journal, projections, ids, errors and the client of the API",
    check: (tree) => {
      return [
        ...badImports(tree, inDashboard, (_from, { target, specifier }) => {
          if (specifier.startsWith("node:")) return `${specifier} is not there in a browser`;
          if (packageOf(specifier) === "cadre")
            return "the package brings the whole runtime: import the file";
          if (target === undefined || target.startsWith("dashboard/") || !isSource(target)) return undefined;
          return FOR_DASHBOARD.test(target) ? undefined : `the dashboard does not import ${target}`;
        }),
        ...tree.sources.filter(inDashboard).flatMap(nodeGlobals),
      ];
    },
  },
  {
    id: "AR17",
    title: "`decide` cannot perform an effect, and nor can any file that it imports, even as a type",
    check: (tree) =>
      reachableFrom(DECIDE, tree).flatMap(({ source, path }) => {
        const via = path.length > 1 ? ` (${path.join(" → ")})` : "";
        const at = (line: number, what: string) =>
          `${source.path}:${line}: decide reaches this file${via}, so it cannot use ${what}`;
        return [
          ...source.imports.flatMap(({ specifier, target, line }) => {
            if (target === undefined)
              return PURE_PACKAGES.has(packageOf(specifier)) ? [] : [at(line, specifier)];
            return PURE_PLACES.has(placeOf(target)) ? [] : [at(line, target)];
          }),
          ...Array.from(source.code.matchAll(EFFECT_GLOBAL), (found) =>
            at(lineAt(source.code, found.index), found[0]),
          ),
        ];
      }),
  },
  {
    id: "AR15",
    title: "a layer of the dashboard imports only from itself and the layers below",
    check: (tree) =>
      badImports(tree, inDashboard, (from, { target }) => {
        if (!target?.startsWith("dashboard/src/")) return undefined;
        const [own, other] = [pageLayerOf(from.path), pageLayerOf(target)];
        return other <= own ? undefined : `${PAGE_LAYERS[own]} comes before ${target}`;
      }),
  },
  {
    id: "AR20",
    title: "only the listed files start programs, and only run-git.ts starts git",
    check: (tree) => tree.sources.filter(inSource).flatMap(startedPrograms),
  },
  {
    id: "AR16",
    title: "the public API does not import the command line, directly or indirectly",
    check: (tree) => {
      const path = pathTo("src/index.ts", (file) => file.startsWith("src/cli/"), tree);
      return path ? [`src/index.ts: \`import "cadre"\` would load ${path.join(" → ")}`] : [];
    },
  },
];

const RUN_GIT = "src/tools/git/run-git.ts";

/** Files that may start programs. Only the first may start git: without Cadre's options, git runs programs that a repository names (A30). */
const STARTS_PROGRAMS = new Set([
  RUN_GIT,
  "src/agents/steps/steps-thread.ts",
  "src/cli/commands/up.ts",
  "src/cli/connection/background.ts",
  "src/cli/demo/supervise.ts",
  "src/cli/terminal/edit-json.ts",
  "src/mcp/supervised-server.ts",
  "src/tools/background/process-identity.ts",
  "src/tools/background/start-command.ts",
  "src/tools/files/find-secret.ts",
  "src/tools/files/ripgrep.ts",
  "src/tools/hooks/run-hook.ts",
  "src/tools/sandbox/bwrap.ts",
  "src/tools/sandbox/srt.ts",
  "src/tools/shell/run-program.ts",
  "src/tools/shell/supervise.ts",
]);

const STARTS_GIT =
  /\b(?:spawn|spawnSync|execFile|execFileSync|exec|execSync|runProgram|supervise)\s*\(\s*\[?\s*["'`](?:\S*\/)?git\b|(?<![\w>]|\bSet\()\[\s*["'`](?:\S*\/)?git["'`]/g;

function startedPrograms(source: Source): string[] {
  const starts = source.imports
    .filter(({ specifier, typeOnly }) => /^(?:node:)?child_process$/.test(specifier) && !typeOnly)
    .filter(() => !STARTS_PROGRAMS.has(source.path))
    .map(({ line }) => `${source.path}:${line}: starts programs, and is not in the list of files that may`);
  if (source.path === RUN_GIT) return starts;
  const git = Array.from(source.text.matchAll(STARTS_GIT)).map(
    ({ index }) => `${source.path}:${lineAt(source.text, index)}: starts git without ${RUN_GIT}`,
  );
  return [...starts, ...git];
}

/** Returns the shortest chain of imports from `start` to a file for which `isTarget` is true. Type imports are included. */
function pathTo(start: string, isTarget: (path: string) => boolean, tree: Tree): string[] | undefined {
  const sources = new Map(tree.sources.map((source) => [source.path, source]));
  const queue = [[start]];
  const visited = new Set([start]);
  for (const path of queue) {
    const last = path.at(-1)!;
    if (isTarget(last)) return path;
    for (const target of targetsOf(sources.get(last))) {
      if (visited.has(target)) continue;
      visited.add(target);
      queue.push([...path, target]);
    }
  }
  return undefined;
}

function badImports(
  tree: Tree,
  among: (source: Source) => boolean,
  judge: (from: Source, imported: Import) => string | undefined,
): string[] {
  return tree.sources.filter(among).flatMap((from) =>
    from.imports.flatMap((imported) => {
      const problem = judge(from, imported);
      return problem === undefined ? [] : [`${from.path}:${imported.line}: ${problem}`];
    }),
  );
}

function unknownPlaces(tree: Tree): string[] {
  return tree.sources
    .filter((source) => source.path.startsWith("src/") && layerOf(placeOf(source.path)) === -1)
    .map((source) => `${source.path}:1: ${placeOf(source.path)} has no place in the order of DESIGN §13`);
}

function nodeGlobals(source: Source): string[] {
  return Array.from(source.code.matchAll(NODE_GLOBAL), (found) => {
    const line = source.code.slice(0, found.index).split("\n").length;
    return `${source.path}:${line}: ${found[1]} is not there in a browser`;
  });
}

/** Finds groups of files that import each other. Returns the shortest import cycle of each group. */
function cycles(tree: Tree): string[][] {
  const next = new Map(tree.sources.map((source) => [source.path, targetsOf(source)]));
  const seen = new Set<string>();
  return [...next.keys()].toSorted().flatMap((start) => {
    const path = wayBack(start, next);
    const name = path?.toSorted().join();
    if (path === undefined || name === undefined || seen.has(name)) return [];
    seen.add(name);
    return [[...path, start]];
  });
}

function wayBack(start: string, next: ReadonlyMap<string, string[]>): string[] | undefined {
  const queue = [[start]];
  const visited = new Set<string>();
  for (const path of queue) {
    for (const target of next.get(path.at(-1) ?? "") ?? []) {
      if (target === start) return path;
      if (visited.has(target)) continue;
      visited.add(target);
      queue.push([...path, target]);
    }
  }
  return undefined;
}

/** Returns every file that `start` imports directly or indirectly, each with the shortest chain of imports to it. */
function reachableFrom(start: string, tree: Tree): { source: Source; path: string[] }[] {
  const sources = new Map(tree.sources.map((source) => [source.path, source]));
  const first = sources.get(start);
  const found = first ? [{ source: first, path: [start] }] : [];
  const visited = new Set([start]);
  for (const { source, path } of found) {
    for (const target of targetsOf(source)) {
      const next = sources.get(target);
      if (!next || visited.has(target)) continue;
      visited.add(target);
      found.push({ source: next, path: [...path, target] });
    }
  }
  return found;
}

const targetsOf = (source: Source | undefined): string[] =>
  (source?.imports ?? []).flatMap(({ target }) => (target === undefined ? [] : [withExtension(target)]));

const inSource = (source: Source): boolean => !source.isTest && source.path.startsWith("src/");
const inFolder = (name: string) => (source: Source) => inSource(source) && placeOf(source.path) === name;

/** The folder of a file: `journal` for `src/journal/events.ts`, `ids` for `src/ids.ts`, empty for files outside src. */
const placeOf = (path: string | undefined): string =>
  /^src\/(patterns\/declarations|[^/.]+)/.exec(path ?? "")?.[1] ?? "";
const layerOf = (place: string): number => LAYERS.findIndex((layer) => layer.includes(place));
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
const isSource = (path: string): boolean => !/\.(?!tsx?$)[a-z]+$/.test(path);
const isFixture = (path: string): boolean => /\.fixture\.tsx?$/.test(path);
const isTestPath = (path: string): boolean => /\.(test|contract)\.tsx?$/.test(path);
const withExtension = (path: string | undefined): string =>
  path === undefined || /\.tsx?$/.test(path) ? (path ?? "") : `${path}.ts`;
