// `cadre permissions suggest`: proposes rules that would have avoided approvals. It changes nothing: a person writes the
// project's rules.

import type { Suggestions } from "../../api/client/types.ts";
import { plural } from "../../projections/words/format.ts";
import { describeSuggestion, ruleYaml, SUGGESTION_HELP } from "../../projections/words/suggested-rules.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import type { Paint } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine, plain, plainLine } from "../view/text/plain.ts";

export async function suggest({ io, folder, json, screen }: Invocation): Promise<number> {
  const found = await withClient({ folder, io }, (client) => client.get("/api/permissions/suggestions"));
  const lines = json ? [jsonLine(found)] : fitLines(suggestionLines(found, screen.paint), screen);
  for (const line of lines) screen.line(line);
  return EXIT.done;
}

function suggestionLines({ looked, suggestions }: Suggestions, paint: Paint): string[] {
  const { allowed, refused } = looked;
  const over = `${plural(allowed + refused, "decision")} (${allowed} allowed, ${refused} refused)`;
  if (suggestions.length === 0)
    return [`No rule to suggest: ${over}, and nothing in them that comes again and was never refused.`];
  return [
    `Tried on the latest ${over}:`,
    ...suggestions.flatMap((suggestion) => [
      "",
      paint("bold", plainLine(suggestion.rule)),
      `  ${describeSuggestion(suggestion)}`,
      ...suggestion.stillAsked.map((title) => `  still asks: ${plainLine(title)}`),
    ]),
    "",
    ...ruleYaml(suggestions[0]!.rule)
      .split("\n")
      .map((line) => `  ${plain(line)}`),
    paint("dim", SUGGESTION_HELP),
  ];
}
