// `cadre why RUN[#SEQ]`: why a run failed, waits or ended, or why one event of it came about; and the decision log.

import { CadreError } from "../../errors.ts";
import { whyMarkdown } from "../../projections/why-markdown.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { jsonLine, plain } from "../view/plain.ts";
import { logLines, whyLines } from "../view/why.ts";

export interface WhyOptions {
  log?: boolean;
  markdown?: boolean;
}

export async function why(
  { folder, io, json, screen, at }: Invocation,
  about: string,
  { log, markdown }: WhyOptions,
): Promise<number> {
  const { runId, seq } = aboutOf(about);
  const found = await withClient({ folder, env: io.env }, (client) => client.why(runId, seq));
  if (json) screen.line(jsonLine(found));
  else if (markdown) screen.line(plain(whyMarkdown(found)));
  else for (const line of log ? logLines(found, screen) : whyLines(found, { screen, at })) screen.line(line);
  return EXIT.done;
}

function aboutOf(about: string): { runId: string; seq?: number } {
  const [, runId, seq] = /^([^#]+)(?:#([1-9]\d{0,8}))?$/.exec(about) ?? [];
  if (runId === undefined)
    throw new CadreError("USAGE", `${about} names no run: say RUN or RUN#SEQ, as in r0abc#12.`);
  return seq === undefined ? { runId } : { runId, seq: Number(seq) };
}
