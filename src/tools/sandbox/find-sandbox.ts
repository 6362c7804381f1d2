// Which sandbox there is.
//  - `auto` takes the first driver that really works on this machine, and none if none does. What a call had is in the journal.
//  - A driver that was asked for by name and does not work is a refusal: nothing runs outside of a sandbox in silence.

import { messageOf } from "../../errors.ts";
import { bwrap } from "./bwrap.ts";
import type { Sandbox, SandboxAttempt, SandboxDriver, SandboxName, SandboxSettings } from "./sandbox.ts";
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
  /** What a command would run in; undefined if it would be refused. */
  used: SandboxName | undefined;
  /** Why each driver that does not work here does not. */
  problems: Partial<Record<SandboxName, string>>;
}

export async function reportSandbox(settings: SandboxSettings): Promise<SandboxReport> {
  const found = await findSandbox(settings);
  const problems: SandboxReport["problems"] = {};
  for (const { name } of DRIVERS) {
    const tried = await trySandbox(name);
    if ("problem" in tried) problems[name] = tried.problem;
  }
  return { used: "sandbox" in found ? found.sandbox.name : undefined, problems };
}

const attempts = new Map<string, Promise<SandboxAttempt>>();

/** Once per process: what a machine allows does not change under us. */
export function trySandbox(name: SandboxDriver["name"]): Promise<SandboxAttempt> {
  const known = attempts.get(name) ?? attempt(name);
  attempts.set(name, known);
  return known;
}

async function attempt(name: SandboxDriver["name"]): Promise<SandboxAttempt> {
  try {
    return { sandbox: await DRIVERS.find((driver) => driver.name === name)!.attempt() };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
