import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addAgentCommands(program: Command, bind: BindHandler): void {
  const agents = program
    .command("agents")
    .description(
      "list the agents that can be run here (--all: also those of the packs); check and explain them",
    );
  agents
    .command("list", { isDefault: true, hidden: true })
    .option("--all", "also every agent of the built-in packs")
    .action(bind(async () => (await import("../commands/agents/list.ts")).list));
  agents
    .command("validate [path...]")
    .description(
      "check agent files, or those below a folder; exit code 1 if one cannot be used, 2 if there was none",
    )
    .option("--strict", "treat warnings as errors")
    .action(bind(async () => (await import("../commands/agents/validate.ts")).validate));
  agents
    .command("explain <agent>")
    .description("explain which agent answers, which agents it reaches, what they may do, and the worst case")
    .action(bind(async () => (await import("../commands/agents/explain.ts")).explain));
  agents
    .command("graph [agent]")
    .description("draw which agent can start which")
    .option("--mermaid", "as a Mermaid flowchart")
    .action(bind(async () => (await import("../commands/agents/graph.ts")).graph));
  agents
    .command("prompt <agent>")
    .description("print the exact prompt the model would get, and the tools it is offered")
    .option("--task <text>", "the task to put into the prompt")
    .action(bind(async () => (await import("../commands/agents/prompt.ts")).prompt));
  agents
    .command("schema")
    .description("print the JSON Schema of an agent file's front matter, for editors")
    .action(bind(async () => (await import("../commands/agents/schema.ts")).schema));
  program
    .command("eval <file>")
    .summary("run a set of tasks with an agent, and report what got worse")
    .description(
      "Runs every case of a file, as often as it says, as ordinary runs; checks the answers, has agents judge them, and compares\nthe pass rates with the baseline, which is the first result. If it is killed, the same command continues.\nExit code 1 if a case is a regression.",
    )
    .option("--baseline", "make this result the baseline")
    .action(bind(async () => (await import("../commands/eval.ts")).evaluate));
  program
    .command("replay [run]")
    .usage("[options] <run> | --agent <name>")
    .summary("decide past runs again with the current code and rules, or with an agent's current file")
    .description(
      "Decides a run and its descendants again from their journals: with the recorded answers, and the current code and rules.\nExecutes nothing and calls no model. Prints the first decision that would be different. With --agent: the latest runs of an\nagent with its current file; which of them would get another prompt, tools, model or route, and the cost of running\nthose again. Exit code 1 if anything differs.",
    )
    .option("--agent <name>", "runs of this agent, with its current file")
    .option("--last <number>", "how many of its latest runs (default: 50)")
    .action(bind(async () => (await import("../commands/replay.ts")).replay));
}
