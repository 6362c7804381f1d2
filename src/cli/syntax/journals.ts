import { type Command, Option } from "commander";
import type { BindHandler } from "./handler.ts";

/** Journals as such: whether they are whole, and to take them elsewhere. */
export function addJournalCommands(program: Command, does: BindHandler): void {
  program
    .command("verify <run>")
    .summary(
      "check a run and all below it, or a file that was exported: nothing was altered, what ran was approved",
    )
    .description(
      "Checks the journals of a run and all below it, or a file that was exported, against their hash chains, and every call\nthat a person approved against what began: byte for byte the same. What is not whole is named by its run and event;\nexit code 1.",
    )
    .action(does(async () => (await import("../commands/verify.ts")).verify));
  program
    .command("replay [run]")
    .usage("[options] <run> | --agent <name>")
    .summary("decide past runs again: with the code and rules of now, or with an agent's file as it is now")
    .description(
      "Re-decides a run and all below it from its journal: recorded answers, the code and rules of now. Does nothing and asks\nno model. Says the first decision that would be another one. With --agent: the latest runs of an agent, with its file\nas it is now; which of them would get another prompt, tools, model or route, and what running those again would cost.\nExit code 1 if anything differs.",
    )
    .option("--agent <name>", "runs of this agent, with its file as it is now")
    .option("--last <number>", "how many of its latest runs (default: 50)")
    .action(does(async () => (await import("../commands/replay.ts")).replay));
  program
    .command("export <run>")
    .summary("write a run and all below it to a file")
    .description(
      "Writes a run's tree to a file: `html` is a page to read, `jsonl` its journals; `cadre` moves it, which ends it here:\nit goes on where the file is imported, or at the server that --to names, and only there.",
    )
    .addOption(
      new Option("--format <format>", "what kind of file")
        .choices(["html", "jsonl", "cadre"])
        .default("html"),
    )
    .option(
      "--to <place>",
      "the file (default: the run's id, in the current folder); of a tree that is moved also the https address of\nanother Cadre, by the token of an admin there in CADRE_DESTINATION_TOKEN",
    )
    .action(does(async () => (await import("../commands/export.ts")).exportRun));
  program
    .command("import <file>")
    .description("take in a tree that was moved out of another store with: export --format cadre")
    .action(does(async () => (await import("../commands/import.ts")).importRun));
}
