import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addServeCommands(program: Command, does: BindHandler): void {
  program
    .command("up")
    .summary("drive what is due here and serve the web page and the API, until you end it")
    .description(
      "Drives whatever is due here and serves the API and the page, on this machine alone unless told otherwise. Prints a link\nthat lets one browser in, once; programs use the token in .cadre/token.",
    )
    .option("--port <n>", "where it listens (default: 4470)")
    .option("--host <address>", "beyond this machine only with CADRE_TOKEN set (default: 127.0.0.1)")
    .option("--model <name>", "the model for agents that name none")
    .option("--no-open", "do not open a browser")
    .option("--no-worker", "only serve: workers elsewhere drive (needs a store on Postgres)")
    .option("--demo", "in a copy of an example, with an incident under way; needs no key")
    .action(does(async () => (await import("../commands/up.ts")).up));
  program
    .command("mcp")
    .summary("serve this project to an MCP client, on stdin and stdout")
    .description(
      "An MCP server on stdin and stdout, for programs that start their servers themselves: tools that start, watch and decide runs,\nagents and runs as resources. `cadre up` serves the same at /mcp.",
    )
    .action(does(async () => (await import("../commands/mcp.ts")).mcp));
  program
    .command("acp")
    .summary("serve this project to an editor, on stdin and stdout")
    .description(
      "An agent of the Agent Client Protocol on stdin and stdout, for editors: talk to a main agent in the folder that is open, watch its\ncalls and children, and decide what they ask. Modes are the main agents.",
    )
    .option("--agent <name>", "whom a new session speaks to (default: whom a chat speaks to)")
    .action(does(async () => (await import("../commands/acp.ts")).acp));
  program
    .command("worker")
    .summary("drive what is due here, and serve nothing, until you end it")
    .description(
      "Drives runs of this project's store, beside as many other workers as there are, on any machine that has the project's\nfolder. Ctrl-C or SIGTERM ends it in order: what is under way has five seconds to finish, a command that takes\nlonger is stopped and its agent told so, and everything else is given back at once.",
    )
    .option("--pool <name>", "whose runs it takes, as `pools` in cadre.yaml says (default: this folder's)")
    .option("--concurrency <n>", "runs at the same time (default: 32)")
    .action(does(async () => (await import("../commands/worker.ts")).worker));
  program
    .command("workers")
    .description("list who drives which runs of this store; exit code 1 if nobody does and runs wait for it")
    .action(does(async () => (await import("../commands/workers.ts")).workers));
}
