// `cadre trust`: allows this folder's files to set endpoints, start commands and grant permissions.
// The decision to trust a folder is recorded outside the folder.

import { isTrusted, setTrust, trustedFolders } from "../../config/trust.ts";
import { EXIT, type Invocation, isAttended, report } from "../invocation.ts";
import { confirm } from "../terminal/keys.ts";
import { settingsNeedingTrust } from "../terminal/trust-prompt.ts";
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
  const { trusted, lines } = await settingsNeedingTrust(invocation);
  if (!json) for (const line of lines) screen.line(`  ${line}`);
  const asks = !trusted && lines.length > 0 && isAttended(invocation);
  if (asks && !(await confirm(invocation, "Trust this folder with all of this? [y/N] "))) {
    screen.line("Nothing was changed.");
    return EXIT.cancelled;
  }
  if (!trusted) setTrust(folder, "trusted", io.env);
  const line = trusted ? "This folder is already trusted." : `Trusted: ${plainLine(folder)}`;
  return report(invocation, { folder, trusted: true, counts: lines }, [line]);
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
