// Translates other products' tool names into Cadre's names. An unknown name is never translated to a tool.

interface KnownTool {
  /** The tool's names in other products, in lower case. */
  aliases: string;
  /** Whether a call of the tool is about a command or a path. The tool's own declaration must say the same. */
  target?: "command" | "path";
  changesFiles?: true;
}

/** Cadre's tools, with their names in other products. `src/tools/index.test.ts` compares this table with the tools' own declarations. */
export const KNOWN_TOOLS = {
  Read: {
    aliases: "read read_file read_files readfile read_many_files fs_read notebookread read/readfile",
    target: "path",
  },
  Write: {
    aliases: "write write_file write_to_file create create_file createfile fs_write edit/createfile",
    target: "path",
    changesFiles: true,
  },
  Edit: {
    aliases:
      "edit multiedit edit_file editfiles edit/editfiles replace str_replace patch apply_diff apply_patch applypatch",
    target: "path",
    changesFiles: true,
  },
  Bash: {
    aliases: `bash shell_command_execute shell run_shell_command execute runcommands execute/runinterminal runinterminal
      terminalcommand terminal run_terminal_command execute_command execute_bash command`,
    target: "command",
    changesFiles: true,
  },
  Grep: {
    aliases: `grep search_code grep_search search_files search_file_content search codebase search/codebase code_search
      usages search/usages search/textsearch textsearch`,
    target: "path",
  },
  Glob: { aliases: "glob find find_files glob_search filesearch search/filesearch", target: "path" },
  LS: { aliases: "ls list list_directory list_files listdirectory search/listdirectory", target: "path" },
  WebFetch: { aliases: "webfetch web_fetch fetch web/fetch fetchurl fetch_content" },
  WebSearch: { aliases: "websearch google_web_search google_search web_search web" },
  TodoWrite: { aliases: "todowrite taskcreate taskupdate tasklist taskget todoread todo todos write_todos" },
  AskUser: { aliases: "askuserquestion askuser question vscode/askquestions" },
  Skill: { aliases: "skill slashcommand" },
} satisfies Record<string, KnownTool>;

export const TOOLS = Object.keys(KNOWN_TOOLS);

/** Whether a call of the tool is about a command or a path. Undefined for MCP tools, and for tools with neither of them. */
export const targetOf = (tool: string): KnownTool["target"] => knownTool(tool)?.target;

const knownTool = (tool: string): KnownTool | undefined =>
  Object.hasOwn(KNOWN_TOOLS, tool) ? KNOWN_TOOLS[tool as keyof typeof KNOWN_TOOLS] : undefined;

/** Tools that can change files, directly or by running a command. */
export const FILE_CHANGING_TOOLS: readonly string[] = [
  ...TOOLS.filter((tool) => knownTool(tool)?.changesFiles),
  ...["mcp__git__commit", "mcp__git__branch"],
];

/** The tool names that only one product uses. Names that all products share are not included. */
export interface Vocabulary {
  /** Words that mean a group of tools, in lower case. */
  groups?: Readonly<Record<string, readonly string[]>>;
  /** Returns Cadre's rules for a name that means MCP tools. */
  mcp?(name: string): readonly string[] | undefined;
}

export type ToolMeaning =
  | { kind: "tools"; rules: readonly string[] }
  /** The tool that starts other agents. If `agents` is set, it can start only these agents. */
  | { kind: "delegation"; agents?: readonly string[] }
  | { kind: "ide" }
  | { kind: "unknown" };

