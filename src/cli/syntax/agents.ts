import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addAgentCommands(program: Command, does: BindHandler): void {
  const agents = program
    .command("agents")
    .description(
      "list the agents that can be run here (--all: those of the packs too); check and explain them",
    );
  agents
    .command("list", { isDefault: true, hidden: true })
    .option("--all", "every agent of the built-in packs, too")
    .action(does(async () => (await import("../commands/agents/list.ts")).list));
  agents
    .command("validate [path...]")
    .description(
      "check agent files, or those below a folder; exit code 1 if one cannot be used, 2 if there was none",
    )
    .option("--strict", "let no warning pass either")
    .action(does(async () => (await import("../commands/agents/validate.ts")).validate));
  agents
    .command("explain <agent>")
    .description("who answers, whom it reaches, what they may do, and what could come of it")
    .action(does(async () => (await import("../commands/agents/explain.ts")).explain));
  agents
    .command("graph [agent]")
    .description("draw who can start whom")
    .option("--mermaid", "as a Mermaid flowchart")
    .action(does(async () => (await import("../commands/agents/graph.ts")).graph));
  agents
    .command("prompt <agent>")
    .description("print exactly what the model would get, and the tools it is offered")
    .option("--task <text>", "the task, where the prompt names it")
    .action(does(async () => (await import("../commands/agents/prompt.ts")).prompt));
  agents
    .command("schema")
    .description("print the JSON Schema of an agent file's front matter, for editors")
    .action(does(async () => (await import("../commands/agents/schema.ts")).schema));
}
