import { type Command, Option } from "commander";
import { PRESETS } from "../../journal/definition.ts";
import type { BindHandler } from "./handler.ts";

export function addStartCommands(program: Command, does: BindHandler): void {
  program
    .command("run [words...]")
    .usage('[options] [agent] "task"')
    .summary("start a run and stay with it; without a task: go on with what was left")
    .description(
      "Starts a run and stays with it until it has ended or needs a person who is not there. Without a task: goes on with\nwhatever was left unfinished here. Exit code: 0 done, 1 failed, 2 usage, 3 waiting for a person, 4 cancelled.",
    )
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option("--detach", "print the run's id; it works in the background until it has ended or needs a person")
    .option("--input <json>", "the agent's input, as its file's `input` asks for it: JSON, or @file")
    .option("--model <name>", "the model for agents that name none")
    .addOption(
      new Option("--permissions <preset>", "what holds in this run where no rule says anything").choices(
        PRESETS,
      ),
    )
    .action(does(async () => (await import("../commands/run.ts")).run));
  program
    .command("retry <run>")
    .summary("try an ended run again, from its last good event")
    .description(
      "Starts a new run that continues an ended one (failed, cancelled or completed) from its last good event, and stays\nwith it as `cadre run` does. Nothing that was done or paid for is done again.",
    )
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option(
      "--detach",
      "print the new run's id; it works in the background until it has ended or needs a person",
    )
    .action(does(async () => (await import("../commands/retry.ts")).retry));
  program
    .command("runs")
    .description("list runs, newest first, each with the number of runs below it")
    .option(
      "--status <status>",
      "pending, running, waiting, suspended, completed, failed, cancelled; several with commas",
    )
    .option("--agent <name>", "only runs of this agent")
    .option("--search <words>", "only runs in whose journals these words stand")
    .option("--since <time>", "only runs that were started since: 2h, 7d, today or 2026-01-31")
    .option(
      "--waiting-for <what>",
      "only runs that wait for this: approval, question, outcome_unknown, child, provider …",
    )
    .option("--sort <by>", "cost: the most expensive first, of the latest 500")
    .option("--limit <n>", "how many (default: 20)")
    .option("--all", "the runs below them too; of a choice, drawn with what is above")
    .action(does(async () => (await import("../commands/runs.ts")).runs));
  program
    .command("show <run>")
    .description("show a run: what happened, the tree below it, result, cost")
    .option("--events", "the journal itself")
    .action(does(async () => (await import("../commands/show.ts")).show));
  program
    .command("tail <run>")
    .description("follow a run, and all below it, while it happens")
    .action(does(async () => (await import("../commands/tail.ts")).tail));
}
