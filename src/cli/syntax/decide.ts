import { type Command, Option } from "commander";
import { noContinue } from "./arguments.ts";
import type { BindHandler } from "./handler.ts";

export function addDecideCommands(program: Command, bind: BindHandler): void {
  const scope = new Option("--scope <scope>", "how far the approval reaches").choices([
    "once",
    "run",
    "tree",
    "always",
  ]);
  program
    .command("approve [id]")
    .description(
      "approve a call; without an id: answer the open items by key at a terminal, and list them elsewhere",
    )
    .option("--edit <json>", "approve it with this input instead")
    .addOption(scope)
    .option("--note <text>", "the reason; the agent reads it")
    .option("--answer <text>", "the answer to a question")
    .option("--ask <person>", "ask another person to decide: the item stays open and names them")
    .option("--max-tokens <n>", "raise a used-up budget")
    .option("--max-cost <dollars>", "raise a used-up budget")
    .addOption(noContinue())
    .action(bind(async () => (await import("../commands/approve.ts")).approve));
  program
    .command("reject <id>")
    .description("reject a call; the agent reads the reason")
    .option("--note <text>", "the reason")
    .addOption(noContinue())
    .action(bind(async () => (await import("../commands/approve.ts")).reject));
  program
    .command("outcome [run] [call] [verdict]")
    .summary("say whether a call that a crash interrupted took effect: happened, run_again or fail")
    .description(
      "Records whether a call that a crash interrupted took effect: happened, run_again or fail. Without a verdict: probes whether\nthe call took effect, and decides nothing. Without a call: lists every call with an unknown outcome.\n`all` in place of the call: one verdict for every such call of the run's tree.",
    )
    .option("--output <text>", "the result of the call, for the agent")
    .option("--note <text>", "a note for the record")
    .addOption(noContinue())
    .action(bind(async () => (await import("../commands/outcome.ts")).outcome));
  const permissions = program
    .command("permissions")
    .description("list what is allowed here without asking, and who allowed it");
  permissions
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/permissions.ts")).list));
  permissions
    .command("revoke <grant>")
    .description("revoke a person's grant, by its number or by its rule")
    .action(bind(async () => (await import("../commands/permissions.ts")).revoke));
  permissions
    .command("suggest")
    .description("suggest rules that would have avoided approvals, tested on past decisions; changes nothing")
    .action(bind(async () => (await import("../commands/permissions.ts")).suggest));
}
