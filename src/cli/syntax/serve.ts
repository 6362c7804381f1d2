import type { Command } from "commander";
import type { BindHandler } from "./handler.ts";

export function addServeCommands(program: Command, bind: BindHandler): void {
  program
    .command("up")
    .summary("drive due runs and serve the web page and the API, until you stop it")
    .description(
      "Drives the due runs of this folder and serves the API and the web page, only to this machine unless configured otherwise.\nPrints a link that signs one browser in, once; programs use the token in .cadre/token.",
    )
    .option("--port <n>", "the port to listen on (default: 4470)")
    .option("--host <address>", "other machines can connect only if CADRE_TOKEN is set (default: 127.0.0.1)")
    .option("--model <name>", "the model of agents that name none")
    .option("--no-open", "do not open a browser")
    .option("--no-worker", "only serve: workers elsewhere drive (needs a store on Postgres)")
    .option("--demo", "serve a copy of an example with an incident in progress; needs no key")
    .action(bind(async () => (await import("../commands/up.ts")).up));
  program
    .command("worker")
    .summary("drive due runs without serving anything, until you stop it")
    .description(
      "Drives runs of this project's store, next to any number of other workers, on any machine that has the project's folder.\nCtrl-C or SIGTERM stops it in order: steps in progress have five seconds to finish, a command that takes longer is\nstopped and its agent is told so, and all other runs are released at once.",
    )
    .option(
      "--pool <name>",
      "the pool whose runs it takes, from `pools` in cadre.yaml (default: this folder's)",
    )
    .option("--concurrency <n>", "most runs at the same time (default: 32)")
    .action(bind(async () => (await import("../commands/workers.ts")).worker));
  program
    .command("workers")
    .description("list which worker drives which runs; exit code 1 if runs wait and no worker drives them")
    .action(bind(async () => (await import("../commands/workers.ts")).workers));
  program
    .command("mcp")
    .summary("serve this project to an MCP client, on stdin and stdout")
    .description(
      "An MCP server on stdin and stdout, for programs that start their servers themselves: tools that start, follow and decide\nruns, and agents and runs as resources. `cadre up` serves the same at /mcp.",
    )
    .action(bind(async () => (await import("../commands/mcp.ts")).mcp));
  program
    .command("acp")
    .summary("serve this project to an editor, on stdin and stdout")
    .description(
      "An agent of the Agent Client Protocol on stdin and stdout, for editors: talk to a main agent in the open folder, watch its\ncalls and children, and decide what they ask. Modes are the main agents.",
    )
    .option("--agent <name>", "the agent of a new session (default: the agent of a chat)")
    .action(bind(async () => (await import("../commands/acp.ts")).acp));
}
