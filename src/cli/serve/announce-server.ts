// Prints the link that signs a browser in, when a server has started.

import { spawn } from "node:child_process";
import type { PublicServer } from "../../api/server/public-server.ts";
import { rewriteCommands } from "../command-line.ts";
import type { Invocation } from "../invocation.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine } from "../view/text/plain.ts";

export interface ServerAnnouncement {
  server: PublicServer;
  problems: string[];
  open: boolean;
  /** Whether the server also drives runs. */
  drives: boolean;
  /** Replaces the usual text. */
  words: ((link: string) => string[]) | undefined;
}

export function announceServer({ io, json, screen, commandLine }: Invocation, up: ServerAnnouncement): void {
  const { server, problems, open, words } = up;
  const { url } = server.newLink();
  if (json) {
    screen.line(jsonLine({ url: server.url, link: url }));
    return;
  }
  const wrong = problems.map((problem) => rewriteCommands(problem, commandLine));
  const lines = [...wrong, ...(words?.(url) ?? upWords(url, up))];
  for (const line of fitLines(lines, screen)) screen.line(line);
  if (open && io.stdout.isTTY === true) openBrowser(url);
}

const upWords = (link: string, { drives }: ServerAnnouncement): string[] => [
  `Cadre is up at ${link}`,
  "The link signs one browser in, once.",
  `Programs use the token in .cadre/token. Ctrl-C stops the server; ${drives ? "unfinished runs continue at the next start" : "workers continue unfinished runs"}.`,
];

/** Passes the link as an argument, never through a shell (A51). Without a browser, the link is still on the screen. */
function openBrowser(url: string): void {
  const program = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}
