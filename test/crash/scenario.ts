// The scenarios of the crash suite.
// The simulated person checks the log of real effects before each answer.

import type { ForkRequest } from "../../src/loop/commands/fork.ts";
import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";

export interface CrashScenario {
  task: string;
  /** The agent of the root run. */
  root: string;
  /** The text of each agent file. The key is the agent's name. */
  agents: Record<string, string>;
  /** Other files in the agents folder. The key is the file name. */
  files?: Record<string, string>;
  /** The text of cadre.yaml. */
  config?: string;
  /** Other files of the project. The key is the path. */
  project?: Record<string, string>;
  /** The turns of each agent, by the agent's name. For a team member, the round follows the name: `critic 2`. A turn can depend on the last result. */
  says: Record<string, (ScriptedTurn | ((lastResult: string) => ScriptedTurn))[]>;
  /** If this is set, the root run is forked after it has ended. The scenario ends when the fork has ended. */
  fork?: ForkRequest;
}

export const script =
  ({ says }: CrashScenario) =>
  ({
    agent,
    round,
    turn,
    lastResult = "",
  }: Pick<ScriptedRequest, "agent" | "round" | "turn" | "lastResult">): ScriptedTurn | undefined => {
    const said = says[round === 0 ? agent : `${agent} ${round}`]?.[turn - 1];
    return typeof said === "function" ? said(lastResult) : said;
  };

const agent = (keys: string): string =>
  `---\ndescription: one of the crash suite\nmodel: scripted/crash\n${keys}\n---\nYou do your part.\n`;
const act = (tool: string, what: string) => ({ tool, input: { what } });
const say = (message: string) => ({ tool: "broadcast", input: { message } });
const vote = (ready: boolean, reason: string) => ({ tool: "vote_conclude", input: { ready, reason } });
const delegate = (to: string, task: string) => ({ tool: "delegate", input: { agent: to, task } });

/** A single run with a read, an approval, an unsafe effect and an idempotent effect. A rule requires approval for `charge`. */
const run: CrashScenario = {
  task: "look, charge, stamp, report",
  root: "tester",
  agents: { tester: agent("tools: { allow: [look, charge, stamp], ask: [charge], deny: [] }") },
  says: {
    tester: [
      { text: "First I look.", calls: [act("look", "orders")] },
      { calls: [act("charge", "card 1")] },
      { calls: [act("stamp", "receipt")] },
      { report: { summary: "Looked, charged, stamped." } },
    ],
  },
};

/** A hook that logs each moment in one line. If the log has a moment twice, its hook ran twice. */
const log = { hooks: [{ command: 'moment=$(cat); echo "$moment" >> "$CADRE_PROJECT_DIR/hooks.log"' }] };

/** The scenario `run` with hooks before the unsafe call, after the idempotent call, and at the end. A person still decides about the unsafe call. */
const hooks: CrashScenario = {
  ...run,
  config: `hooks: ${JSON.stringify({
    PreToolUse: [{ matcher: "charge", ...log }],
    PostToolUse: [{ matcher: "stamp", ...log }],
    Stop: [log],
  })}\n`,
};

/** The root starts two children in parallel. One child has an unsafe effect. The other child starts a grandchild that needs an approval. */
const tree: CrashScenario = {
  task: "buy it, and have it checked",
  root: "lead",
  agents: {
    lead: agent("agents: [buyer, checker]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }"),
    buyer: agent("tools: [charge]"),
    checker: agent("agents: [stamper]\ntools: []"),
    stamper: agent("tools: { allow: [stamp], ask: [stamp], deny: [] }"),
  },
  says: {
    lead: [
      { calls: [delegate("buyer", "buy it"), delegate("checker", "have it checked")] },
      { report: { summary: "Bought and checked." } },
    ],
    buyer: [{ calls: [act("charge", "card 1")] }, { report: { summary: "Bought." } }],
    checker: [{ calls: [delegate("stamper", "stamp it")] }, { text: "Checked." }],
    stamper: [{ calls: [act("stamp", "receipt")] }, { text: "Stamped." }],
  },
};

