// `cadre why RUN[#SEQ]`: explains why a run failed, waits or ended, or what led to one of its events. Also prints the decision
// log, and the source of each sentence of the answer.

import { CadreError } from "../../errors.ts";
import { provenanceOf } from "../../projections/views/provenance.ts";
import { whyMarkdown } from "../../projections/views/why-markdown.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { parseRunReference } from "../lookup/run-reference.ts";
import { sourceLines } from "../view/sources.ts";
import { jsonLine, plain } from "../view/text/plain.ts";
import { logLines, whyLines } from "../view/why.ts";

export interface WhyOptions {
  log?: boolean;
  sources?: boolean;
  markdown?: boolean;
}

export async function why(
  invocation: Invocation,
  about: string,
  { log, sources, markdown }: WhyOptions,
): Promise<number> {
  const { folder, io, json, screen, commandLine } = invocation;
  const { runId, seq } = parseRunReference(about);
  if (sources) return sourcesOf(invocation, runId);
  const found = await withClient({ folder, io }, (client) =>
    client.get("/api/runs/{id}/why", { id: runId, seq }),
  );
  if (json) screen.line(jsonLine(found));
  else if (markdown) screen.line(plain(whyMarkdown(found)));
  else
    for (const line of log ? logLines(found, screen) : whyLines(found, { screen, commandLine }))
      screen.line(line);
  return EXIT.done;
}

/** Prints the source of each sentence of the answer. It is computed here from the events, as in the browser. */
async function sourcesOf({ folder, io, json, screen }: Invocation, given: string): Promise<number> {
  const { id, events } = await withClient({ folder, io }, async (client) => {
    const run = await client.get("/api/runs/{id}", { id: given });
    return { id: run.id, events: await client.treeEvents(run.id) };
  });
  const journals = Map.groupBy(events, (event) => event.runId);
  const found = provenanceOf(journals, id);
  if (!found) throw new CadreError("CONFLICT", `Run ${id} has not ended: there is no answer yet.`);
  if (json) screen.line(jsonLine(found));
  else for (const line of sourceLines(found, screen)) screen.line(line);
  return EXIT.done;
}
