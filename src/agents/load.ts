// Assembles the agents of a project in four steps: inherit keys, compile, resolve references, and check the whole set.
// If two agents have the same name, the nearer agent is used, with a note. An unusable file does not affect the other files.

import { nearestWord, type Problem, problemText } from "../config/problem.ts";
import { CadreError } from "../errors.ts";
import type { Agent, AgentEnvironment } from "./agent.ts";
import { checkAgents } from "./checks/index.ts";
import { compileAgent } from "./compile/compile-agent.ts";
import { applyExtends } from "./compile/extends.ts";
import { resolveName } from "./compile/names.ts";
import { joinWithOr, resolveReferences } from "./compile/references.ts";
import type { Draft, DraftFile } from "./files/draft.ts";

export interface AgentSet {
  /** All agents. The key is the full name. */
  agents: Map<string, Agent>;
  /** All problems and notes of the set, including the problems of single agents. */
  problems: Problem[];
}

/** `files` are sorted, nearest first. This function is pure: the same files always give the same set. */
export function assembleAgents(files: readonly DraftFile[], known: AgentEnvironment): AgentSet {
  const notes = files.flatMap(({ skipped }) => (skipped && isReported(skipped) ? [skipped] : []));
  const drafts = new Map<string, Draft>();
  for (const draft of files.flatMap((file) => file.drafts)) {
    const nearer = drafts.get(draft.name);
    if (nearer) notes.push(shadowedProblem(draft, nearer));
    else drafts.set(draft.name, draft);
  }
  const agents = new Map(applyExtends(drafts).map((draft) => [draft.name, compileAgent(draft, known)]));
  resolveReferences(agents);
  checkAgents(agents, known.toolNames, {
    servers: known.servers,
    reasoningProblem: known.reasoningProblem,
  });
  return { agents, problems: [...notes, ...[...agents.values()].flatMap((agent) => agent.problems)] };
}

/** A schema or another data file in an agents folder is not a mistake, so it is not reported. */
const isReported = ({ code }: Problem): boolean => code !== "NOT_AN_AGENT";

function shadowedProblem(draft: Draft, nearer: Draft): Problem {
  const same = draft.scope === nearer.scope;
  const why = `${nearer.file} has the same name and ${same ? "comes first" : "is nearer"}`;
  return {
    file: draft.file,
    line: 1,
    column: 1,
    code: same ? "DUPLICATE_NAME" : "AGENT_SHADOWED",
    severity: "warning",
    message: `agent \`${draft.name}\` is not used: ${why}`,
  };
}

/** Returns the agent with this name, ready to run. Throws if there is no such agent, if several match, or if the agent is broken. */
export function findAgent(
  set: AgentSet,
  name: string,
): Agent & { definition: NonNullable<Agent["definition"]> } {
  const found = resolveName(set, name);
  if (!found) throw notFound(set, name);
  if ("candidates" in found) {
    const message = `\`${name}\` may be ${joinWithOr(found.candidates)}: say the full name.`;
    throw new CadreError("AGENT_NOT_FOUND", message, { code: "AMBIGUOUS_AGENT", known: found.candidates });
  }
  const { agent } = found;
  if (agent.definition) return { ...agent, definition: agent.definition };
  const first = agent.problems.find((problem) => problem.severity === "error");
  const why = first ? problemText(first) : `${agent.file} cannot be used`;
  throw new CadreError("AGENT_INVALID", `Agent \`${agent.name}\` cannot run: ${why}`, {
    problems: agent.problems,
  });
}

function notFound({ agents }: AgentSet, name: string): CadreError {
  const known = [...agents.keys()].sort();
  const meant = similarNames(name, known);
  const hint = meant.length > 0 ? ` Did you mean ${joinWithOr(meant)}?` : "";
  const own = known.filter((each) => agents.get(each)!.scope !== "builtin");
  const others = known.length - own.length;
  const builtin = others > 0 ? [`${others} that are built in (\`cadre agents --all\` lists them)`] : [];
  const list = [...(own.length > 0 ? [own.join(", ")] : []), ...builtin].join(", and ");
  const here = list === "" ? "No agents were found: add agents/<name>.md." : `Known agents: ${list}.`;
  return new CadreError("AGENT_NOT_FOUND", `There is no agent \`${name}\`.${hint} ${here}`, { known });
}

/** Agents whose full name, or name without the pack, is similar to the unknown name. */
function similarNames(name: string, known: readonly string[]): string[] {
  const short = (full: string): string => full.slice(full.lastIndexOf("/") + 1);
  const near = nearestWord(name, [...known, ...known.map(short)]);
  if (near === undefined) return [];
  return known.includes(near) ? [near] : known.filter((full) => short(full) === near);
}
