import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addLookCommands(program: Command, bind: BindHandler): void {
  program
    .command("runs")
    .description("list runs, newest first, each with the number of runs below it")
    .option(
      "--status <status>",
      "pending, running, waiting, suspended, completed, failed, cancelled; separate several with commas",
    )
    .option("--agent <name>", "only runs of this agent")
    .option("--user <name>", "only runs that this person started")
    .option("--search <words>", "only runs whose journals contain these words")
    .option("--since <time>", "only runs started since: 2h, 7d, today or 2026-01-31")
    .option(
      "--waiting-for <what>",
      "only runs that wait for this: approval, question, outcome_unknown, child, provider …",
    )
    .option("--sort <by>", "cost: the most expensive of the latest 500 first")
    .option("--limit <n>", "how many (default: 20)")
    .option("--all", "also the runs below them; with a filter, drawn with their ancestors")
    .action(bind(async () => (await import("../commands/runs.ts")).runs));
  program
    .command("show <run>")
    .description("show a run: what happened, the tree below it, result, cost")
    .option("--events", "the events of its journal")
    .action(bind(async () => (await import("../commands/show.ts")).show));
  program
    .command("tail <run>")
    .description("follow a run and its descendants live")
    .action(bind(async () => (await import("../commands/tail.ts")).tail));
  program
    .command("why <run>")
    .usage("[options] <run>[#<seq>]")
    .summary("explain why a run failed, waits or ended; with #<seq>: what led to that event")
    .description(
      "Explains why a run failed (the first cause in its tree first), waits or ended, and what you can do now. With #<seq>, the\nnumber in `cadre show --events`: what led to that event, back to the task.",
    )
    .option("--log", "the decision log: every decision of the run and its descendants, with its reason")
    .option(
      "--sources",
      "the source of each sentence of the answer, and the actions taken after untrusted input",
    )
    .option("--markdown", "format it for an issue or a chat")
    .action(bind(async () => (await import("../commands/why.ts")).why));
  program
    .command("usage [run]")
    .summary("show usage and success rates of all runs, or of one run and its descendants")
    .description(
      "Shows what was spent by agent, model and delegation, and how runs went: how many completed without a person, what one agent\nalone would have used (an estimate), the time saved by parallel work, and reviews. For all runs, or for one and its\ndescendants.",
    )
    .option("--since <time>", "only usage since: 2h, 7d, today or 2026-01-31; to the quarter of an hour")
    .action(bind(async () => (await import("../commands/usage.ts")).usage));
  program
    .command("compare <a> <b>")
    .description("show two runs side by side: where they first differ, and the cost of each")
    .action(bind(async () => (await import("../commands/compare.ts")).compare));
}
