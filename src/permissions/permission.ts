// The contract of permissions. There are two layers: the agent's gate (what the agent can call) and authority (what the tree can do).
// The same request always gets the same verdict, and the verdict names the rule that determined it.

import type { Effect, Rules } from "../journal/definition.ts";
import type { RuleBasis } from "../journal/events.ts";
import type { WorkspaceView } from "./path-names.ts";

export interface Verdict {
  verdict: "allow" | "ask" | "deny";
  /** The rule that determined the verdict, with its origin: `project deny Bash(rm *)`. This text is for people; code reads `basis`. */
  rule: string;
  /** The basis of the verdict. Absent if a permission rule decided, or if the default allowed the call. */
  basis?: RuleBasis;
  /** Set if no person could be asked. The run's policy then denied the call (`reject`) or made the run fail (`fail`). */
  unattended?: "reject" | "fail";
  /** Why a shell command could not be judged. */
  unjudged?: string;
  /** The host that the call would contact, if its input names one. */
  host?: string;
  /** A protected file that the call may change or reveal. On a server with users, only an admin approves such a call (A81). */
  protected?: string;
}

/** Prefix of the rule text if a person's grant allowed the call. */
export const GRANT_RULE = "person grant";

/** Rules with their origin. The text of a verdict names the origin. */
export interface SourcedRules {
  /** The origin: `person`, `project`, `run`, `ancestor <agent>`, or the settings file of another product. */
  source: string;
  rules: Rules;
  /** True if an ask rule of this source wins over every allow rule, however specific. This is how Claude Code reads its rules. */
  asksFirst?: true;
  /** True if the allow rules of this source never cover protected files, not even a rule that names the exact path (A81). */
  sparesProtected?: true;
}

/** A permission that a person has given for more than one call: `Bash(npm test)`, in a folder, until it expires. */
export interface Grant {
  rule: string;
  /** The folder in which the grant applies. If absent, the grant applies in any folder. */
  folder?: string | undefined;
  until?: number | undefined;
  /** Time at which the grant was given. */
  at?: number;
  /** True if a run of the tree has changed files since, after untrusted text had reached it. Then the grant covers no command that could run them. */
  isOutdated?: boolean;
  /** True if the grant was given in the same tree as the call. */
  inTree?: boolean;
}

/** Number of days that "always" lasts. Afterwards, people are asked again. */
export const ALWAYS_DAYS = 30;

export interface PermissionRequest extends WorkspaceView {
  tool: string;
  input: unknown;
  effect: Effect;
  /** The agent's own `tools`. They can deny a call or require approval. They cannot allow a call that the rules do not allow. */
  gate: { allow?: readonly string[] | undefined; ask: readonly string[]; deny: readonly string[] };
  /** Rules from the `permissions` of the agent itself and of its ancestors. */
  ancestors: readonly SourcedRules[];
  authority: readonly SourcedRules[];
  /** Allow rules of the skills that the run has loaded. They apply only if no other rule matches the call. */
  skills?: readonly SourcedRules[];
  grants: readonly Grant[];
  /** The taint of the run. Absent if the run has no untrusted input, or if taint checks are off. */
  taint?:
    | {
        sources: readonly string[];
        /** Tools whose calls need approval, because a tainted run above does not have them. */
        asks?: readonly string[];
        /** The rights that a delegate has and this agent lacks, as text. Set only if the delegate's own calls cannot ask a person. */
        raises?: string | undefined;
      }
    | undefined;
  /** Hosts, with their ports, that a person named. Other hosts ask, unless a rule or a grant allows them. */
  hosts?: readonly string[] | undefined;
  /** True if the call needs approval because it is made in a fork. */
  forked?: boolean | undefined;
  now: number;
}

/** A call that a person decided in the past. The judge can judge its request again with the current rules. */
export interface PastCall {
  request: PermissionRequest;
  /** A call is "refused" if the person refused it, or edited it before allowing it. */
  decided: "allowed" | "refused";
  title: string;
}

export type Judge = (request: PermissionRequest) => Verdict;

/** Builds the rule for "always allow this", as narrow as possible. Undefined if no rule can name the call. */
export type GrantFor = (tool: string, input: unknown) => string | undefined;

/**
 * Judges a shell command by its parsed argv. `readOnly` is true only if the command is known to change nothing.
 * `afterCrash` is the effect class of a command that may run again after a crash although it might change something.
 */
export type ShellJudge = (command: string) => {
  readOnly: boolean;
  why: string;
  afterCrash?: "read" | "idempotent";
};
