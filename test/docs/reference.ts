// Generates the reference pages from the code, so that they list exactly the keys, commands, events and codes that exist.
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
import { libraryReference } from "./library-reference.ts";
import { ERROR_MEANINGS, EVENT_MEANINGS, EXIT_MEANINGS, VARIABLES } from "./meanings.ts";
import { type Row, rowsOf } from "./schema-rows.ts";

export const PAGES: Record<string, () => string> = {
  "agent-keys": agentKeysPage,
  config: configPage,
  cli: cliPage,
  events: eventsPage,
  errors: errorsPage,
  library: () => `${GENERATED}${libraryReference()}`,
};

const GENERATED =
  "<!-- Generated from the code: `npx vitest run test/docs/reference.test.ts -u` rewrites this page. -->\n";

function agentKeysPage(): string {
  const aliases = Object.entries(KEY_ALIASES).map(([alias, key]) => `\`${alias}\` is \`${key}\``);
  return page("Keys of agent files", [
    "This page lists every key of an agent file's front matter. Read [agent files](../agent-files.md) first. `cadre agents schema` prints the same keys as a JSON Schema for editors.\n",
    table(rowsOf(AGENT_KEYS)),
    `\nOther names: ${aliases.join(", ")}.`,
  ]);
}

function configPage(): string {
  return page("Keys of cadre.yaml", [
    "This page lists every key of a project's `cadre.yaml`. A duration is `30m`, `1h 30m`, `90s`, or a number of milliseconds. Some keys are ignored unless the folder is [trusted](../trust.md); that page lists them.\n",
    table(rowsOf(CONFIG_KEYS)),
    "\n## Variables\n\nA flag overrides its variable, and a variable overrides `cadre.yaml`.\n\n| Variable | |\n| --- | --- |",
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
    "This page lists every command of `cadre`. Every command accepts `-C, --folder <path>` for the project's folder (default: the current one), and `--json` to print only JSON. `cadre help <command>` prints the same text.\n",
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
    "This page lists every event type with its fields. Each event also has `runId`, `seq`, `position`, `ts`, `type` and `key`. [The journal](../how/journal.md) explains when events are written.",
    ...Object.entries(payloads).map(([type, schema]) => {
      const meaning = EVENT_MEANINGS[type as keyof typeof payloads];
      return `\n## ${type}\n\n${meaning}\n\n${table(fieldsOf(type, schema, source), "Field")}`;
    }),
  ]);
}

/** The fields of an event, each with the comment above it in the source. */
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
    'Every error has a stable code and a message, which says what happened, whether anything is lost, and what to do next. Over HTTP the response is `{"error": {"code", "message", "details"}}`. The command line prints the message, or with `--json` the same object.\n',
    "| Code | HTTP | Exit | Meaning |\n| --- | --- | --- | --- |",
    ...ERROR_CODES.map(
      (code) => `| \`${code}\` | ${httpStatus(code)} | ${exitCode(code)} | ${ERROR_MEANINGS[code]} |`,
    ),
  ]);
}

const page = (title: string, parts: readonly string[]): string =>
  `# ${title}\n\n${GENERATED}\n${parts.join("\n")}\n`;

const table = (rows: readonly Row[], first = "Key"): string =>
  [
    `| ${first} | Values | Meaning |\n| --- | --- | --- |`,
    ...rows.map(({ key, values, meaning }) => `| \`${cell(key)}\` | ${cell(values)} | ${cell(meaning)} |`),
  ].join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Converts a description from Commander to a sentence: adds a capital letter and a full stop. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
