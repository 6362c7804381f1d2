import { type Command, Option } from "commander";
import type { BindHandler } from "./handler.ts";

export function addPeopleCommands(program: Command, does: BindHandler): void {
  const users = program.command("users").description("list who may come in by name, and with which role");
  users
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("../commands/users.ts")).list));
  users
    .command("add <name>")
    .description("let somebody in; prints their token, once")
    .addOption(
      new Option("--role <role>", "viewer: looks; operator: starts and approves; admin: everything")
        .choices(["viewer", "operator", "admin"])
        .makeOptionMandatory(),
    )
    .action(does(async () => (await import("../commands/users.ts")).add));
  users
    .command("rotate <name>")
    .description("a new token for somebody; what the old one opened is closed at once")
    .action(does(async () => (await import("../commands/users.ts")).rotate));
  users
    .command("role <name> <role>")
    .description("another role for somebody (viewer, operator, admin); their token stays")
    .action(does(async () => (await import("../commands/users.ts")).role));
  users
    .command("link [name]")
    .description(
      "a link that lets one browser of theirs in, once, or of yours without a name; needs `cadre up`",
    )
    .action(does(async () => (await import("../commands/users.ts")).link));
  users
    .command("revoke <name>")
    .description("let somebody in no more; what is open is closed at once")
    .action(does(async () => (await import("../commands/users.ts")).revoke));
  const webhooks = program
    .command("webhooks")
    .description("list where notices go, and what came of the latest");
  webhooks
    .command("list", { isDefault: true, hidden: true })
    .action(does(async () => (await import("../commands/webhooks.ts")).list));
  webhooks
    .command("test [name]")
    .description(
      "send a notice that means nothing, to all of them or to one; exit code 1 if it was not taken",
    )
    .action(does(async () => (await import("../commands/webhooks.ts")).test));
}
