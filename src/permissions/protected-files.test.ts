import { describe, expect, it } from "vitest";
import { isProtectedPath } from "./protected-files.ts";

const EACH = `
cadre.yaml agents/x.md agents/deep/x.steps.ts .agents/x.md .cadre/agents/y.md .mcp.json .claude/settings.json .claude/agents/a.md
.cursor/mcp.json .cursorrules AGENTS.md CLAUDE.md sub/CLAUDE.md GEMINI.md .github/copilot-instructions.md opencode.json .codex/config.toml
.git/hooks/pre-commit .git/config .git/info/attributes .git .gitattributes .gitmodules .lfsconfig .githooks/x .husky/pre-push
.pre-commit-config.yaml lefthook.yml CODEOWNERS docs/CODEOWNERS .github/CODEOWNERS
.github/workflows/ci.yml .github/actions/a/action.yml .github/dependabot.yml .gitlab-ci.yml .gitlab/ci.yml Jenkinsfile Jenkinsfile.release
.circleci/config.yml azure-pipelines.yml bitbucket-pipelines.yml .travis.yml .woodpecker/a.yml
.vscode/tasks.json .vscode/settings.json .idea/workspace.xml x.code-workspace .devcontainer/devcontainer.json .devcontainer.json .zed/tasks.json
.envrc mise.toml .bashrc .bash_profile .profile .zshrc .zshenv .config/fish/config.fish .config/autostart/x.desktop .local/bin/git crontab
Library/LaunchAgents/x.plist .npmrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs .cargo/config.toml .mvn/extensions.xml pip.conf
AGENT.md .rules .openhands/setup.sh .kilocode/rules/a.md crush.json lefthook.toml lefthook-local.yml .lintstagedrc.json lint-staged.config.mjs
.huskyrc.js simple-git-hooks.cjs netlify.toml .builds/a.yml .mergify.yml .helix/languages.toml .bsp/sbt.json .vs/mcp.json .idx/dev.nix .replit
.bazeliskrc rust-toolchain.toml uv.toml .ipython/profile_default/startup/a.py
.mise/config.toml mise.local.toml mise.production.toml .mise.production.local.toml .config/mise/config.toml .tool-versions
eslint.config.js eslint.config.mts vite.config.ts vitest.config.mts vitest.workspace.ts jest.config.cjs karma.conf.js next.config.mjs
.eslintrc .eslintrc.cjs .eslintrc.json .prettierrc .prettierrc.mjs .babelrc .mocharc.yml .swcrc .pylintrc .luacheckrc .pnp.cjs .pnp.loader.mjs
.rubocop.yml .rspec .formatter.exs .php-cs-fixer.dist.php .flake8 mypy.ini conftest.py flake.nix devenv.nix build.rs .lazy.lua
gradle/wrapper/gradle-wrapper.properties Directory.Build.props .golangci.yml pnpm-workspace.yaml
.exrc .gdbinit .dir-locals.el sitecustomize.py .ripgreprc
.env .env.local packages/api/.env.production .netrc .ssh/authorized_keys .ssh/id_rsa .aws/credentials .kube/config .docker/config.json
`
  .trim()
  .split(/\s+/);

describe("[A37] files that run automatically or define permissions", () => {
  it.each(EACH)("[30.17] the file %s is protected, also in a subfolder", (path) => {
    expect(isProtectedPath(path)).toBe(true);
    if (!path.startsWith("agents/")) expect(isProtectedPath(`packages/a/${path}`)).toBe(true);
    expect(isProtectedPath(`./${path}`)).toBe(true);
    expect(isProtectedPath(path.replaceAll("/", "\\"))).toBe(true);
  });

  it.each(EACH)(
    "[A36] the file %s is protected in every spelling that a file system treats as the same",
    (path) => {
      const [first, ...rest] = path.split("/");
      const isProtectedAs = (name: string) => isProtectedPath([name, ...rest].join("/"));
      for (const name of [
        first!.toUpperCase(),
        `${first}.`,
        `${first} `,
        `${first}. .`,
        `${first}::$DATA`,
        `${first}::$INDEX_ALLOCATION`,
        `${first![0]}\u200c${first!.slice(1)}`,
        first!.replace("i", "\uff49"),
        first!.replace("s", "\u017f"),
      ])
        expect(isProtectedAs(name), name).toBe(true);
    },
  );

  it("[A36] the Windows short name of .git is protected", () => {
    expect(isProtectedPath("GIT~1/config")).toBe(true);
  });
});

it.each([
  "src/index.ts",
  "package.json",
  "package-lock.json",
  "Makefile",
  "Dockerfile",
  "README.md",
  "src/agents/x.ts",
  "docs/agents-and-rules.md",
  ".gitignore",
  ".editorconfig",
  ".prettierignore",
  ".nvmrc",
  "tsconfig.json",
  "src/config.ts",
  "src/app.config.json",
  "src/configs.test.ts",
  "src/vitest.setup.ts",
  "docs/mise.md",
  ".env.example",
  "config/app.yaml",
  "src/git/hooks.ts",
  "github/workflows.ts",
  "environment.ts",
  "src/local/a.ts",
  "src/lefthook.ts",
  "run/a.sh",
  "docs/rules.md",
])("the file %s is not protected", (path) => {
  expect(isProtectedPath(path)).toBe(false);
});
