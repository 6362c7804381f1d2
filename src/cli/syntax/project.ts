import { Argument, type Command, Option } from "commander";
import type { BindHandler } from "./handler.ts";

export function addProjectCommands(program: Command, bind: BindHandler): void {
  program
    .command("doctor")
    .description("check for anything that could keep Cadre from working here")
    .option(
      "--fix",
      "fix what Cadre can fix by itself: files that others can read, a missing .gitignore, a damaged store",
    )
    .option("--salvage", "copy what is readable in a damaged SQLite file into a new one; keeps the old file")
    .action(bind(async () => (await import("../commands/doctor.ts")).doctor));
  program
    .command("trust")
    .description(
      "let this folder's cadre.yaml set endpoints, start commands and grant permissions; lists them",
    )
    .option("--list", "list the folders you trust")
    .option("--revoke", "stop trusting this folder")
    .action(bind(async () => (await import("../commands/trust.ts")).trust));
  const servers = program
    .command("servers")
    .description("list the MCP servers of this folder, and the pinned tools of each");
  servers
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/servers.ts")).list));
  servers
    .command("approve <server>")
    .description("see what a server offers, or what has changed, and pin it")
    .action(bind(async () => (await import("../commands/servers.ts")).approve));
  const users = program.command("users").description("list the named users and their roles");
  users
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/users.ts")).list));
  users
    .command("add <name>")
    .description("give a user access; prints their token, once")
    .addOption(
      new Option("--role <role>", "viewer: reads; operator: starts and approves; admin: everything")
        .choices(["viewer", "operator", "admin"])
        .makeOptionMandatory(),
    )
    .action(bind(async () => (await import("../commands/users.ts")).add));
  users
    .command("rotate <name>")
    .description("give a user a new token; sessions of the old one end at once")
    .action(bind(async () => (await import("../commands/users.ts")).rotate));
  users
    .command("role <name> <role>")
    .description("change a user's role (viewer, operator, admin); their token stays the same")
    .action(bind(async () => (await import("../commands/users.ts")).role));
  users
    .command("link [name]")
    .description(
      "print a link that signs in one browser of this user, once; without a name: yours; needs `cadre up`",
    )
    .action(bind(async () => (await import("../commands/users.ts")).link));
  users
    .command("revoke <name>")
    .description("revoke a user's access; their sessions end at once")
    .action(bind(async () => (await import("../commands/users.ts")).revoke));
  const webhooks = program.command("webhooks").description("list the webhooks and their latest deliveries");
  webhooks
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/webhooks.ts")).list));
  webhooks
    .command("test [name]")
    .description("send a test notice to all webhooks, or to one; exit code 1 if it was not accepted")
    .action(bind(async () => (await import("../commands/webhooks.ts")).test));
  const schedules = program
    .command("schedules")
    .summary("list the schedules with their next and latest ticks")
    .description(
      "Lists what starts by itself: `schedules` in cadre.yaml and `schedule` in agent files. A server (`cadre up`) or a worker starts the runs.",
    );
  schedules
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/schedules.ts")).list));
  schedules
    .command("pause <name>")
    .description("let the ticks of a schedule start no runs")
    .action(bind(async () => (await import("../commands/schedules.ts")).pause));
  schedules
    .command("resume <name>")
    .description("continue a paused schedule with its next tick")
    .action(bind(async () => (await import("../commands/schedules.ts")).resume));
  schedules
    .command("run <name>")
    .description("start a run of a schedule now")
    .action(bind(async () => (await import("../commands/schedules.ts")).run));
  const triggers = program
    .command("triggers")
    .description("list the hooks for messages of other systems, and the latest messages");
  triggers
    .command("list", { isDefault: true, hidden: true })
    .action(bind(async () => (await import("../commands/triggers.ts")).list));
  triggers
    .command("show <name> <id>")
    .description("show a message as it came in, and what became of it")
    .action(bind(async () => (await import("../commands/triggers.ts")).show));
  triggers
    .command("retry <name> <id>")
    .description("map a failed message again, with today's settings")
    .action(bind(async () => (await import("../commands/triggers.ts")).retry));
  program
    .command("completion")
    .summary("print a script that completes commands, agents and runs in your shell")
    .description(
      "Prints a script that completes commands, options, agents, runs and open items. bash: add `source <(cadre completion bash)` to\n~/.bashrc; zsh: `source <(cadre completion zsh)`, after compinit, in ~/.zshrc; fish: `cadre completion fish | source`.",
    )
    .addArgument(new Argument("<shell>", "your shell").choices(["bash", "zsh", "fish"]))
    .action(bind(async () => (await import("../commands/completion.ts")).completion));
  program
    .command("complete [words...]", { hidden: true })
    .description("print the candidates for the last word, for the scripts of `cadre completion`")
    .action(bind(async () => (await import("../commands/completion.ts")).complete(program)));
}
