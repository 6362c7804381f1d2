// The bubblewrap driver. The file system is read-only except for the allowed paths. The command has its own PID namespace and /tmp.
// Network access is off by default. bubblewrap cannot filter hosts, so network access also stays off if only certain hosts are allowed.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../errors.ts";
import {
  MissingProgram,
  type PathAccess,
  type Sandbox,
  type SandboxAccess,
  type SandboxDriver,
} from "./sandbox.ts";

const run = promisify(execFile);

/** bubblewrap before 0.8 lacks `--disable-userns`. With such a version, a command could create a user namespace and undo the mounts in it. */
const FORMS = [["--unshare-user", "--disable-userns"], ["--unshare-user"]] as const;

const ALWAYS = [
  ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
  // Processes that the command leaves running die together with the sandbox.
  "--die-with-parent",
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--setenv", "TMPDIR", "/tmp"],
  // Settings of the whole machine. A mapped root could write them.
  ...["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"].flatMap((name) => [
    "--ro-bind-try",
    `/proc/${name}`,
    `/proc/${name}`,
  ]),
];

export const bwrap: SandboxDriver = {
  name: "bwrap",
  async attempt() {
    let complaint = "";
    for (const form of FORMS) {
      const said = await problemOfForm(form);
      if (said === undefined) return sandboxOf(form);
      complaint ||= said;
    }
    throw new Error(complaint);
  },
};

async function problemOfForm(form: readonly string[]): Promise<string | undefined> {
  const command = ["sh", "-c", "test -r /proc/1/stat"];
  const args = [...form, ...ALWAYS, "--unshare-net", "--tmpfs", "/tmp", "--", ...command];
  try {
    await run("bwrap", args, { timeout: 10_000 });
    return undefined;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT") throw new MissingProgram("bubblewrap (bwrap) is not installed");
    return `bwrap does not work here: ${stderr.trim().split("\n")[0] || messageOf(error)}`;
  }
}

const sandboxOf = (form: readonly string[]): Sandbox => ({
  name: "bwrap",
  wrap: async (argv, reach) => ({ argv: ["bwrap", ...form, ...ALWAYS, ...mounts(reach), "--", ...argv] }),
});

function mounts({ workspace, paths, network }: SandboxAccess): string[] {
  // Outer folders are mounted first, because a mount hides earlier mounts below it.
  const depth = ({ path }: PathAccess) => path.split(sep).length;
  const ordered = paths.toSorted((a, b) => depth(a) - depth(b));
  return [
    ...(network === "on" ? [] : ["--unshare-net"]),
    ...ordered.flatMap(mount),
    ...["--chdir", workspace],
  ];
}

let empty: string | undefined;

/** A file without content, in a folder that only this user can open. It is removed at the end of the process. */
function emptyFile(): string {
  if (empty !== undefined && existsSync(empty)) return empty;
  const folder = mkdtempSync(join(tmpdir(), "cadre-empty-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  empty = join(folder, "empty");
  writeFileSync(empty, "", { mode: 0o400 });
  return empty;
}

function mount({ path, isFolder, access }: PathAccess): string[] {
  if (access === "write") return ["--bind", path, path];
  if (access === "read") return ["--ro-bind", path, path];
  if (access === "empty" && !isFolder) return ["--ro-bind", emptyFile(), path];
  // A file is hidden by mounting `/dev/null` over it. Devices cannot be opened on such a mount, so every read and write fails.
  return isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}
