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
}

/** How the rule of a call begins that a person's grant lets pass. */
export const GRANT_RULE = "person grant";

/** Rules with the place that they come from, for the sentence that names the one that decided. */
export interface SourcedRules {
  /** `person`, `project`, `run`, `ancestor <agent>`. */
  source: string;
  rules: Rules;
}

/** What a person has allowed beyond one call: `Bash(npm test)`, in a folder, until it expires. */
export interface Grant {
  rule: string;
  /** Absent: in any. */
  folder?: string | undefined;
  until?: number | undefined;
  /** Given in the tree of the run that asks. */
  inTree?: boolean;
}

/** How long "always" lasts: what nobody has looked at for a while is asked about again. */
export const ALWAYS_DAYS = 30;

export interface PermissionRequest extends WorkspaceView {
  tool: string;
  input: unknown;
  effect: Effect;
  /** The agent's own `tools`: passes or stops, and its `ask` adds an ask; never an allow. */
  gate: { allow?: readonly string[] | undefined; ask: readonly string[]; deny: readonly string[] };
  /** What the agent's `permissions` add for itself, and its ancestors' for it. */
  ancestors: readonly SourcedRules[];
  authority: readonly SourcedRules[];
  grants: readonly Grant[];
  /** Whose words the run has that nobody here wrote; absent: nobody's, or it does not count here. */
  taint?:
    | {
        sources: readonly string[];
        /** Hosts that the run knows by itself. */
        hosts: readonly string[];
        /** Of work that is given to another agent: what that one may do and this one may not, in words. */
        raises?: string | undefined;
      }
    | undefined;
  /** In a fork, of what cannot be taken back: it happened once already, or never was to. */
  forked?: boolean | undefined;
  now: number;
}

/** A call that a person has decided about, as the judge would be asked about it now. */
export interface PastCall {
  request: PermissionRequest;
  /** Changed before it was allowed is refused as it was. */
  decided: "allowed" | "refused";
  title: string;
}

export type Judge = (request: PermissionRequest) => Verdict;

/** The grant that a person gives by saying "always this": as narrow as the call allows. Undefined: cannot be widened. */
export type GrantFor = (tool: string, input: unknown) => string | undefined;

/** Judges a shell command by its parsed argv: only what is known to change nothing is `readOnly`. */
export type ShellJudge = (command: string) => { readOnly: boolean; why: string };
