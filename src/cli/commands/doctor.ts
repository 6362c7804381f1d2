// `cadre doctor`: finds everything that could prevent Cadre from working here, and says how to fix it. With --fix it mends what it can.

import type { CadreClient } from "../../api/client/client.ts";
import { userFolder } from "../../config/trust.ts";
import { messageOf } from "../../errors.ts";
import { plural } from "../../projections/words/format.ts";
import { configChecks } from "../../runtime/checks/config.ts";
import { environmentChecks, type Finding } from "../../runtime/checks/machine.ts";
import { gitignoreCheck, privateFilesCheck } from "../../runtime/checks/private-files.ts";
import { sandboxCheck } from "../../runtime/checks/sandbox.ts";
import { salvageStore } from "../../runtime/salvage-store.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { hookChecks } from "../doctor/hook-checks.ts";
import { instructionChecks } from "../doctor/instruction-checks.ts";
import { mcpServerChecks } from "../doctor/mcp-server-checks.ts";
import { providerChecks } from "../doctor/provider-checks.ts";
import { restateChecks } from "../doctor/restate-checks.ts";
import { openStoreChecks, postgresChecks, storeFailure } from "../doctor/store-checks.ts";
import { EXIT, type Invocation, report } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { fitLine, type Page } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";

interface DoctorOptions {
  salvage?: boolean;
  /** Mends what Cadre can mend by itself. */
  fix?: boolean;
}

export async function doctor(invocation: Invocation, options: DoctorOptions): Promise<number> {
  if (options.salvage) return salvage(invocation);
  const { screen, commandLine } = invocation;
  const found = await examine(invocation);
  const mended = options.fix ? await mendAll(found) : [];
  const findings = mended.length > 0 ? [...mended, ...(await examine(invocation))] : found;
  const count = findings.filter(({ mend }) => mend).length;
  const offer =
    options.fix || count === 0 ? [] : ["", `${commandLine("doctor --fix")} mends ${count} of these.`];
  const lines = findings.flatMap((finding) => findingLines(finding, screen, commandLine));
  report(invocation, findings, [...lines, ...offer]);
  return findings.some(({ state }) => state === "bad") ? EXIT.failed : EXIT.done;
}

async function examine(invocation: Invocation): Promise<Finding[]> {
  const { folder, io } = invocation;
  const findings = [
    ...(await environmentChecks(folder)),
    ...configChecks(folder, io.env),
    await sandboxCheck(folder, io.env),
  ];
  if (findings.some(({ state }) => state === "bad")) return findings;
  const project = projectOf(invocation);
  const { dir } = project.config;
  const check = (client: CadreClient) => openStoreChecks(client, project.config, io);
  return [
    ...findings,
    ...[dir, userFolder(io.env)].flatMap(privateFilesCheck),
    ...gitignoreCheck(dir),
    ...(await instructionChecks(project)),
    ...mcpServerChecks(project.servers),
    ...hookChecks(project),
    ...(await providerChecks(project)),
    ...(await postgresChecks(project.config)),
    ...(await restateChecks(project.config)),
    ...(await withClient(invocation, check, { showsIgnoredSettings: true }).catch((error: unknown) =>
      storeFailure(error, { folder, env: io.env }),
    )),
  ];
}

/** Mends every problem that Cadre can mend. Reports what was done, and what failed. */
async function mendAll(findings: readonly Finding[]): Promise<Finding[]> {
  const mended: Finding[] = [];
  for (const { name, mend } of findings) {
    if (!mend) continue;
    try {
      const text = await mend();
      if (text !== undefined) mended.push({ state: "ok", name, text: `mended: ${text}` });
    } catch (error) {
      mended.push({ state: "bad", name, text: `could not be mended: ${messageOf(error)}` });
    }
  }
  return mended;
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

function findingLines(
  { state, isDanger, name, text, fix }: Finding,
  page: Page,
  commandLine: CommandLine,
): string[] {
  const head = `${isDanger ? state.padEnd(4) : page.paint(COLOURS[state], state.padEnd(4))}  `;
  const below = " ".repeat(6);
  const formatText = (words: string): string => rewriteCommands(plainLine(words), commandLine);
  const lines = [
    ...fitLine({ head, text: `${name}: ${formatText(text)}`, next: below }, page),
    ...(fix === undefined ? [] : fitLine({ head: below, text: formatText(fix) }, page)),
  ];
  return isDanger ? lines.map((line) => page.paint("red", line)) : lines;
}
