// `npm run tour` makes the pictures of the README and the guide again: a terminal session as an animated SVG, and pages in a real browser.
// Everything in them really happens, on a copy of examples/11-incident with its scripted model.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import chromium from "@sparticuz/chromium";
import { chromium as driver, type Page } from "playwright-core";
import { makeStage } from "../examples/add-auth/stage.ts";
import { type Line, sessionSvg } from "./session-svg.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CADRE = join(ROOT, "bin/cadre.js");
const IMAGES = join(ROOT, "docs/images");
const COLUMNS = 100;
const TASK = "Some customers get a 500 at checkout. Find the cause, fix it, and show that the tests pass.";
/** Cadre ignores a key that is pressed right when its question appears. */
const READING_MS = 1_000;

mkdirSync(IMAGES, { recursive: true });
writeFileSync(join(IMAGES, "session.svg"), sessionSvg(await recordSession(), COLUMNS));
await photographIncident();
await photographTree();

/** A run that is killed while it asks, continues, and ends with green tests. */
async function recordSession(): Promise<Line[]> {
  using project = copyExample();
  const lines: Line[] = [];
  const say = (text: string): number => lines.push({ at: performance.now(), text });
  say(`$ cadre run oncall "${TASK}"`);
  await inTerminal(project, ["run", "oncall", TASK], lines, async (terminal) => {
    await terminal.answer("a");
    await terminal.asked();
    terminal.kill();
  });
  say("$ kill -9 $(pgrep cadre)                  # from another terminal");
  say("Killed");
  say("$ cadre run                               # continues every unfinished run");
  await inTerminal(project, ["run"], lines, async (terminal) => {
    await terminal.answer("a");
    await terminal.answer("a");
    await terminal.ended;
  });
  return lines;
}

interface Terminal {
  asked(): Promise<void>;
  answer(key: string): Promise<void>;
  kill(): void;
  ended: Promise<void>;
}

async function inTerminal(
  project: Project,
  args: string[],
  lines: Line[],
  play: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const pty = spawn(process.execPath, [CADRE, "--plain", ...args], {
    cwd: project.folder,
    env: project.env,
    cols: COLUMNS,
    rows: 40,
  });
  let rest = "";
  let questions = 0;
  let answered = 0;
  const listeners = new Set<() => void>();
  pty.onData((data) => {
    const parts = (rest + stripVTControlCharacters(data)).split(/\r?\n/);
    rest = parts.pop()!;
    // Cadre names itself as it was started; readers have an alias.
    for (const part of parts)
      lines.push({ at: performance.now(), text: part.replaceAll(`node ${CADRE}`, "cadre") });
    if (/\[a\]pprove.*\[\?\] $/.test(rest)) {
      questions++;
      lines.push({ at: performance.now(), text: rest });
      rest = "";
    }
    for (const listener of listeners) listener();
  });
  const asked = async (): Promise<void> => {
    while (questions <= answered) {
      await new Promise<void>((resolve) => listeners.add(resolve));
      listeners.clear();
    }
  };
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  await play({
    asked,
    async answer(key) {
      await asked();
      answered++;
      await pause(READING_MS);
      pty.write(key);
    },
    kill: () => pty.kill("SIGKILL"),
    ended,
  });
  await ended;
}

/** An incident, from the question before an edit to the end. */
async function photographIncident(): Promise<void> {
  using project = copyExample();
  await withPage(project, async (page, url) => {
    const run = startRun(project, url, "oncall", TASK);
    await page.goto(`${url}/inbox`);
    await approve(page);
    await page.getByRole("table", { name: "Diff" }).first().waitFor();
    await take(page, "inbox");
    await approve(page);
    await page.getByText("node --test").first().waitFor();
    await approve(page);
    await page.goto(`${run}?view=waterfall`);
    await page.getByTestId("status-text").getByText("Completed in").waitFor();
    await take(page, "run-waterfall");
  });
}

/** A tree of agents in examples/add-auth, while a worker asks before it edits. */
async function photographTree(): Promise<void> {
  const { folder } = await makeStage();
  using project = projectIn(folder, dirname(folder));
  await withPage(project, async (page, url) => {
    const task = readFileSync(join(ROOT, "examples/add-auth/task.txt"), "utf8").trim();
    await page.goto(startRun(project, url, "supervisor", task));
    await page.getByRole("button", { name: "Decide here" }).waitFor({ timeout: 120_000 });
    await take(page, "run-page");
  });
}

/** Starts a server in the project, signs a browser in, and ends both afterwards. */
async function withPage(project: Project, work: (page: Page, url: string) => Promise<void>): Promise<void> {
  const server = spawn(process.execPath, [CADRE, "--json", "up", "--port", "0", "--no-open"], {
    cwd: project.folder,
    env: project.env,
    cols: 1_000,
    rows: 40,
  });
  try {
    const link = await new Promise<string>((resolve) => {
      let output = "";
      server.onData((data) => {
        output += stripVTControlCharacters(data);
        const found = /http:\/\/[^\s"]+\/open\/[^\s"]+/.exec(output);
        if (found) resolve(found[0]);
      });
    });
    const executablePath = await chromium.executablePath();
    const browser = await driver.launch({ executablePath, args: ["--no-sandbox"], headless: true });
    try {
      const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
      await page.goto(link);
      await page.waitForURL((url) => !url.pathname.startsWith("/open/"));
      await work(page, new URL(link).origin);
    } finally {
      await browser.close();
    }
  } finally {
    server.kill();
  }
}

/** The address of the new run's page. */
function startRun(project: Project, url: string, agent: string, task: string): string {
  const args = [CADRE, "--json", "run", "--detach", agent, task];
  const started = execFileSync(process.execPath, args, {
    cwd: project.folder,
    env: project.env,
    encoding: "utf8",
  });
  return `${url}/r/${/r1[a-z0-9]{20,}/.exec(started)![0]}`;
}

async function take(page: Page, name: string): Promise<void> {
  await page.getByTestId("connection").filter({ visible: true }).first().waitFor();
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
}

async function approve(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
}

interface Project extends Disposable {
  folder: string;
  env: Record<string, string>;
}

function copyExample(): Project {
  const folder = mkdtempSync(join(tmpdir(), "cadre-tour-"));
  cpSync(join(ROOT, "examples/11-incident"), folder, { recursive: true });
  return projectIn(folder, folder);
}

/** A project whose user has no settings of their own. `home` is removed at the end. */
function projectIn(folder: string, home: string): Project {
  return {
    folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      CADRE_TRUST: "1",
      TERM: "xterm-256color",
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}
