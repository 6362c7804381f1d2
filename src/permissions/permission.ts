// The contract of permissions. Two layers, kept apart: an agent's own gate says what it may call; authority says what
// the tree may do at all. Pure: the same request always gets the same verdict, with the rule that decided.

import type { Effect, Rules } from "../journal/definition.ts";
import type { RuleBasis } from "../journal/events.ts";
import type { WorkspaceView } from "./path-names.ts";

export interface Verdict {
  verdict: "allow" | "ask" | "deny";
  /** The rule that decided, with its origin: `project deny Bash(rm *)`, `default ask Write`. For people; code reads `basis`. */
  rule: string;
  /** Absent: a permission rule decided, or the default allowed it. */
  basis?: RuleBasis;
  /** No person was there to ask: the run's policy denied the call, or fails the run. */
  unattended?: "reject" | "fail";
  /** Why a shell command could not be judged. */
  unjudged?: string;
  /** The host that the call would contact, if its input names one. */
  host?: string;
}

/** Prefix of the rule text if a person's grant allowed the call. */
export const GRANT_RULE = "person grant";

/** Rules with their origin, which the text of a verdict names. */
export interface SourcedRules {
  /** `person`, `project`, `run`, `ancestor <agent>`. */
  source: string;
  rules: Rules;
}

/** A permission that a person has given beyond one call: `Bash(npm test)`, in a folder, until it expires. */
export interface Grant {
  rule: string;
  /** Absent: any folder. */
  folder?: string | undefined;
  until?: number | undefined;
  /** Given in the tree of the run that asks. */
  inTree?: boolean;
}

/** How many days "always" lasts. Then people are asked again. */
export const ALWAYS_DAYS = 30;

export interface PermissionRequest extends WorkspaceView {
  tool: string;
  input: unknown;
  effect: Effect;
  /** The agent's own `tools`. It can stop a call or make it ask, but never allow it. */
  gate: { allow?: readonly string[] | undefined; ask: readonly string[]; deny: readonly string[] };
  /** Rules from the `permissions` of the agent itself and of its ancestors. */
  ancestors: readonly SourcedRules[];
  authority: readonly SourcedRules[];
  grants: readonly Grant[];
  /** Untrusted input in the run; absent if there is none, or if taint checks are off. */
  taint?:
    | {
        sources: readonly string[];
        /** Hosts that the run knew before the untrusted input. */
        hosts: readonly string[];
        /** If the call delegates: the extra rights of the other agent, as text. */
        raises?: string | undefined;
      }
    | undefined;
  /** The call is in a fork and cannot be undone. */
  forked?: boolean | undefined;
  now: number;
}

/** A call that a person has decided, as a request to the judge now. */
export interface PastCall {
  request: PermissionRequest;
  /** "refused" also if the person edited the call before allowing it. */
  decided: "allowed" | "refused";
  title: string;
}

export type Judge = (request: PermissionRequest) => Verdict;

/** The rule for "always allow this", as narrow as the call allows. Undefined if no rule can name the call. */
export type GrantFor = (tool: string, input: unknown) => string | undefined;

/** Judges a shell command by its parsed argv. `readOnly` only if it is known to change nothing. */
export type ShellJudge = (command: string) => { readOnly: boolean; why: string };