/** A steps module that prompts a model, causes an unsafe effect, delegates, asks a person and sleeps. */
const steps: CrashScenario = {
  task: "buy it by the book",
  root: "clerk",
  agents: {
    clerk: agent(
      "steps: ./clerk.steps.ts\nagents: [stamper]\ntools: { allow: [charge], ask: [charge], deny: [] }",
    ),
    stamper: agent("tools: [stamp]"),
  },
  files: {
    "clerk.steps.ts": `import { type Steps, ask, delegate, prompt, sleep, tool, turns } from "cadre";
export default function* (): Steps {
  yield prompt("What is to be bought?");
  const wish = yield* turns();
  const paid = yield* tool("charge", { what: "card 1" });
  const stamped = yield* delegate("stamper", "stamp it");
  const colour = yield* ask("Which colour?");
  yield* sleep(1);
  const last = yield* turns();
  return [wish.summary, paid.output, stamped.summary, colour, last.summary].join(" ");
}
`,
  },
  says: {
    clerk: [{ text: "A hat." }, { report: { summary: "Bought." } }],
    stamper: [{ calls: [act("stamp", "receipt")] }, { text: "Stamped." }],
  },
};

/** A team with three members and two rounds. One member has an unsafe effect, one needs an approval, and one only sends messages. */
const team: CrashScenario = {
  task: "shall we buy it?",
  root: "lead",
  agents: {
    lead: agent("team: { members: [buyer, critic, stamper] }\ntools: []"),
    buyer: agent("tools: [charge]"),
    critic: agent("tools: []"),
    stamper: agent("tools: { allow: [stamp], ask: [stamp], deny: [] }"),
  },
  says: {
    lead: [{ report: { summary: "We buy it." } }],
    "buyer 1": [
      { calls: [act("charge", "card 1")] },
      { calls: [say("It is paid."), vote(false, "the critic has not spoken")] },
    ],
    "critic 1": [{ text: "Is it stamped?" }],
    "stamper 1": [{ calls: [act("stamp", "receipt")] }, { text: "It is stamped." }],
    "buyer 2": [{ calls: [vote(true, "paid and stamped")] }],
    "critic 2": [{ calls: [vote(true, "no objection")] }],
    "stamper 2": [{ calls: [say("As I said."), vote(true, "nothing to add")] }],
  },
};

/** Forks `run` from its beginning. The fork reuses the recorded effects and does not repeat them. */
const fork: CrashScenario = { ...run, fork: { seq: 1 } };

/** The id in the last answer about a background command. A repeated start gives the command another id. */
const idIn = (text: string): string => /background command (m[\d.~]+)/.exec(text)?.[1] ?? "m1.0";
const output = (more: object) => (lastResult: string) => ({
  calls: [{ tool: "BashOutput", input: { id: idIn(lastResult), ...more } }],
});

/** A background command that logs its start. The agent reads its output and stops it. The command also ends if the file `go` exists. */
const background: CrashScenario = {
  task: "start the server, look at it, stop it",
  root: "tester",
  agents: { tester: agent("tools: [Bash, BashOutput]") },
  config: "sandbox: none\npermissions: { allow: [Bash] }\n",
  says: {
    tester: [
      {
        calls: [
          {
            tool: "Bash",
            input: {
              command:
                "echo ran >> ran.log; echo ready; for i in {1..3000}; do [ -e go ] && exit 7; sleep 0.1; done",
              background: true,
            },
          },
        ],
      },
      output({ until: "ready", wait: 0 }),
      output({ stop: true }),
      { report: { summary: "Served." } },
    ],
  },
};

/** A run that loads a skill before it works. */
const skill: CrashScenario = {
  task: "learn how to charge, and charge",
  root: "tester",
  agents: { tester: agent("tools: [Skill, charge]\nskills: [charging]") },
  project: {
    "skills/charging/SKILL.md":
      "---\nname: charging\ndescription: For charging cards.\n---\n\nCharge each card once.\n",
  },
  says: {
    tester: [
      { calls: [{ tool: "Skill", input: { skill: "charging" } }] },
      { calls: [act("charge", "card 1")] },
      { report: { summary: "Charged once." } },
    ],
  },
};

export const SCENARIOS = { run, hooks, tree, steps, team, fork, background, skill };
export type ScenarioName = keyof typeof SCENARIOS;
