// `node examples/seeds/cadre.ts <launcher> <words…>`: the command line of a started system. Commands that it prints begin with the launcher.

import { main } from "../../src/cli/main.ts";

const [launcher = "cadre", ...words] = process.argv.slice(2);
const { stdin, stdout, stderr, env } = process;
const code = await main(words, { stdin, stdout, stderr, env, cwd: process.cwd(), launcher });
stdout.write("", () => process.exit(code));
