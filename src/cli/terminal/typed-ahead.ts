// Takes what a person typed while a command did not read keys, so that it never reaches the shell as a command.

import { setTimeout as pause } from "node:timers/promises";
import { type Invocation, printError } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";

/** Time in which the terminal hands over everything that was typed before. */
const READ_MS = 30;
const LONGEST = 60;

/** Reads and drops the typed text. Prints that no agent read it, and how to talk to an agent instead. */
export async function dropTypedText({ io, commandLine }: Invocation): Promise<void> {
  const { stdin } = io;
  if (stdin.isTTY !== true || !stdin.setRawMode) return;
  let typed = "";
  const add = (data: Buffer | string): void => {
    typed += String(data);
  };
  stdin.on("data", add);
  // Raw mode also hands over a line that was not finished with Enter.
  stdin.setRawMode(true);
  stdin.resume();
  await pause(READ_MS);
  stdin.setRawMode(false);
  stdin.off("data", add);
  stdin.pause();
  const text = plainLine(typed.replaceAll(/\u001b\[[\d;]*[A-Za-z~]|\p{Cc}/gu, " "));
  if (text === "") return;
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const hint = `\`${commandLine("chat --continue")}\``;
  printError(
    `While the run worked, "${shown}" was typed, and nobody read it. To talk to an agent while it works: ${hint}.`,
    io,
    (command) => command,
  );
}
