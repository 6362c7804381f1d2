// Descriptions for the reference pages. The compiler asks for the description of a new event type, error code or exit code.

import type { EXIT } from "../../src/cli/invocation.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { EventType } from "../../src/journal/events.ts";

export const EVENT_MEANINGS: Record<EventType, string> = {
  RUN_STARTED: "A run was admitted: its agent, task and limits. Always the first event.",
  CONTEXT_ADDED: "A message to the agent arrived.",
  MODEL_CALL_STARTED: "Intent: a model is about to be called.",
  AGENT_THOUGHT: "Outcome: the model's answer and its cost.",
  MODEL_CALL_FAILED: "Outcome: the model did not answer.",
  TOOL_PROPOSED: "A tool call was judged: allow, ask or deny, with the rule that decided.",
  APPROVAL_DECIDED: "A person decided an item, or its time ran out.",
  PERSON_ASKED:
    "A named person was asked to decide an item. It stays open, and everyone with permission can still decide it.",
  TOOL_STARTED: "Intent: a tool call is about to run.",
  TOOL_RESULT: "Outcome: the result of a tool call.",
  OUTCOME_DECIDED: "A person decided the outcome of a call that a crash left open.",
  OUTCOME_PROBED: "A probe looked for the effect of such a call. It only suggests; a person decides.",
  RUN_SUSPENDED: "The run waits for a person, a child, a time, the provider or a slot.",
  RUN_RESUMED: "The run continues.",
  CHILD_RUN_STARTED: "Intent: a child run exists from this commit on.",
  CHILD_RUN_COMPLETED: "Outcome: a child run ended, with its result.",
  TEAM_ROUND_STARTED: "A round of a team's discussion began.",
  TEAM_MESSAGE: "A member or the coordinator said something to the team.",
  TEAM_VOTE: "A member voted on whether the discussion may end.",
  STEP_YIELDED: "A step of an agent's module got its answer.",
  CONTEXT_COMPACTED: "The prompt became too long, and a summary replaces its older part for the model.",
  LIMIT_REACHED: "A limit was reached: a soft one warns, a hard one ends the run.",
  BUDGET_SET: "A person set the budget of the run or its tree.",
  RUNNER_STARTED: "An external program was started to do the agent's work: its machine, session and sandbox.",
  RUNNER_SAID: "Text that such a program wrote on its way to the answer.",
  RUNNER_SPENT: "Cost that such a program reported before its outcome.",
  TIMER_SET: "A timer was set.",
  TIMER_FIRED: "The timer fired.",
  CANCEL_REQUESTED: "A person, or the end of a run above, asked to cancel the run.",
  RUN_CANCELLED: "The run ended because it was cancelled.",
  RUN_MOVED: "The run ended here and continues in another store.",
  SYSTEM_ERROR: "Something failed that is neither a model call nor a tool call.",
  RUN_COMPLETED: "The run ended with an answer.",
  RUN_FAILED: "The run ended without an answer, with the reason.",
};

export const ERROR_MEANINGS: Record<ErrorCode, string> = {
  USAGE:
    "The command line cannot be understood. Nothing was done: the sentence says what to type, or which `--help` says more.",
  BAD_REQUEST:
    "The request cannot be understood; nothing was changed. `details.issues` names each place; `/docs` shows the form.",
  AGENT_NOT_FOUND: "No agent has this name. `cadre agents` lists those that there are.",
  AGENT_INVALID: "The agent's file has an error. `cadre agents validate` says where.",
  CONFIG_INVALID:
    "`cadre.yaml`, a script or a variable has an error; the sentence says where. Nothing was started: mend it, and try again.",
  UNAUTHORIZED:
    "No token, or a wrong one. `.cadre/token` holds the server's, and `cadre users rotate NAME` makes a user a new one.",
  FORBIDDEN: "The token is right, and its user may not do this. Nothing was changed: ask an admin.",
  UNTRUSTED:
    "The folder is not [trusted](../trust.md). Nothing was opened: `cadre trust` if you know what is in it.",
  NOT_FOUND:
    "There is no such run, item or file. `cadre runs` and `cadre approve` list those that there are.",
  CONFLICT:
    "Something came in between, or is not so any more. Nothing was changed: look again, then decide again.",
  ALREADY_DECIDED: "Somebody was faster; the first decision stands.",
  OUTCOME_UNKNOWN:
    "A call was under way when a process ended: a person says what became of it (`cadre outcome`).",
  RUN_TERMINAL: "The run has ended; `cadre retry` or `cadre fork` goes on from it.",
  STALE: "What this rests on has changed, or a reader was too slow. Ask again.",
  UNPROCESSABLE:
    "The request is understood, and cannot be done as it is. Nothing was changed; the sentence says why.",
  MODEL_UNKNOWN:
    "No provider here has this model. Nothing was started: write `provider/model`, or set an alias in `cadre.yaml`.",
  PROVIDER_KEY_MISSING:
    "The provider's key is not in the environment. Nothing was started: set the variable that the sentence names.",
  PROVIDER_UNAVAILABLE: "The provider did not answer. The run waits and tries again by itself.",
  ENGINE_AWAY: "The engine cannot be reached. What was admitted is safe, and is driven when it is back.",
  STORAGE_FULL: "The disk is full. What was recorded is safe; make room, then go on.",
  STORAGE_UNUSABLE:
    "The store cannot be opened, read or written; Postgres may be away for a while. What was acknowledged is as it was; the sentence says why, and what to do.",
  FOLDER_MISSING:
    "The folder in which a run works is not on this machine. Nothing was done: another machine that has it goes on with the run, or this one does when the folder is there.",
  STORE_OWNED:
    "Another Cadre process has the store and did not let go of it. Nothing was changed: end the process that the sentence names, or try again.",
  JOURNAL_NEWER: "A newer Cadre wrote this journal. It is left alone: update this one.",
  JOURNAL_CORRUPT:
    "A journal does not verify. The run is set aside, the others go on: `cadre verify RUN` says where it is damaged.",
  INTERNAL:
    "Cadre itself has failed. What was recorded is safe; `CADRE_DEBUG=1`, or the server's log, says where.",
};

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  done: "done",
  failed: "failed",
  usage: "the command cannot be understood, or cannot be done as it is",
  waiting: "the run waits for a person",
  cancelled: "the run was cancelled",
  interrupted: "Ctrl-C; the run goes on when you say so",
};

export const VARIABLES: Record<string, string> = {
  CADRE_MODEL: "as `model`",
  CADRE_STORE: "as `store`",
  CADRE_ENGINE: "as `engine`",
  CADRE_SANDBOX: "as `sandbox`, a driver",
  CADRE_HOST: "as `server.host`",
  CADRE_PORT: "as `server.port`",
  CADRE_DIR: "where Cadre keeps what is its own (`.cadre` in the folder)",
  CADRE_TOKEN: "the token of the server, where it is not to be made and kept in `.cadre/token`",
  CADRE_DESTINATION_TOKEN:
    "that of an admin of the server that `cadre export --to https://…` moves a tree to",
  CADRE_TRUST: "`1` trusts the folder for this one command",
  CADRE_DEBUG: "any value: a failure also prints where in the code it came from",
};