/** Finds the meaning of a tool name such as `Bash(git diff)`, `read_file`, `mcp__memory`, `*`, or a word of the product's vocabulary. */
export function toolMeaning(written: string, vocabulary: Vocabulary = {}): ToolMeaning {
  const match = /^([^()]+)(?:\((.*)\))?$/s.exec(written.trim());
  if (!match) return UNKNOWN;
  const [, given = "", scope] = match;
  const name = given.trimEnd();
  const word = name.toLowerCase();
  if (DELEGATION.has(word)) return delegation(scope);
  const names = toolsCalled(name, word, vocabulary);
  if (names === undefined) return isIdeOnly(word) ? { kind: "ide" } : UNKNOWN;
  if (scope === undefined) return { kind: "tools", rules: names };
  if (scope.trim() === "" || names.some((tool) => /[*(]/.test(tool))) return UNKNOWN;
  return { kind: "tools", rules: names.map((tool) => `${tool}(${scope.trim()})`) };
}

/** Splits a text at commas, except inside parentheses. */
export function splitNames(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

const UNKNOWN: ToolMeaning = { kind: "unknown" };

const BY_ALIAS: ReadonlyMap<string, string> = new Map(
  Object.entries(KNOWN_TOOLS).flatMap(([tool, { aliases }]) =>
    aliases.split(/\s+/).map((alias): [string, string] => [alias, tool]),
  ),
);

/** Tools for background commands. Every agent with Bash has them here, so a list of tools need not name them. */
export const PARTS_OF_BASH = new Set(
  "bashoutput killshell killbash taskoutput taskstop getterminaloutput awaitterminal".split(" "),
);

const DELEGATION = new Set("task agent agent/runsubagent runsubagent spawn_agents agent_chat".split(" "));

/** Tools that have no counterpart here. Most need an editor, such as the list of problems and the last test failure. */
const IDE_ONLY = new Set(
  `problems testfailure findtestfiles vscodeapi extensions opensimplebrowser runtasks runnotebooks
  terminallastcommand terminalselection searchresults new githubrepo readlints vscode createandruntask runtask
  gettaskoutput readcelloutput viewimage activepullrequest copilotcodingagent
  notebookedit exitplanmode enterplanmode listmcpresourcestool readmcpresourcetool lsp`.split(/\s+/),
);

/** The name can start with a tool set (`read/problems`) or with an extension (`ms-python.python/installPythonPackage`). */
function isIdeOnly(word: string): boolean {
  const [set, tool] = word.split("/");
  if (tool === undefined) return IDE_ONLY.has(word);
  if (set === "vscode" || /^(ms-[\w-]+|vscode|github)\.|\.vscode-/.test(set!)) return true;
  return COPILOT_SETS.has(set!) && IDE_ONLY.has(tool);
}

/** Tools of an editor that do what a few commands do. */
const COMMANDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    changes: ["git diff", "git status"],
    runtests: [
      ...[
        "npm test",
        "npm run test",
        "pnpm test",
        "yarn test",
        "npx vitest",
        "npx jest",
        "pytest",
        "python -m pytest",
      ],
      ...["go test", "cargo test", "dotnet test", "mvn test", "./gradlew test", "make test"],
    ],
  }).map(([tool, commands]) => [tool, commands.map((command) => `Bash(${command} *)`)]),
);

const COPILOT_SETS = new Set(["read", "edit", "search", "execute", "web", "agent", "todo", "runcommands"]);

function delegation(scope: string | undefined): ToolMeaning {
  return scope === undefined
    ? { kind: "delegation" }
    : { kind: "delegation", agents: splitNames(scope).filter((name) => name !== "*") };
}

function toolsCalled(name: string, word: string, vocabulary: Vocabulary): readonly string[] | undefined {
  if (name === "*") return ["*"];
  if (/\s/.test(name)) return undefined;
  if (word.startsWith("mcp__")) return [mcpRule(name)];
  if (vocabulary.groups && Object.hasOwn(vocabulary.groups, word)) return vocabulary.groups[word];
  const alias = BY_ALIAS.get(word);
  if (alias !== undefined) return [alias];
  const commands = COMMANDS.get(word.replace(/^(search|execute)\//, ""));
  if (commands) return commands;
  // `edit/createDirectory` is a tool of the editor, not of a server that is named `edit`.
  if (isIdeOnly(word) || COPILOT_SETS.has(word.split("/")[0]!)) return undefined;
  return vocabulary.mcp?.(name);
}

/** A server's name without a tool means all tools of the server. */
const mcpRule = (name: string): string => (/^mcp__(.+?)__/i.test(name) ? name : `${name}__*`);
