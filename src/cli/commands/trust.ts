// `cadre trust`: allows this folder's files to set endpoints, start commands and grant permissions.
// The decision to trust a folder is recorded outside the folder.

import { isTrusted, setTrust, trustedFolders } from "../../config/trust.ts";
import { EXIT, type Invocation, isAttended, report } from "../invocation.ts";
import { confirm } from "../terminal/keys.ts";
import { trustState } from "../terminal/trust-prompt.ts";
import { plainLine } from "../view/text/plain.ts";

export async function trust(
  invocation: Invocation,
  options: { list?: boolean; revoke?: boolean },
): Promise<number> {
  if (options.list) return list(invocation);
  return options.revoke ? revoke(invocation) : give(invocation);
}

async function give(invocation: Invocation): Promise<number> {
  const { folder, io, json, screen } = invocation;
  const { trusted, lines, commands, pins, changedHooks } = await trustState(invocation);
  if (!json)
    for (const line of [
      ...lines,
      ...commands,
      ...changedHooks.map((hook) => `not run until you trust it: ${hook}`),
    ])
      screen.line(`  ${line}`);
  const isAsked = trusted ? changedHooks.length > 0 : lines.length > 0;
  const question = trusted
    ? "Trust these hooks as they are now? [y/N] "
    : "Trust this folder with all of this? [y/N] ";
  if (isAsked && isAttended(invocation) && !(await confirm(invocation, question))) {
    screen.line("Nothing was changed.");
    return EXIT.cancelled;
  }
  if (!trusted || changedHooks.length > 0) setTrust(folder, "trusted", io.env, pins);
  const line = !trusted
    ? `Trusted: ${plainLine(folder)}`
    : changedHooks.length > 0
      ? "The hooks are trusted as they are now."
      : "This folder is already trusted.";
  return report(invocation, { folder, trusted: true, counts: lines, commands, changedHooks }, [line]);
}

function revoke(invocation: Invocation): number {
  const { folder, io } = invocation;
  setTrust(folder, "forgotten", io.env);
  const trusted = isTrusted(folder, io.env);
  const line = trusted
    ? "This folder is still trusted, because CADRE_TRUST=1 is set."
    : `No longer trusted: ${plainLine(folder)}. Running processes keep the settings they have read: stop them.`;
  return report(invocation, { folder, trusted }, [line]);
}

function list(invocation: Invocation): number {
  const folders = trustedFolders(invocation.io.env);
  return report(
    invocation,
    { folders },
    folders.length === 0 ? ["No folder is trusted."] : folders.map(plainLine),
  );
}
