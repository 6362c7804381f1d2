// Doctor's check of the sandbox: which sandbox is used for commands, why no better one works, and how to get a better one.

import { existsSync, readFileSync } from "node:fs";
import { type Config, loadConfig } from "../../config/config.ts";
import { hasSandbox, inspectSandbox } from "../../project/project.ts";
import type { Finding } from "./machine.ts";

type Env = Readonly<Record<string, string | undefined>>;

export async function sandboxCheck(
  folder: string,
  env: Env,
  user: number | undefined = process.getuid?.(),
): Promise<Finding> {
  const name = "sandbox";
  const settings = settingsIn(folder, env);
  const { used, problems, missing } = await inspectSandbox({ sandbox: settings });
  const fix = remedy(missing.includes("bwrap"));
  if (used === undefined)
    return { state: "bad", name, text: `commands are refused: ${problems[settings.driver as "bwrap"]}`, fix };
  if (used !== "none" && user === 0)
    return {
      state: "warn",
      name,
      text: `${used}, but Cadre runs as root: a program that breaks out of the sandbox controls the machine`,
      fix: "run Cadre as an ordinary user",
    };
  if (used !== "none") return { state: "ok", name, text: `${used}; ${networkWords(settings, used)}` };
  if (settings.driver === "none")
    return { state: "warn", name, text: "none, as configured: commands run with your permissions" };
  const why = Object.values(problems).join("; ");
  return {
    state: "warn",
    isDanger: true,
    name,
    text: `none, so commands run with your permissions: ${why}`,
    fix,
  };
}

/** One sentence for a person whose machine has no sandbox, with what to install. Undefined if there is one, or if the person chose none. */
export async function noSandboxSentence(folder: string, env: Env): Promise<string | undefined> {
  const settings = settingsIn(folder, env);
  if (settings.driver !== "auto" || (await hasSandbox({ sandbox: settings }))) return undefined;
  const { missing } = await inspectSandbox({ sandbox: settings });
  return `No sandbox works here, so commands of agents run with all your rights. To change that: ${remedy(missing.includes("bwrap"))}`;
}

/** Uses the defaults if the configuration cannot be read. Another check reports that problem. */
function settingsIn(folder: string, env: Env): Config["sandbox"] {
  try {
    return loadConfig({ folder, env }).sandbox;
  } catch {
    return { driver: "auto", network: "approved", write: [] };
  }
}

function networkWords({ network }: Config["sandbox"], used: string): string {
  if (typeof network !== "string")
    return used === "srt" ? `network: ${network.join(", ")}` : "no network: a list of hosts needs srt";
  return { on: "with network", off: "no network", approved: "network for approved calls" }[network];
}

const INSTALL: readonly [file: string, command: string][] = [
  ["/usr/bin/apt-get", "sudo apt-get install bubblewrap socat"],
  ["/usr/bin/dnf", "sudo dnf install bubblewrap socat"],
  ["/usr/bin/pacman", "sudo pacman -S bubblewrap socat"],
  ["/sbin/apk", "apk add bubblewrap socat"],
];

function remedy(isMissing: boolean): string {
  if (process.platform === "darwin") return "npm install @anthropic-ai/sandbox-runtime";
  if (process.platform !== "linux") return "work in a container, or in WSL";
  if (isMissing) return INSTALL.find(([file]) => existsSync(file))?.[1] ?? "install bubblewrap and socat";
  if (isOne("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"))
    return "AppArmor forbids user namespaces here (as Ubuntu does since 24.04): give /usr/bin/bwrap a profile with `userns,`, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  return "allow user namespaces (sudo sysctl user.max_user_namespaces=15000); in a container they need --security-opt seccomp=unconfined, or rely on the container";
}

function isOne(file: string): boolean {
  try {
    return readFileSync(file, "utf8").trim() === "1";
  } catch {
    return false;
  }
}
