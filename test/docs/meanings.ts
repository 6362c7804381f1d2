// Descriptions for the reference pages. If an event type, error code or exit code has no description, the compiler reports it.

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
  HOOKS_STARTED: "Intent: the hooks of one moment of the run are about to run.",
  HOOKS_ENDED: "Outcome: the answer of these hooks. They do not run again.",
  OUTCOME_DECIDED: "A person decided the outcome of a call that a crash left open.",
  OUTCOME_PROBED:
    "A probe looked for the effect of a call that a crash left open. It only makes a suggestion; a person decides.",
  RUN_SUSPENDED: "The run waits for a person, a child, a time, the provider or a slot.",
  RUN_RESUMED: "The run continues.",
  CHILD_RUN_STARTED: "Intent: a child run exists from this commit on.",
  CHILD_RUN_COMPLETED: "Outcome: a child run ended, with its result.",
  TEAM_ROUND_STARTED: "A round of a team's discussion began.",
  TEAM_MESSAGE: "A member or the coordinator said something to the team.",
  TEAM_VOTE: "A member voted on whether the discussion may end.",
  STEP_YIELDED: "A step of an agent's module got its answer.",
  CONTEXT_COMPACTED: "The prompt became too long, and a summary replaces its older part for the model.",
  CONTEXT_CLIPPED:
    "The prompt became too long, and long tool results are cleared or shortened for the model.",
  LIMIT_REACHED: "A limit was reached: a soft one warns, a hard one ends the run.",
  BUDGET_SET: "A person set the budget of the run or its tree.",
  RUNNER_STARTED: "An external program was started to do the agent's work: its machine, session and sandbox.",
  RUNNER_SAID: "An external program wrote text before its final answer.",
  RUNNER_SPENT: "An external program reported its cost before its outcome.",
  TIMER_SET: "A timer was set.",
  TIMER_FIRED: "A timer fired.",
  CANCEL_REQUESTED: "A person, or the end of a run above, asked to cancel the run.",
  RUN_CANCELLED: "The run ended because it was cancelled.",
  RUN_MOVED: "The run ended here and continues in another store.",
  SYSTEM_ERROR: "Something failed that is neither a model call nor a tool call.",
  RUN_COMPLETED: "The run ended with an answer.",
  RUN_FAILED: "The run ended without an answer, with the reason.",
};

export const ERROR_MEANINGS: Record<ErrorCode, string> = {
  USAGE:
    "Cadre does not understand the command line. Nothing was done. The message says what to type, or which `--help` to read.",
  BAD_REQUEST:
    "The request is malformed. Nothing was changed. `details.issues` lists the mistakes; `/docs` shows the correct form.",
  AGENT_NOT_FOUND: "No agent has this name. `cadre agents` lists all agents.",
  AGENT_INVALID: "The agent's file has an error. `cadre agents validate` says where.",
  CONFIG_INVALID:
    "`cadre.yaml`, a script or a variable has an error; the message says where. Nothing was started. Correct the error and try again.",
  UNAUTHORIZED:
    "The token is missing or wrong. The server's token is in `.cadre/token`; `cadre users rotate NAME` gives a user a new key.",
  FORBIDDEN: "The token is valid, but its user may not do this. Nothing was changed. Ask an admin.",
  UNTRUSTED:
    "The folder is not [trusted](../trust.md). Nothing was opened. If you know what is in the folder, run `cadre trust`.",
  NOT_FOUND:
    "There is no such run, item or file. `cadre runs` lists the runs, `cadre approve` the open items.",
  CONFLICT: "The state has changed since you last read it. Nothing was changed. Read it again, then decide.",
  ALREADY_DECIDED: "Another person decided first, and that decision is in force.",
  OUTCOME_UNKNOWN:
    "A process ended during a call, so the call's outcome is unknown. A person decides it (`cadre outcome`).",
  RUN_TERMINAL: "The run has ended. `cadre retry` or `cadre fork` continues from it.",
  STALE: "The data that the request refers to has changed, or a reader was too slow. Try again.",
  UNPROCESSABLE:
    "The request is well-formed but cannot be carried out. Nothing was changed. The message says why.",
  MODEL_UNKNOWN:
    "No configured provider has this model. Nothing was started. Write `provider/model`, or set an alias in `cadre.yaml`.",
  PROVIDER_KEY_MISSING:
    "The provider's key is not in the environment. Nothing was started. Set the variable that the message names.",
  PROVIDER_UNAVAILABLE: "The provider did not answer. The run waits and tries again by itself.",
  ENGINE_AWAY: "The engine cannot be reached. Admitted runs are safe and are driven when it is back.",
  STORAGE_FULL: "The disk is full. Recorded data is safe. Free some space, then continue.",
  STORAGE_UNUSABLE:
    "The store cannot be opened, read or written, for example because Postgres is down. Acknowledged data is unchanged. The message says why, and what to do.",
  FILES_UNAVAILABLE:
    "Agent files cannot be read at the moment, for example because too many files are open. Nothing was started. Try again in a moment.",
  FOLDER_MISSING:
    "The run's working folder is not on this machine. Nothing was done. A machine that has the folder continues the run; so does this one once the folder is there.",
  STORE_OWNED:
    "Another Cadre process owns the store and did not release it. Nothing was changed. End the process that the message names, or try again.",
  JOURNAL_NEWER:
    "A newer version of Cadre wrote this journal, so this version leaves it alone. Update Cadre.",
  JOURNAL_CORRUPT:
    "A journal failed verification. Its run is quarantined; other runs continue. `cadre verify RUN` says where the damage is.",
  INTERNAL:
    "Cadre itself failed. Recorded data is safe. `CADRE_DEBUG=1` or the server's log shows where the error occurred.",
};

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  done: "done",
  failed: "failed",
  usage: "the command is wrong or cannot be carried out",
  waiting: "the run waits for a person",
  cancelled: "the run was cancelled",
  interrupted: "Ctrl-C; the run stays and can be resumed",
};

export const VARIABLES: Record<string, string> = {
  CADRE_MODEL: "overrides `model`",
  CADRE_STORE: "overrides `store`",
  CADRE_ENGINE: "overrides `engine`",
  CADRE_SANDBOX: "overrides `sandbox`; the name of a driver",
  CADRE_HOST: "overrides `server.host`",
  CADRE_PORT: "overrides `server.port`",
  CADRE_DIR: "the folder for Cadre's own files (default: `.cadre` in the project's folder)",
  CADRE_TOKEN: "the server's token; without it, Cadre creates one in `.cadre/token`",
  CADRE_DESTINATION_TOKEN:
    "an admin's token for the server to which `cadre export --to https://…` moves a tree",
  CADRE_TRUST: "`1` trusts the folder for this one command",
  CADRE_DEBUG: "with any value, an error also prints its stack trace",
};
