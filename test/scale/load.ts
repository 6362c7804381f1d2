// The runs for workers of two versions. Each run has an unsafe effect and a slow model, so that there is always work in progress.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, ScriptedTurn } from "../../src/models/scripted/script.ts";
import type { AssemblyOptions } from "../../src/runtime/assembly.ts";
import { oracleTools } from "../support/oracle.ts";

const MOMENT_MS = 400;

const agent = (keys: string): string =>
  `---\ndescription: one of the load\nmodel: scripted/load\n${keys}\n---\nYou do your part.\n`;

const AGENTS: Record<string, string> = {
  buyer: agent("tools: [look, charge]"),
};

const act = (tool: string) => ({ tool, input: { what: "card 1" } });

const SAYS: Record<string, ScriptedTurn[]> = {
  buyer: [{ calls: [act("look")] }, { calls: [act("charge")] }, { report: { summary: "Bought." } }],
};

const script: Script = ({ agent, turn }) => {
  const said = SAYS[agent]?.[turn - 1];
  return said && { ...said, delay: MOMENT_MS };
};

export function writeAgents(folder: string): void {
  mkdirSync(join(folder, "agents"), { recursive: true });
  for (const [name, text] of Object.entries(AGENTS))
    writeFileSync(join(folder, "agents", `${name}.md`), text);
  writeFileSync(join(folder, "cadre.yaml"), "concurrency: 1000\n");
}

export const oracleOf = (folder: string): string => join(folder, "effects.log");

/** Options that the workers share with the process that admits the runs. */
export function loadOptions(folder: string, store: string): AssemblyOptions {
  return {
    folder,
    env: { CADRE_TRUST: "1", CADRE_STORE: store, CADRE_ENGINE: "pg-boss" },
    home: join(folder, "home"),
    scripts: { load: script },
    tools: oracleTools(oracleOf(folder)),
  };
}
