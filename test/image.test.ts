// Runs the install commands from the Dockerfile with the local npm.
// The test starts its own npm registry, and uses a package.json with the same optional packages as ours.

import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const OPTIONAL = ["pg", "pg-boss", "@restatedev/restate-sdk"];

type Versions = Record<string, string>;
const { devDependencies, peerDependencies } = createRequire(import.meta.url)("../package.json") as {
  devDependencies: Versions;
  peerDependencies: Versions;
};

let folder: string;
let registry: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadre-image-"));
  registry = createServer(({ url = "/" }, response) => {
    const [, name, file] = /^\/(.+?)(\/-\/.*)?$/.exec(decodeURIComponent(url)) ?? [];
    const version = devDependencies[name!];
    if (version === undefined) response.writeHead(404).end("{}");
    else if (file) response.end(tarballOf(name!, version));
    else response.end(JSON.stringify(packumentOf(name!, version)));
  });
  await new Promise<void>((listening) => registry.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true });
});

const addressOf = (): string => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

const packumentOf = (name: string, version: string) => ({
  name,
  "dist-tags": { latest: version },
  versions: { [version]: { name, version, dist: { tarball: `${addressOf()}/${name}/-/it.tgz` } } },
});

function tarballOf(name: string, version: string): Buffer {
  const text = JSON.stringify({ name, version });
  const script =
    'mkdir -p "$0/package" && printf %s "$1" > "$0/package/package.json" && tar -czf - -C "$0" package';
  return execFileSync("sh", ["-c", script, join(folder, name.replace("/", "-")), text]);
}

test("[E8] the image contains the tested versions of the Postgres client, pg-boss and Restate's SDK, but no test dependencies", async () => {
  const place = join(folder, "cadre");
  await mkdir(place);
  const pickVersions = (versions: Versions) =>
    Object.fromEntries(OPTIONAL.map((name) => [name, versions[name]]));
  await writeFile(
    join(place, "package.json"),
    JSON.stringify({
      name: "cadre",
      private: true,
      peerDependencies: pickVersions(peerDependencies),
      peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
      devDependencies: { ...pickVersions(devDependencies), vitest: devDependencies["vitest"] },
    }),
  );
  const env = {
    ...process.env,
    npm_config_registry: addressOf(),
    npm_config_cache: join(folder, "cache"),
    npm_config_update_notifier: "false",
  };
  const sh = (line: string) => promisify(execFile)("sh", ["-ec", line], { cwd: place, env });
  await sh("npm install --package-lock-only --no-audit --no-fund");
  await sh(buildLines());
  const versionOf = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(place, "node_modules", name, "package.json"), "utf8")).version;
  for (const name of OPTIONAL) expect(await versionOf(name), name).toBe(peerDependencies[name]);
  await expect(versionOf("vitest")).rejects.toThrow("ENOENT");
});

function buildLines(): string {
  const dockerfile = readFileSync(new URL("../deploy/Dockerfile", import.meta.url), "utf8");
  const [, lines] = /^RUN (npm (?:.*\\\n)*.*)$/m.exec(dockerfile)!;
  return lines!;
}
