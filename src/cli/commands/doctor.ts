// `cadre doctor`: whatever could keep Cadre from working here, each with its remedy.

import { withClient } from "../connect.ts";
import { environmentChecks, type Finding } from "../health-checks.ts";
import { EXIT, type Invocation } from "../io.ts";
import { configChecks, projectChecks, storeFailure } from "../project-checks.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import type { Paint } from "../view/screen.ts";

export async function doctor(invocation: Invocation): Promise<number> {
  const { folder, io, json, screen } = invocation;
  const findings = [...(await environmentChecks(folder)), ...configChecks(folder, io.env)];
  if (findings.every(({ state }) => state !== "bad")) {
    findings.push(...(await withClient({ folder, env: io.env }, projectChecks).catch(storeFailure)));
  }
  if (json) screen.line(jsonLine(findings));
  else
    for (const finding of findings) {
      screen.line(findingLine(finding, screen.paint));
      if (finding.fix !== undefined) screen.line(`      ${plainLine(finding.fix)}`);
    }
  return findings.some(({ state }) => state === "bad") ? EXIT.failed : EXIT.done;
}

const COLOURS = { ok: "green", warn: "yellow", bad: "red" } as const;

function findingLine({ state, name, text }: Finding, paint: Paint): string {
  return `${paint(COLOURS[state], state.padEnd(4))}  ${name}: ${plainLine(text)}`;
}
