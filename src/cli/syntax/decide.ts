import { type Command, Option } from "commander";
import type { BindHandler } from "./handler.ts";

export function addDecideCommands(program: Command, does: BindHandler): void {
  const scope = new Option("--scope <scope>", "how far it reaches").choices([
    "once",
    "run",
    "tree",
    "always",
  ]);
  program
    .command("approve [id]")
    .description("let a call happen; without an id: show what is open, and decide nothing")
    .option("--edit <json>", "let it happen with this input instead")
    .addOption(scope)
    .option("--note <text>", "a word for the record")
    .option("--answer <text>", "the answer to a question")
    .option("--ask <person>", "let somebody else decide: it stays open, and says for whom it is")
    .option("--max-tokens <n>", "raise a budget that is used up")
    .option("--max-cost <dollars>", "raise a budget that is used up")
    .action(does(async () => (await import("../commands/approve.ts")).approve));
  program
    .command("reject <id>")
    .description("refuse a call; the agent reads why")
    .option("--note <text>", "why")
    .action(does(async () => (await import("../commands/reject.ts")).reject));
  const permissions = program
    .command("permissions")
    .description("what is allowed here without asking, and by whose word");
  permissions
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("../commands/permissions.ts")).list));
  permissions
    .command("revoke <grant>")
    .description("take back what a person allowed: by its number, or by its rule")
    .action(does(async () => (await import("../commands/permissions.ts")).revoke));
  permissions
    .command("suggest")
    .description(
      "rules that would have spared you from being asked, tried on what was decided; changes nothing",
    )
    .action(does(async () => (await import("../commands/permissions.ts")).suggest));
  program
    .command("outcome [run] [call] [verdict]")
    .summary("say what became of a call that a crash left open: happened, run_again or fail")
    .description(
      "Says what became of a call that a crash left open: happened, run_again or fail. Without a verdict: looks whether the call\ntook effect, and decides nothing. Without a call: shows every call whose outcome nobody knows.",
    )
    .option("--output <text>", "what came of it, for the agent")
    .option("--note <text>", "a word for the record")
    .action(does(async () => (await import("../commands/outcome.ts")).outcome));
  program
    .command("cancel <run>")
    .description("end a run and everything below it, and wait until all have ended")
    .option("--reason <text>", "why")
    .action(does(async () => (await import("../commands/cancel.ts")).cancel));
  program
    .command("message <run> <text>")
    .description("tell a run something; the agent reads it at its next turn")
    .action(does(async () => (await import("../commands/steer.ts")).message));
  program
    .command("pause <run>")
    .description("hold a run before its next step")
    .action(does(async () => (await import("../commands/steer.ts")).pause));
  program
    .command("resume <run>")
    .description(
      "let a run go on that was paused or set aside; one that waits for its provider tries again now",
    )
    .action(does(async () => (await import("../commands/steer.ts")).resume));
}

export function addBranchCommands(program: Command, does: BindHandler): void {
  program
    .command("budget <run>")
    .description(
      "what a run and all below it have spent and may; or give, take, set what it may spend itself",
    )
    .option("--give <amount>", "add to its limit: 0.50 means dollars, 20000 means tokens")
    .option("--take <amount>", "take from what it has left")
    .option("--set <amount>", "make this its limit")
    .option("--tree", "of the whole tree, not of the run itself")
    .action(does(async () => (await import("../commands/budget.ts")).budget));
  program
    .command("freeze <run>")
    .description("hold a run and everything below it before their next steps")
    .action(does(async () => (await import("../commands/budget.ts")).freeze));
  program
    .command("thaw <run>")
    .description("let a branch go on that was frozen")
    .action(does(async () => (await import("../commands/budget.ts")).thaw));
}
