// `cadre doctor`: finds everything that could prevent Cadre from working here, and says how to fix it.

import type { CadreClient } from "../../api/client/client.ts";
import { plural } from "../../projections/words/format.ts";
import { configChecks } from "../../runtime/checks/config.ts";
import { environmentChecks, type Finding } from "../../runtime/checks/machine.ts";
import { sandboxCheck } from "../../runtime/checks/sandbox.ts";
import { salvageStore } from "../../runtime/salvage-store.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { instructionChecks } from "../doctor/instruction-checks.ts";
import { mcpServerChecks } from "../doctor/mcp-server-checks.ts";
import { providerChecks } from "../doctor/provider-checks.ts";
import { restateChecks } from "../doctor/restate-checks.ts";
import { openStoreChecks, postgresChecks, storeFailure } from "../doctor/store-checks.ts";
import { EXIT, type Invocation, report } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { fitLine, type Page } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";

export async function doctor(invocation: Invocation, options: { salvage?: boolean }): Promise<number> {
  if (options.salvage) return salvage(invocation);
  const { folder, io, screen, commandLine } = invocation;
  const findings = [
    ...(await environmentChecks(folder)),
    ...configChecks(folder, io.env),
    await sandboxCheck(folder, io.env),
  ];
  if (findings.every(({ state }) => state !== "bad")) {
    const project = projectOf(invocation);
    const check = (client: CadreClient) => openStoreChecks(client, project.config, io);
    findings.push(
      ...(await instructionChecks(project)),
      ...mcpServerChecks(project.servers),
      ...(await providerChecks(project)),
      ...(await postgresChecks(project.config)),
      ...(await restateChecks(project.config)),
      ...(await withClient(invocation, check, { showsIgnoredSettings: true }).catch(storeFailure)),
    );
  }
  const lines = findings.flatMap((finding) => findingLines(finding, screen, commandLine));
  report(invocation, findings, lines);
  return findings.some(({ state }) => state === "bad") ? EXIT.failed : EXIT.done;
}

/** Copies the readable trees of a damaged store into a new file. Exit code 1 if a tree was set aside. */
async function salvage(invocation: Invocation): Promise<number> {
  const { folder, io } = invocation;
  const result = await salvageStore({ folder, env: io.env });
  const { path, kept, setAside } = result;
  if (kept === undefined) return report(invocation, result, [`${path} is intact. Nothing was changed.`]);
  const copied = `${plural(result.trees, "tree")} (${plural(result.runs, "run")})`;
  report(invocation, result, [
    `Copied ${copied} into a new ${path}. The damaged file is kept as ${kept}.`,
    ...setAside.map(
      ({ root, agent, reason }) =>
        `Set aside ${root ?? "a tree without a name"}${agent === undefined ? "" : ` (${agent})`}: ${plainLine(reason)}`,
    ),
    ...(result.events === undefined ? [] : [`The readable events of these trees are in ${result.events}.`]),
  ]);
  return setAside.length === 0 ? EXIT.done : EXIT.failed;
}

const COLOURS = { ok: "green", warn: "yellow", bad: "red" } as const;

function findingLines({ state, name, text, fix }: Finding, page: Page, commandLine: CommandLine): string[] {
  const head = `${page.paint(COLOURS[state], state.padEnd(4))}  `;
  const below = " ".repeat(6);
  const formatText = (words: string): string => rewriteCommands(plainLine(words), commandLine);
  return [
    ...fitLine({ head, text: `${name}: ${formatText(text)}`, next: below }, page),
    ...(fix === undefined ? [] : fitLine({ head: below, text: formatText(fix) }, page)),
  ];
}
