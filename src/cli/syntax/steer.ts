import type { Command } from "commander";
import { attach, noContinue } from "./arguments.ts";
import type { BindHandler } from "./handler.ts";

export function addSteerCommands(program: Command, bind: BindHandler): void {
  program
    .command("message <run> <text>")
    .description("send a message to a run; the agent reads it at its next turn")
    .addOption(attach())
    .action(bind(async () => (await import("../commands/steer.ts")).message));
  program
    .command("pause <run>")
    .description("pause a run before its next step")
    .action(bind(async () => (await import("../commands/steer.ts")).pause));
  program
    .command("resume <run>")
    .description("resume a paused or quarantined run; one that waits for its provider tries again now")
    .addOption(noContinue())
    .action(bind(async () => (await import("../commands/steer.ts")).resume));
  program
    .command("cancel <run>")
    .description("cancel a run and its descendants, and wait until all have ended")
    .option("--reason <text>", "the reason")
    .action(bind(async () => (await import("../commands/cancel.ts")).cancel));
  program
    .command("undo [where]")
    .summary("take back the file changes of a run and its descendants")
    .description(
      "Puts the files of a run and its descendants back as they were before the run, or with RUN#SEQ as they were after that event.\nShows what that changes, and asks first. Later changes by a person or another run are kept and listed as conflicts.\nReplaced files are moved to .cadre/undone. Without an argument: the latest run.",
    )
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask")
    .action(bind(async () => (await import("../commands/undo.ts")).undo));
  program
    .command("budget <run>")
    .description(
      "show what a run and its descendants have spent and may spend; or change the run's own limit",
    )
    .option("--give <amount>", "add to its limit: '$0.50' or 0.50usd, or 20k tokens")
    .option("--take <amount>", "reduce its limit")
    .option("--set <amount>", "set its limit")
    .option("--tree", "change the limit of the whole tree, not of the run itself")
    .action(bind(async () => (await import("../commands/budget.ts")).budget));
  program
    .command("freeze <run>")
    .description("pause a run and its descendants before their next steps")
    .action(bind(async () => (await import("../commands/steer.ts")).freeze));
  program
    .command("thaw <run>")
    .description("let a frozen branch continue")
    .addOption(noContinue())
    .action(bind(async () => (await import("../commands/steer.ts")).thaw));
}
