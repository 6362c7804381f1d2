// `cadre permissions`: lists the calls that need no approval here, and who allowed them.
// `revoke` withdraws a person's grant, and `suggest` proposes rules.

import type { CadreClient } from "../../api/client/client.ts";
import type { GrantView, Suggestions } from "../../api/client/types.ts";
import { loadConfig } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import type { Rules } from "../../journal/definition.ts";
import { ago, plural } from "../../projections/words/format.ts";
import { describeSuggestion, ruleYaml, SUGGESTION_HELP } from "../../projections/words/suggested-rules.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report, tableWidth } from "../invocation.ts";
import { projectOf } from "../project.ts";
import type { Paint } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { plain, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { io, folder, screen, commandLine } = invocation;
  const { permissions, taint } = loadConfig({ folder, env: io.env });
  const { preset = "ask", ...project } = permissions;
  const { grants } = await withClient(invocation, (client) => client.get("/api/grants"));
  const { paint } = screen;
  const rules = ruleLines(project);
  const settings = projectOf(invocation).authority.filter(({ source }) => source !== "project");
  const lines = [
    `${paint("bold", "Preset")} ${preset}: ${MEANINGS[preset]}`,
    `${paint("bold", "Taint")} ${taint ? "on: calls after untrusted input ask, even if a rule allows them" : "off"}`,
    paint("bold", rules.length === 0 ? "cadre.yaml has no rules" : "Rules of cadre.yaml"),
    ...rules,
    ...settings.flatMap(({ source, rules: { preset: mode, ...taken } }) => {
      const lines = [...(mode ? [`  preset ${mode}`] : []), ...ruleLines(taken)];
      return lines.length === 0 ? [] : [paint("bold", `Rules of ${source}`), ...lines];
    }),
    paint("bold", grants.length === 0 ? "No grants by people" : "Granted by people"),
  ];
  const rows = grants.map((grant) => rowOf(grant, folder, Date.now()));
  return report(invocation, { preset, taint, project, settings, grants }, [
    ...fitLines(lines, screen),
    ...table(rows, tableWidth(invocation)),
    ...grants
      .slice(0, 1)
      .map(({ id }) => paint("dim", `Revoke one: ${commandLine(`permissions revoke ${id}`)}`)),
  ]);
}

const ruleLines = (rules: Omit<Rules, "preset">): string[] =>
  Object.entries(rules).flatMap(([word, texts]) =>
    texts.map((text) => `  ${word.padEnd(5)}  ${plainLine(text)}`),
  );

const MEANINGS = {
  "read-only": "only reads are allowed",
  ask: "asks before a change that matters",
  edits: "Write and Edit are allowed, except for protected files",
  trusted: "everything is allowed that no rule denies or asks about, except for protected files",
} as const;

function rowOf(
  { id, rule, scope, folder: where, by, at, until, runId }: GrantView,
  folder: string,
  now: number,
) {
  const reach =
    scope === "tree" ? `in run ${runId} and below` : until === undefined ? "always" : `until ${day(until)}`;
  const place = where === undefined || where === folder ? "" : ` in ${plainLine(where)}`;
  return [
    `  ${id}`,
    plainLine(rule),
    `${reach}${place}`,
    `by ${plainLine(by)}, ${ago(at, now)}, in run ${runId}`,
  ];
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export async function revoke(invocation: Invocation, which: string): Promise<number> {
  const revoked = await withClient(invocation, (client) => takeBack(client, which));
  const rules = revoked.map(({ rule }) => plainLine(rule)).join(", ");
  const line = `Revoked ${plural(revoked.length, "grant")}: ${rules}. Such calls ask again from now on.`;
  return report(invocation, { revoked }, [line]);
}

/** Revokes the grant with this number, or all grants of this rule. */
async function takeBack(client: CadreClient, which: string): Promise<GrantView[]> {
  const { grants } = await client.get("/api/grants");
  const found = grants.filter(({ id, rule }) => String(id) === which || rule === which);
  if (found.length === 0) {
    const known = grants.map(({ id, rule }) => `${id} ${rule}`).join(", ") || "none";
    throw new CadreError("NOT_FOUND", `There is no grant ${which}. Nothing was changed. In force: ${known}.`);
  }
  for (const { id } of found) await client.delete("/api/grants/{id}", { id });
  return found;
}

/** Proposes rules that would have made approvals unnecessary. The command saves no rules: a person adds them to the project. */
export async function suggest(invocation: Invocation): Promise<number> {
  const { screen } = invocation;
  const found = await withClient(invocation, (client) => client.get("/api/permissions/suggestions"));
  return report(invocation, found, fitLines(suggestionLines(found, screen.paint), screen));
}

function suggestionLines({ looked, suggestions }: Suggestions, paint: Paint): string[] {
  const { allowed, refused } = looked;
  const over = `${plural(allowed + refused, "decision")} (${allowed} allowed, ${refused} refused)`;
  if (suggestions.length === 0)
    return [`No rule to suggest: ${over}, and no kind of call in them was repeated and never refused.`];
  return [
    `Tested on the latest ${over}:`,
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
