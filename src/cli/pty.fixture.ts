// Runs the command line in a pseudo-terminal, as a separate process.

import { type IPty, spawn } from "@lydell/node-pty";
import { expect, vi } from "vitest";
import type { Project } from "./cli.fixture.ts";
import { visible } from "./view/visible.fixture.ts";

export interface Pty extends Disposable {
  pty: IPty;
  code: Promise<number>;
  /** Everything that was written to the terminal. */
  raw(): string;
  /** All lines of the screen, including lines that have scrolled out. Only valid while the terminal's size stays the same. */
  screen(): string;
  shows(pattern: RegExp): Promise<void>;
  sees(pattern: RegExp): Promise<void>;
}

export function inPty(
  place: Pick<Project, "folder" | "env" | "launcher">,
  args: string[],
  size = { cols: 80, rows: 24 },
): Pty {
  const { NO_COLOR: _, ...env } = place.env;
  const pty = spawn(process.execPath, [place.launcher, ...args], {
    cwd: place.folder,
    env: { ...env, TERM: "xterm-256color" },
    ...size,
  });
  let raw = "";
  pty.onData((text) => {
    raw += text;
  });
  const code = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  const screen = (): string => visible(raw, size.cols).join("\n");
  const until = (text: () => string, pattern: RegExp): Promise<void> =>
    vi.waitFor(() => expect(text()).toMatch(pattern), { timeout: 30_000, interval: 50 });
  return {
    pty,
    code,
    raw: () => raw,
    screen,
    shows: (pattern) => until(() => raw, pattern),
    sees: (pattern) => until(screen, pattern),
    [Symbol.dispose]: () => pty.kill("SIGKILL"),
  };
}
