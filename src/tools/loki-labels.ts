// Lists the labels that Loki knows, or the values of one label.

import { z } from "zod";
import { revealHidden } from "../journal/visible.ts";
import { refusal, textAnswer } from "./answers.ts";
import { type LokiAccess, queryLoki, UNKNOWN_FORM } from "./loki/client.ts";
import { failedAnswer, untrustedAnswer } from "./loki/log-lines.ts";
import { formatRange, parseTimeRange, timeInput } from "./loki/time-range.ts";
import { defineTool } from "./tool.ts";

/** This check is strict, because the label becomes part of a URL path. */
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/;

const Names = z.array(z.string());

export const lokiLabelsTool = (access: LokiAccess) =>
  defineTool({
    name: "loki_labels",
    description:
      "Lists the labels that logs in Loki have, or, with label, the values of that one. Ask this before you write a query.",
    input: z.strictObject({
      label: z.string().regex(LABEL).optional().describe("List the values of this label"),
      query: z.string().min(1).max(2_000).optional().describe('Only of these streams: {env="prod"}'),
      ...timeInput,
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Loki"],
    idle: !access.settings,

    async execute({ label, query, start, end }, context) {
      const when = parseTimeRange({ start: start || undefined, end: end || undefined });
      if (!when.ok) return refusal(when.why);
      const { range } = when;
      const reply = await queryLoki(access, {
        path: label === undefined ? "labels" : `label/${label}/values`,
        parameters: {
          start: String(range.start),
          end: String(range.end),
          ...(query === undefined ? {} : { query }),
        },
        signal: context.signal,
      });
      if (!reply.ok) return failedAnswer(reply, context);
      // Loki leaves out `data` if there are no labels or values.
      const names = Names.safeParse(reply.data ?? []);
      if (!names.success) return refusal(UNKNOWN_FORM);
      const span = formatRange(range);
      const plural = names.data.length === 1 ? "" : "s";
      const what = label === undefined ? `label${plural}` : `value${plural} of ${label}`;
      if (names.data.length === 0)
        return textAnswer(
          `No ${what}, ${span}. Ask about a longer time${label ? ", or without label for the names that exist" : ""}.`,
        );
      const listed = names.data.map((name) => revealHidden(name).replaceAll("\n", "⟦U+000A⟧")).sort();
      return untrustedAnswer(`${listed.length} ${what}, ${span}.`, listed.join("\n"), context);
    },
  });
