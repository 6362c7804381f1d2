import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

/** What happened, and why. */
export function addLookCommands(program: Command, does: BindHandler): void {
  program
    .command("why <run>")
    .usage("[options] <run>[#<seq>]")
    .summary("say why a run failed, waits or ended; with #<seq>: why that event came about")
    .description(
      "Says why a run failed (the first cause in its tree first), waits or ended, and what can be done now. With #<seq>, as\n`cadre show --events` numbers them: what led to that event, back to the task.",
    )
    .option("--log", "the decision log: every decision of the run and all below it, with its reason")
    .option(
      "--sources",
      "where each sentence of the answer comes from, and what was done after words of strangers had come in",
    )
    .option("--markdown", "for an issue or a chat")
    .action(does(async () => (await import("../commands/why.ts")).why));
  program
    .command("usage [run]")
    .summary(
      "what was spent, by agent, model and delegation, and how it went; of all runs, or of one and all below it",
    )
    .description(
      "What was spent, by agent, model and delegation, and how it went: completion without people, what one agent alone would\nhave used (an estimate), time saved by working side by side, reviews. Of all runs, or of one and all below it.",
    )
    .option(
      "--since <time>",
      "only what happened since: 2h, 7d, today or 2026-01-31; to the quarter of an hour",
    )
    .action(does(async () => (await import("../commands/usage.ts")).usage));
}

export function addEvalCommands(program: Command, does: BindHandler): void {
  program
    .command("eval <file>")
    .summary("run a set of tasks against an agent, and say what is worse than it was")
    .description(
      "Plays every case of a file, as often as it says, as ordinary runs; checks the answers, has agents judge them, and holds\nthe pass rates against the baseline, which is the first result. Killed in the middle, the same command goes on.\nExit code 1 if a case is a regression.",
    )
    .option("--baseline", "this result is the baseline from now on")
    .action(does(async () => (await import("../commands/eval.ts")).evaluate));
}

export function addForkCommands(program: Command, does: BindHandler): void {
  program
    .command("fork <run>")
    .usage("[options] RUN[#SEQ]")
    .summary("go another way from an event of a run, which stays as it is")
    .description(
      "Starts a new root that begins with what stands in a run up to an event (RUN#SEQ; without one: the latest), and stays with\nit as `cadre run` does. What the run did after that point is not done again: recorded results stand in for it. Whatever\nelse cannot be taken back asks, unless --allow-effects is given.",
    )
    .option("--message <text>", "what is said there; at the beginning: in place of the task")
    .option("--model <name>", "another model")
    .option("--agent <file>", "the agent's file as it would read")
    .option("--allow-effects", "nothing stands in: calls happen as rules say")
    .option("-y, --yes", "approve every call that asks; what is denied stays denied")
    .option(
      "--detach",
      "print the new run's id; it works in the background until it has ended or needs a person",
    )
    .action(does(async () => (await import("../commands/fork.ts")).fork));
  program
    .command("compare <a> <b>")
    .description("two runs side by side: where they first differ, and what each cost")
    .action(does(async () => (await import("../commands/compare.ts")).compare));
}
