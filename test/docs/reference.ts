// Generates the reference pages from the code, so that they list every key, command, event and code, and no others.
// `npx vitest run test/docs/reference.test.ts -u` rewrites the pages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { z } from "zod";
import { AGENT_KEYS, KEY_ALIASES } from "../../src/agents/frontmatter.ts";
import { EXIT } from "../../src/cli/invocation.ts";
import { addCommands } from "../../src/cli/syntax/index.ts";
import { CONFIG_KEYS } from "../../src/config/schema.ts";
import { ERROR_CODES, exitCode, httpStatus } from "../../src/errors.ts";
import { payloads } from "../../src/journal/events.ts";
import { ERROR_MEANINGS, EVENT_MEANINGS, EXIT_MEANINGS, VARIABLES } from "./meanings.ts";
import { type Row, rowsOf } from "./schema-rows.ts";

export const PAGES: Record<string, () => string> = {
  "agent-keys": agentKeysPage,
  config: configPage,
  cli: cliPage,
  events: eventsPage,
  errors: errorsPage,
};

const MADE = "<!-- Made from the code: `npx vitest run test/docs/reference.test.ts -u` writes it anew. -->\n";

function agentKeysPage(): string {
  const aliases = Object.entries(KEY_ALIASES).map(([alias, key]) => `\`${alias}\` is \`${key}\``);
  return page("Keys of agent files", [
    "Every key that may stand in the front matter of an agent file. Read [agent files](../agent-files.md) first; `cadre agents schema` prints the same as JSON Schema for editors.\n",
    table(rowsOf(AGENT_KEYS)),
    `\nOther names: ${aliases.join(", ")}.`,
  ]);
}

function configPage(): string {
  return page("Keys of cadre.yaml", [
    "Every key of a project's `cadre.yaml`. A time is `30m`, `1h 30m`, `90s`, or a number of milliseconds. What counts only in a [trusted folder](../trust.md) is listed there.\n",
    table(rowsOf(CONFIG_KEYS)),
    "\n## Variables\n\nA flag wins over its variable, a variable over the file.\n\n| Variable | |\n| --- | --- |",
    ...Object.entries(VARIABLES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  ]);
}

function cliPage(): string {
  const program = new Command("cadre");
  addCommands(program, () => async () => {});
  const exits = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`,
  );
  return page("Commands", [
    "Every command of `cadre`. All of them take `-C, --folder <path>` for the project's folder (default: the current one), and `--json` to print only JSON. `cadre help <command>` prints the same.\n",
    "| Exit code | |\n| --- | --- |",
    ...exits,
    ...verbsOf(program).map(verb),
  ]);
}

const verbsOf = (command: Command): Command[] => command.commands.flatMap((each) => [each, ...verbsOf(each)]);

function verb(command: Command): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `\n## ${pathOf(command)}\n`,
    `\`${pathOf(command)} ${command.usage()}\`\n`,
    sentence(command.description().replaceAll("\n", " ")),
    ...(options.length > 0 ? ["\n| Option | |\n| --- | --- |"] : []),
    ...options.map(
      ({ flags, description, argChoices }) =>
        `| \`${cell(flags)}\` | ${cell(description)}${argChoices ? `: ${argChoices.join(", ")}` : ""} |`,
    ),
  ].join("\n");
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

function eventsPage(): string {
  const source = readFileSync(join(import.meta.dirname, "../../src/journal/events.ts"), "utf8");
  return page("Events", [
    "Everything that can happen to a run. Each event also has `runId`, `seq`, `position`, `ts`, `type` and `key`. How they come about: [the journal](../how/journal.md).",
    ...Object.entries(payloads).map(([type, schema]) => {
      const meaning = EVENT_MEANINGS[type as keyof typeof payloads];
      return `\n## ${type}\n\n${meaning}\n\n${table(fieldsOf(type, schema, source), "Field")}`;
    }),
  ]);
}

/** The fields of an event, with the comments above them in the source. */
function fieldsOf(type: string, schema: z.ZodType, source: string): Row[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const [, body = ""] = new RegExp(`^  ${type}: z\\.object\\(\\{\\n(.*?)^  \\}\\)`, "ms").exec(source) ?? [];
  const top = rowsOf((schema as z.ZodObject).shape).filter(({ key }) => key in properties);
  return top.map(({ key, values }) => {
    const [, comment = ""] = new RegExp(`/\\*\\* ([^\\n]*) \\*/\\n    ${key}\\b`).exec(body) ?? [];
    return { key, values: `${values}${required.includes(key) ? "" : " (optional)"}`, meaning: comment };
  });
}

function errorsPage(): string {
  return page("Error codes", [
    'Every failure has a stable code, and one sentence that says what happened, whether anything is lost, and what to do now. Over HTTP: `{"error": {"code", "message", "details"}}`; on the command line: the sentence, and with `--json` the same object.\n',
    "| Code | HTTP | Exit | What it means |\n| --- | --- | --- | --- |",
    ...ERROR_CODES.map(
      (code) => `| \`${code}\` | ${httpStatus(code)} | ${exitCode(code)} | ${ERROR_MEANINGS[code]} |`,
    ),
  ]);
}

const page = (title: string, parts: readonly string[]): string =>
  `# ${title}\n\n${MADE}\n${parts.join("\n")}\n`;

const table = (rows: readonly Row[], first = "Key"): string =>
  [
    `| ${first} | Values | Meaning |\n| --- | --- | --- |`,
    ...rows.map(({ key, values, meaning }) => `| \`${cell(key)}\` | ${cell(values)} | ${cell(meaning)} |`),
  ].join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Turns a Commander description, which starts in lower case and has no full stop, into a sentence. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
