// `cadre trust`: this folder's cadre.yaml may set endpoints, start commands and allow things. Kept outside the folder.

import { trust as trustFolder } from "../../config/trust.ts";
import { loadConfig } from "../../config.ts";
import { EXIT, type Invocation } from "../io.ts";
import { jsonLine, plainLine } from "../view/plain.ts";

export async function trust({ folder, io, json, screen }: Invocation): Promise<number> {
  const { trusted, problems } = loadConfig({ folder, env: io.env });
  const held = problems.filter(({ code }) => code === "UNTRUSTED");
  if (!trusted) trustFolder(folder, io.env);
  if (json) screen.line(jsonLine({ folder, trusted: true }));
  else {
    for (const { message } of held)
      screen.line(`  now counts: ${plainLine(message.replace(/ is ignored: .*/, ""))}`);
    screen.line(trusted ? "This folder is trusted already." : `Trusted: ${plainLine(folder)}`);
  }
  return EXIT.done;
}
