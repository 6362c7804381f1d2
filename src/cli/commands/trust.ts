// `cadre trust`: lets this folder's files set endpoints, start commands and grant permissions. Recorded outside the folder.

import { isTrusted, setTrust, trustedFolders } from "../../config/trust.ts";
import { EXIT, type Invocation, isAttended } from "../invocation.ts";
import { confirm } from "../terminal/confirm.ts";
import { settingsNeedingTrust } from "../terminal/trust-prompt.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";

export interface TrustOptions {
  list?: boolean;
  revoke?: boolean;
}

export async function trust(invocation: Invocation, options: TrustOptions): Promise<number> {
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
  if (json) screen.line(jsonLine({ folder, trusted: true, counts: lines }));
  else screen.line(trusted ? "This folder is already trusted." : `Trusted: ${plainLine(folder)}`);
  return EXIT.done;
}

function revoke({ folder, io, json, screen }: Invocation): number {
  setTrust(folder, "forgotten", io.env);
  const trusted = isTrusted(folder, io.env);
  if (json) screen.line(jsonLine({ folder, trusted }));
  else
    screen.line(
      trusted
        ? "This folder is still trusted, because CADRE_TRUST=1 is set."
        : `No longer trusted: ${plainLine(folder)}. Running processes keep the settings they have read: stop them.`,
    );
  return EXIT.done;
}

function list({ io, json, screen }: Invocation): number {
  const folders = trustedFolders(io.env);
  if (json) screen.line(jsonLine({ folders }));
  else if (folders.length === 0) screen.line("No folder is trusted.");
  else for (const folder of folders) screen.line(plainLine(folder));
  return EXIT.done;
}
