// The Bash tool without a sandbox, and in each sandbox that works on this machine. The same tests must pass in all of them.

import { bashTool } from "./bash.ts";
import type { Confinement } from "./sandbox/confine.ts";
import { DRIVERS, trySandbox } from "./sandbox/find-sandbox.ts";
import type { SandboxName } from "./sandbox/sandbox.ts";

const attempts = await Promise.all(DRIVERS.map(async ({ name }) => ({ name, ...(await trySandbox(name)) })));

export const sandboxes: SandboxName[] = [
  "none",
  ...attempts.filter((one) => "sandbox" in one).map(({ name }) => name),
];

export const confinement = (driver: SandboxName, changes: Partial<Confinement> = {}): Confinement => ({
  sandbox: { driver, network: "approved", write: [] },
  folder: "/nowhere",
  stateFolder: "/nowhere/.cadre",
  isProtected: () => false,
  ...changes,
});

export const bashIn = (driver: SandboxName, changes: Partial<Confinement> = {}) =>
  bashTool(confinement(driver, changes));
