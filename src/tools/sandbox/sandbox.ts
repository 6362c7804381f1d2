// The contract of a sandbox: a driver holds a command to what it may reach. What that is, is decided in `sandbox-reach.ts`,
// which driver it is in `find-sandbox.ts`.

export type SandboxName = "none" | "bwrap" | "srt";

/** `approved`: for a call that a person has looked at and allowed. A list: these hosts, and those below `*.host`. */
export type Network = "approved" | "on" | "off" | readonly string[];

export interface SandboxSettings {
  driver: "auto" | SandboxName;
  network: Network;
  /** Folders beside the workspace that commands may write to. */
  write: readonly string[];
}

/** What one command may reach. */
export interface SandboxAccess {
  workspace: string;
  /** The rest of the file system can be read. Real paths that exist, each at most once. */
  paths: readonly PathAccess[];
  network: "on" | "off" | readonly string[];
}

export interface PathAccess {
  path: string;
  isFolder: boolean;
  access: "write" | "read" | "hidden";
}

export interface Sandbox {
  name: SandboxName;
  /** The argv that runs another one inside, and what to do when it has ended. */
  wrap(argv: readonly string[], reach: SandboxAccess): Promise<{ argv: string[]; done?: () => void }>;
}

/** A driver, tried on this machine: what works, or why it does not. */
export type SandboxAttempt = { sandbox: Sandbox } | { problem: string };

export interface SandboxDriver {
  name: Exclude<SandboxName, "none">;
  /** Runs a real command in it. */
  attempt(): Promise<Sandbox>;
}
