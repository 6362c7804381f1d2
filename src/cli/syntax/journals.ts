import { type Command, Option } from "commander";
import type { BindHandler } from "./handler.ts";

export function addJournalCommands(program: Command, bind: BindHandler): void {
  program
    .command("verify <run>")
    .summary("check that the journals of a run, or an exported file, were not altered")
    .description(
      "Checks the hash chains of a run and its descendants, or of an exported file, and that every approved call ran exactly as it\nwas approved. Damage is reported with its run and event; exit code 1.",
    )
    .action(bind(async () => (await import("../commands/verify.ts")).verify));
  program
    .command("export <run>")
    .summary("write a run and its descendants to a file")
    .description(
      "Writes a run's tree to a file: `html` is a page to read, `jsonl` its journals. `cadre` moves the tree, which ends it here:\nit continues where the file is imported, or on the server of --to, and only there.",
    )
    .addOption(
      new Option("--format <format>", "the kind of file").choices(["html", "jsonl", "cadre"]).default("html"),
    )
    .option(
      "--to <place>",
      "the file (default: the run's id, in .cadre/exports); for a tree that is moved also the https address of\nanother Cadre, with the token of an admin there in CADRE_DESTINATION_TOKEN",
    )
    .action(bind(async () => (await import("../commands/export.ts")).exportRun));
  program
    .command("import <file>")
    .summary("import a tree that was moved out of another store with: export --format cadre")
    .description(
      "Imports a tree that was moved out of another store with: export --format cadre. Says what the file brings along (work that\ncontinues, permissions, approved calls, folders, programs), and asks first.",
    )
    .option("--accept", "do not ask: you know what is in the file")
    .action(bind(async () => (await import("../commands/import.ts")).importRun));
  program
    .command("prune")
    .description("delete trees of runs that have ended; says what it would delete, and asks first")
    .option("--older-than <age>", "only trees that ended at least this long ago, for example 30d or 12h")
    .option(
      "--status <status>",
      "only trees that ended like this: completed, failed, cancelled; separate several with commas",
    )
    .option("--workspace [path]", "only trees that worked in this folder (default: the project's own)")
    .option("--run <run>", "only the tree of this run")
    .option("--dry-run", "only say what would be deleted")
    .option("-y, --yes", "do not ask")
    .action(bind(async () => (await import("../commands/prune.ts")).prune));
}
