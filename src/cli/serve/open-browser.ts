import { spawn } from "node:child_process";

/** Passes the link as an argument, never through a shell (A51). Without a browser, the link is still on the screen. */
export function openBrowser(url: string): void {
  const program = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}
