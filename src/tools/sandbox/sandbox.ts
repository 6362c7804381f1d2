// The contract of a sandbox. A driver restricts a command to certain files and hosts.
// `access.ts` decides which files and hosts are allowed, and `find-sandbox.ts` chooses the driver.

export type SandboxName = "none" | "bwrap" | "srt";

/** `approved` gives network access only to calls that a person has approved. A list allows only the listed hosts; `*.host` means subdomains. */
export type Network = "approved" | "on" | "off" | readonly string[];

export interface SandboxSettings {
  driver: "auto" | SandboxName;
  network: Network;
  /** Further folders that commands are allowed to write to. */
  write: readonly string[];
}

/** The files and hosts that one command is allowed to use. */
export interface SandboxAccess {
  workspace: string;
  /** Existing real paths, each at most once. Any path that is not listed is readable. */
  paths: readonly PathAccess[];
  network: "on" | "off" | readonly string[];
}

export interface PathAccess {
  path: string;
  isFolder: boolean;
  /** An `empty` file can be read, but has no content. If a sandbox cannot do that, the file is hidden. */
  access: "write" | "read" | "hidden" | "empty";
}

export interface Sandbox {
  name: SandboxName;
  /** Returns the argv that runs `argv` inside the sandbox. `done` must be called when that process has ended. */
  wrap(argv: readonly string[], reach: SandboxAccess): Promise<{ argv: string[]; done?: () => void }>;
}

/** The result of trying a driver on this machine: a working sandbox, or the reason why the driver does not work. */
export type SandboxAttempt = { sandbox: Sandbox } | { problem: string; isMissing: boolean };

/** The error of a driver whose program is not installed. */
export class MissingProgram extends Error {}

export interface SandboxDriver {
  name: Exclude<SandboxName, "none">;
  /** Tries the driver with a real command. Throws if the driver does not work. */
  attempt(): Promise<Sandbox>;
}
