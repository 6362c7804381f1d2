// Handles Ctrl-C and SIGTERM, which ask a command to stop.
// SIGTERM or the first Ctrl-C stops the command gracefully: steps in progress get a few seconds to finish.
// A second Ctrl-C exits immediately. Even then no recorded data is lost.

import { once } from "node:events";
import { EXIT, type Io } from "../invocation.ts";

export interface Shutdown {
  readonly signal: AbortSignal;
  /** Resolves when a shutdown is requested. */
  waitForRequest(): Promise<void>;
  /** Exit code for the kind of request: `interrupted` after Ctrl-C, success after SIGTERM. */
  exitCode(): number;
  interrupt(): void;
  dispose(): void;
}

/** If the runtime has not stopped after this time, the process exits anyway. The next process recovers the runs as after a crash. */
const PATIENCE_MS = 9_000;
/** Two signals within this time are treated as one Ctrl-C: the terminal sends a signal, and the program that launched us can send another. */
const SAME_MS = 100;

export function watchShutdown({ shutdown }: Pick<Io, "shutdown">): Shutdown {
  const controller = new AbortController();
  let code: number = EXIT.done;
  let interruptedAt: number | undefined;
  let deadline: NodeJS.Timeout | undefined;
  const leave = (with_: number): void => {
    if (controller.signal.aborted) return;
    code = with_;
    deadline = setTimeout(() => process.exit(code), PATIENCE_MS).unref();
    controller.abort();
  };
  const interrupt = (): void => {
    const now = performance.now();
    const again = interruptedAt !== undefined && now - interruptedAt > SAME_MS;
    interruptedAt ??= now;
    if (again) process.exit(EXIT.interrupted);
    leave(EXIT.interrupted);
  };
  const terminate = (): void => leave(EXIT.done);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  process.on("SIGHUP", terminate);
  shutdown?.addEventListener("abort", terminate);
  return {
    signal: controller.signal,
    async waitForRequest() {
      if (!controller.signal.aborted) await once(controller.signal, "abort");
    },
    exitCode: () => code,
    interrupt,
    dispose() {
      clearTimeout(deadline);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
      process.off("SIGHUP", terminate);
      shutdown?.removeEventListener("abort", terminate);
    },
  };
}
