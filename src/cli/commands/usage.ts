// `cadre usage [RUN]`: prints what was spent and how runs went, from the same report as the dashboard's page.

import { rewriteCommands } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { parseRunsFilter } from "../lookup/runs-filter.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine } from "../view/text/plain.ts";
import { usageLines } from "../view/usage.ts";

/** Interval of the time series, which is required to get the measures but not printed. */
const DAY = 86_400_000;

export async function usage(
  { folder, io, json, screen, commandLine }: Invocation,
  root: string | undefined,
  options: { since?: string },
): Promise<number> {
  const { since } = parseRunsFilter(options, Date.now());
  const filter = {
    every: DAY,
    ...(root === undefined ? {} : { root }),
    ...(since === undefined ? {} : { since }),
  };
  const found = await withClient({ folder, io }, (client) => client.get("/api/usage", filter));
  if (json) screen.line(jsonLine(found));
  else {
    const lines = usageLines(found, screen.paint).map((line) => rewriteCommands(line, commandLine));
    for (const line of fitLines(lines, screen)) screen.line(line);
  }
  return EXIT.done;
}
