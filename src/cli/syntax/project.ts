import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addProjectCommands(program: Command, does: BindHandler): void {
  program
    .command("init")
    .description("make this folder a project; asks what to begin with, and overwrites nothing")
    .option(
      "--template <name>",
      "begin with a small set: incident, coding, company, existing (agents of yours)",
    )
    .option("--pack <name>", "copy the agents of a built-in pack into agents/")
    .option("--list", "list the packs, and change nothing")
    .action(does(async () => (await import("../commands/init.ts")).init));
  program
    .command("doctor")
    .description("check whatever could keep Cadre from working here")
    .action(does(async () => (await import("../commands/doctor.ts")).doctor));
  program
    .command("prune")
    .description("delete trees of runs that have ended; says what would go, and asks")
    .option("--older-than <age>", "only those that ended so long ago, as in 30d or 12h")
    .option(
      "--status <status>",
      "only those that ended so: completed, failed, cancelled; several with commas",
    )
    .option("--workspace [path]", "only those that worked in this folder (default: the project's own)")
    .option("--run <run>", "only the tree of this run")
    .option("--dry-run", "only say what would go")
    .option("-y, --yes", "do not ask")
    .action(does(async () => (await import("../commands/prune.ts")).prune));
  program
    .command("trust")
    .description("let this folder's cadre.yaml set endpoints, start commands and allow things; shows which")
    .option("--list", "print the folders that you trust")
    .option("--revoke", "take it back")
    .action(does(async () => (await import("../commands/trust.ts")).trust));
  const servers = program
    .command("servers")
    .description("list the MCP servers of this folder, and what is pinned of each");
  servers
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("../commands/servers.ts")).list));
  servers
    .command("approve <server>")
    .description("see what a server offers, or what has changed of it, and pin it")
    .action(does(async () => (await import("../commands/servers.ts")).approve));
  program
    .command("demo")
    .description("play an incident on a copy in a temporary folder; needs no key")
    .action(does(async () => (await import("../commands/demo.ts")).demo));
}
