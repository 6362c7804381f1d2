// Protected files decide which programs run automatically, or define permissions.
// "Allow all edits" never covers a protected file, even if the file does not exist yet.
// Only a rule that names the exact path allows changing a protected file (A37). A file belongs here if
//  - it defines the rights or instructions of agents, for Cadre or for another product in the same folder;
//  - programs read it automatically: at a commit, a push or a login, when a person opens or enters a folder, or when some tool starts; or
//  - it contains a key, or decides who gets a key or where programs are downloaded from.
// A configuration that is written as code, or that can name code to run, runs when an editor or a tool reads it. So it belongs here, too.
// Code that people run on purpose is normal work: sources, tests, package.json, Makefiles and lock files are not protected.

import { foldPath } from "../key-files.ts";

const lines = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const PROTECTED_FILES = new Set([
  // Agents and their instructions.
  ...lines(`cadre.yaml cadre.yml .mcp.json .claude.json opencode.json opencode.jsonc .aider.conf.yml
    agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md .cursorrules .windsurfrules .clinerules .roorules
    .roomodes .goosehints copilot-instructions.md agent.md crush.md crush.json .crush.json warp.md .rules .kilocodemodes
    .openhands_instructions skill.md`),
  // Files of git, hooks, and required reviewers.
  ...lines(`.gitconfig .gitmodules .gitattributes .lfsconfig .hgrc codeowners .pre-commit-config.yaml .pre-commit-config.yml
    .overcommit.yml captainhook.json grumphp.yml`),
  // CI jobs that start after a push.
  ...lines(`.gitlab-ci.yml .gitlab-ci.yaml jenkinsfile .travis.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml
    .drone.yml .woodpecker.yml .woodpecker.yaml appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml .cirrus.yml
    .gitpod.yml .readthedocs.yaml .readthedocs.yml renovate.json .renovaterc .renovaterc.json .mergify.yml .build.yml .zuul.yaml
    codemagic.yaml bitrise.yml netlify.toml vercel.json amplify.yml render.yaml .cirrus.star`),
  // Shells, and tools that run when a person enters a folder.
  ...lines(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
    .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .xsessionrc .envrc mise.toml .mise.toml mise.local.toml .autoenv .autoenv.zsh .replit .stackblitzrc crontab`),
  // Tools that read a configuration file whenever they start.
  ...lines(`.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .pypirc pip.conf .condarc .gemrc nuget.config
    .curlrc .wgetrc .ripgreprc .gdbinit .lldbinit .vimrc .nvimrc .exrc .nvim.lua .dir-locals.el .emacs .tmux.conf .screenrc .psqlrc
    .sqliterc .irbrc .pryrc .rprofile .latexmkrc .devcontainer.json sitecustomize.py usercustomize.py .lvimrc .nanorc .bazelrc .bazeliskrc .buckconfig uv.toml pip.ini
    .pydistutils.cfg .pythonrc .pythonrc.py rust-toolchain rust-toolchain.toml .jvmopts .sbtopts .gdbearlyinit .renviron .ghci
    .ocamlinit .erlang .tool-versions .prototools gradle-wrapper.properties gradle-wrapper.jar directory.build.props
    directory.build.targets directory.packages.props profile.ps1 microsoft.powershell_profile.ps1 .user.ini .htaccess autorun.inf`),
  // Configurations of checkers, formatters, test runners and environments.
  // They can name code to run, and editors load them when they open a file.
  ...lines(`.flake8 mypy.ini .mypy.ini pylintrc conftest.py .rspec .simplecov .rubocop.yml .standard.yml .solargraph.yml .erb-lint.yml
    .haml-lint.yml .slim-lint.yml phpstan.neon phpstan.neon.dist psalm.xml phpcs.xml .phpcs.xml .php_cs .golangci.yml .golangci.yaml
    .golangci.toml .clangd .ycm_extra_conf.py .lazy.lua .busted .tflint.hcl .sops.yaml build.rs flake.nix shell.nix devenv.nix
    devenv.yaml devenv.yml devbox.json pnpm-workspace.yaml prek.toml hk.pkl`),
  // Files that contain keys.
  ...lines(
    ".netrc _netrc .pgpass .my.cnf .git-credentials .env .dockercfg .terraformrc credentials.tfrc.json .htpasswd",
  ),
]);

const PROTECTED_FOLDERS = new Set([
  ...lines(`.cadre .agents .claude .opencode .cursor .windsurf .codex .gemini .qwen .kiro .roo .cline .clinerules .continue .junie
    .amazonq .augment .trae .factory .goose .kilocode .openhands .crush .agent .claude-plugin .idx .codesandbox .gitpod`),
  ...lines(
    ".git .hg .jj .githooks .husky .lefthook .github .gitlab .gitea .forgejo .circleci .buildkite .woodpecker .teamcity .tekton .semaphore .builds .zuul.d",
  ),
  ...lines(
    ".vscode .vs .idea .fleet .zed .helix .bsp .theia .externaltoolbuilders .emacs.d .ipython .jupyter .devcontainer .direnv .devenv .devbox .shadowenv.d .flox .mise .yarn .cargo .mvn .bundle .config .local cron.d crontabs launchagents",
  ),
  ...lines(".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store"),
]);

/**
 * Names of configurations that a tool loads when it starts: `eslint.config.mjs`, `.mocharc.cjs`, `.babelrc`, `.pnp.cjs`, `.credo.exs`.
 * Every file `.…rc` is one, because many of them can name a plugin. Only `.nvmrc`, which names a version, is not.
 */
const TOOL_CONFIGURATION =
  /^(.+\.conf(ig)?\.([cm]?[jt]sx?|local\.[cm]?[jt]s)|[\w-]+\.(workspace|projects)\.[cm]?[jt]s|\.(?!nvmrc$)[\w-]+rc(\.\w+)?|\.[\w.-]+\.([cm]?js|[cm]?ts|exs|php|el|lua)|\.?mise(\.[\w-]+)*\.toml)$/s;

/** Patterns of further protected names. `.env.local` is protected like `.env`, but `.env.example` is meant to be read. */
const PROTECTED_NAMES =
  /^(\.env\.(?!example$|sample$|template$|dist$).+|jenkinsfile\..+|.+\.code-workspace|git~\d+|\.?lefthook(-local)?\.(ya?ml|toml|jsonc?)|\.?simple-git-hooks\.\w+|\.lintstagedrc(\.\w+)?|lint-staged\.config\.\w+|\.huskyrc(\.\w+)?|husky\.config\.\w+|.+\.steps\.[cm]?[jt]sx?)$/s;

/** Whether a path relative to the workspace is protected. Only the names in the path are checked, not the files. */
export function isProtectedPath(path: string): boolean {
  const parts = foldPath(path.replace(/^[\\/]+/, "")).split("/");
  if (parts[0] === "agents") return true;
  const name = parts.at(-1) ?? "";
  if (PROTECTED_FILES.has(name) || TOOL_CONFIGURATION.test(name)) return true;
  return parts.some((part) => PROTECTED_FOLDERS.has(part) || PROTECTED_NAMES.test(part));
}

/** True if the path is one of Cadre's own files: the token, or the journals of all runs. Even reading them needs approval (A32). */
export const isCadreState = (path: string): boolean =>
  foldPath(path)
    .split("/")
    .some((part, at, parts) => part === ".cadre" && parts[at + 1] !== "agents");
