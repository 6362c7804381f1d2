// Says at the beginning and at the end of `npm test` what could not be tried on this machine.

import { findPostgres } from "../src/stores/postgres/binaries.fixture.ts";
import { DRIVERS, trySandbox } from "../src/tools/find-sandbox.ts";

export async function setup(): Promise<() => void> {
  const lines: string[] = [];
  for (const { name } of DRIVERS) {
    const tried = await trySandbox(name);
    if ("problem" in tried)
      lines.push(`NOT TRIED: the attacks inside the sandbox ${name} (${tried.problem}).`);
  }
  const postgres = findPostgres();
  if ("problem" in postgres) lines.push(`NOT TRIED: the store on Postgres (${postgres.problem}).`);
  const say = () => {
    for (const line of lines) console.warn(`\n${line}`);
  };
  say();
  return say;
}
