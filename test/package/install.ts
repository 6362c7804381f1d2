// Installs the package into an empty folder outside the repository, as `npm install` would: its files and the dependencies it lists.
// If the package uses a dependency that it does not list, the dependency is missing from the folder, and the test fails.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Installed {
  /** The project folder into which the package was installed. */
  folder: string;
  /** The folder of the package itself. */
  own: string;
  tarball: string;
  /** Size of the package's files, in bytes. */
  unpackedSize: number;
}

export function installPackage(): Installed {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-package-")));
  const own = join(folder, "node_modules/cadre");
  mkdirSync(own, { recursive: true });
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: ROOT, stdio: "inherit" });
  // Scripts are skipped, because they would rebuild the web page while a browser test might be using it.
  const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync("npm", packing, { cwd: ROOT, encoding: "utf8" }));
  const tarball = join(folder, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
  for (const name of Object.keys(manifest().dependencies)) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  return { folder, own, tarball, unpackedSize: packed.unpackedSize };
}

interface Manifest {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

export function manifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
}
