// How a person or the system asks a command to go. The first Ctrl-C and SIGTERM leave in order: what is under way gets
// a while, and nothing is lost; a second Ctrl-C leaves at once, which loses nothing either.

import { once } from "node:events";
import { EXIT, type Io } from "../invocation.ts";

export interface Shutdown {
  readonly signal: AbortSignal;
  /** Until somebody asks. */
  waitForRequest(): Promise<void>;
  /** The exit code that the way of leaving asks for. */
  exitCode(): number;
  interrupt(): void;
  dispose(): void;
}

/** A draining runtime that has not stopped by then is left standing: its runs are picked up like after a crash. */
const PATIENCE_MS = 9_000;
/** A terminal and a launcher may both pass on the same Ctrl-C. */
const SAME_MS = 100;

export function watchShutdown({ leaving }: Pick<Io, "leaving">): Shutdown {
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
  leaving?.addEventListener("abort", terminate);
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
      leaving?.removeEventListener("abort", terminate);
    },
  };
}
