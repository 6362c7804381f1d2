// The driver for @anthropic-ai/sandbox-runtime, an optional package. It uses bubblewrap on Linux and Seatbelt on macOS.
// Its proxy limits a command to the listed hosts. Each Cadre process has one instance of srt, which starts on first use.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { rgPath } from "@vscode/ripgrep";
import { messageOf } from "../../errors.ts";
import type { PathAccess, Sandbox, SandboxAccess, SandboxDriver } from "./sandbox.ts";

const run = promisify(execFile);

type Manager = typeof SandboxManager;

export const srt: SandboxDriver = {
  name: "srt",
  async attempt() {
    const manager = await load();
    const { errors } = manager.checkDependencies({ command: rgPath });
    if (errors.length > 0) throw new Error(`srt does not work here: ${errors.join(", ")}`);
    const sandbox = sandboxOf(manager);
    const { argv, done } = await sandbox.wrap(["true"], { workspace: "/", paths: [], network: "off" });
    try {
      await run(argv[0]!, argv.slice(1), { timeout: 10_000 });
    } finally {
      done?.();
    }
    return sandbox;
  },
};

async function load(): Promise<Manager> {
  try {
    const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
    if (manager.isSupportedPlatform() && process.platform !== "win32") return manager;
  } catch (error) {
    throw new Error(`@anthropic-ai/sandbox-runtime cannot be loaded (${messageOf(error)})`);
  }
  throw new Error("@anthropic-ai/sandbox-runtime does not know this system");
}

const sandboxOf = (manager: Manager): Sandbox => ({
  name: "srt",
  async wrap(argv, reach) {
    await acquireProxy(manager);
    // The id must be hard to guess, because it gives access to the hosts that the command is allowed to call.
    const commandId = randomBytes(16).toString("base64url");
    const { network } = reach;
    if (network === "on") open++;
    const done = () => {
      if (network === "on") open--;
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
      releaseProxy(manager);
    };
    try {
      if (typeof network !== "string")
        manager.registerCommandNetworkLists(commandId, { allowedDomains: [...network] });
      // srt's own temporary folder is hidden like all others, so TMPDIR must point to a visible folder.
      const command = `${process.platform === "linux" ? "TMPDIR=/tmp " : ""}exec ${argv.map(quoteWord).join(" ")}`;
      const filesystem = filesystemOf(reach, manager.getLinuxHttpSocketPath());
      const wrapped = await manager.wrapWithSandbox(command, "bash", { filesystem }, undefined, {
        commandId,
      });
      return { argv: ["bash", "--norc", "--noprofile", "-c", wrapped], done };
    } catch (error) {
      done();
      throw error;
    }
  },
});

/** Number of running commands with access to all hosts. While it is above 0, every command has this access: srt cannot distinguish them. */
let open = 0;

/** Number of running commands. The proxy stops when no command runs, because a running proxy would keep the Cadre process alive. */
let users = 0;
let ready: Promise<void> | undefined;
let stopped: Promise<void> = Promise.resolve();

async function acquireProxy(manager: Manager): Promise<void> {
  users++;
  ready ??= stopped.then(() => startProxy(manager));
  await ready.catch((error) => {
    releaseProxy(manager);
    throw error;
  });
}

function releaseProxy(manager: Manager): void {
  if (--users > 0) return;
  ready = undefined;
  stopped = manager.reset();
}

async function startProxy(manager: Manager): Promise<void> {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = new Set(signals.flatMap((signal) => process.listeners(signal)));
  await manager.initialize(
    {
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ripgrep: { command: rgPath },
    },
    async () => open > 0,
  );
  // Removes srt's signal handlers. They do not end the process, so Ctrl-C would have no effect.
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (!before.has(listener)) process.off(signal, listener);
}

/** The folder of programs that srt starts inside the sandbox. The sandbox must not hide it, even if it is in a home folder or in /tmp. */
const ownPrograms = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("@anthropic-ai/sandbox-runtime")), "../vendor");

/** srt must take the path literally, not as a pattern. */
const literalPath = (path: string) => ({ path, literal: true as const });

function filesystemOf({ paths }: SandboxAccess, socket: string | undefined) {
  const those = (...wanted: string[]) =>
    paths.filter(({ access }) => wanted.includes(access)).map(({ path }) => literalPath(path));
  const enclosingAccess = (path: string): PathAccess["access"] =>
    path === sep
      ? "read"
      : (paths.find((one) => one.path === path)?.access ?? enclosingAccess(dirname(path)));
  // Writing is denied only to read-only paths inside writable folders. Denying their parent would deny the writable folders too.
  const denied = paths.filter(
    ({ path, access }) => access === "read" && enclosingAccess(dirname(path)) === "write",
  );
  // srt would mount a shown folder over the writable folders in it. So a folder that contains the workspace stays hidden.
  const shown = paths.filter(
    ({ path, access }) =>
      access !== "hidden" &&
      access !== "empty" &&
      !paths.some((one) => one.access === "write" && access === "read" && one.path.startsWith(path + sep)),
  );
  return {
    denyRead: those("hidden", "empty"),
    allowRead: [
      ...shown.map(({ path }) => literalPath(path)),
      ...(socket === undefined ? [] : [literalPath(socket)]),
      literalPath(ownPrograms()),
    ],
    allowWrite: those("write"),
    denyWrite: denied.map(({ path }) => literalPath(path)),
  };
}

const quoteWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
