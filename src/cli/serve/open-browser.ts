import { spawn } from "node:child_process";

/** As an argument, never through a shell (A51); where there is no browser, the link stands on the screen. */
export function openBrowser(url: string): void {
  const program = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}
