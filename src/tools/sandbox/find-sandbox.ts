// Finds a sandbox that works on this machine.
//  - `auto` uses the first driver that works, or no sandbox. The journal records which sandbox a call ran in.
//  - If the configured driver does not work, commands are refused, so that no command silently runs without a sandbox.

import { messageOf } from "../../errors.ts";
import { bwrap } from "./bwrap.ts";
import {
  MissingProgram,
  type Sandbox,
  type SandboxAttempt,
  type SandboxDriver,
  type SandboxName,
  type SandboxSettings,
} from "./sandbox.ts";
import { srt } from "./srt.ts";

const none: Sandbox = { name: "none", wrap: async (argv) => ({ argv: [...argv] }) };

export const DRIVERS: readonly SandboxDriver[] = [bwrap, srt];

export async function findSandbox({ driver, network }: SandboxSettings): Promise<SandboxAttempt> {
  if (driver === "none") return { sandbox: none };
  if (driver !== "auto") return trySandbox(driver);
  const wanted = typeof network === "string" ? DRIVERS : DRIVERS.toReversed();
  for (const { name } of wanted) {
    const tried = await trySandbox(name);
    if ("sandbox" in tried) return tried;
  }
  return { sandbox: none };
}

export interface SandboxReport {
  /** The sandbox that a command would run in. Undefined if the command would be refused. */
  used: SandboxName | undefined;
  /** Reasons why drivers do not work on this machine. */
  problems: Partial<Record<SandboxName, string>>;
  /** Drivers whose program is not installed. */
  missing: SandboxName[];
}

export async function reportSandbox(settings: SandboxSettings): Promise<SandboxReport> {
  const found = await findSandbox(settings);
  const problems: SandboxReport["problems"] = {};
  const missing: SandboxReport["missing"] = [];
  for (const { name } of DRIVERS) {
    const tried = await trySandbox(name);
    if ("sandbox" in tried) continue;
    problems[name] = tried.problem;
    if (tried.isMissing) missing.push(name);
  }
  return { used: "sandbox" in found ? found.sandbox.name : undefined, problems, missing };
}

const attempts = new Map<string, Promise<SandboxAttempt>>();

/** Each driver is tried once per process, because the result does not change. */
export function trySandbox(name: SandboxDriver["name"]): Promise<SandboxAttempt> {
  const known = attempts.get(name) ?? attempt(name);
  attempts.set(name, known);
  return known;
}

async function attempt(name: SandboxDriver["name"]): Promise<SandboxAttempt> {
  try {
    return { sandbox: await DRIVERS.find((driver) => driver.name === name)!.attempt() };
  } catch (error) {
    return { problem: messageOf(error), isMissing: error instanceof MissingProgram };
  }
}
