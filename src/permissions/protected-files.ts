// Files that decide what runs by itself, or who may do what. Changing one is a class of its own, whether it exists yet or not:
// "allow all edits" never covers it, only a rule that names that very path (A37). The rule for what belongs here:
//  - it says what agents may do and what they are told: ours, and those of other products in the same folder;
//  - something obeys it that nobody starts on purpose: at a commit, a push, a login, when a folder is opened or entered, at every
//    start of some tool; or
//  - it holds a key, or says to whom one is given and where programs are fetched from.
// What runs when somebody runs it is code, and the work itself: sources, tests, package.json, Makefile, lock files are not here.

const lines = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const PROTECTED_FILES = new Set([
  // Agents, and what they are told.
  ...lines(`cadre.yaml cadre.yml .mcp.json .claude.json opencode.json opencode.jsonc .aider.conf.yml
    agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md .cursorrules .windsurfrules .clinerules .roorules
    .roomodes .goosehints copilot-instructions.md agent.md crush.md crush.json .crush.json warp.md .rules .kilocodemodes
    .openhands_instructions`),
  // Git, hooks, and who must review what.
  ...lines(`.gitconfig .gitmodules .gitattributes .lfsconfig .hgrc codeowners .pre-commit-config.yaml .pre-commit-config.yml
    .overcommit.yml captainhook.json grumphp.yml`),
  // What a push runs.
  ...lines(`.gitlab-ci.yml .gitlab-ci.yaml jenkinsfile .travis.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml
    .drone.yml .woodpecker.yml .woodpecker.yaml appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml .cirrus.yml
    .gitpod.yml .readthedocs.yaml .readthedocs.yml renovate.json .renovaterc .renovaterc.json .mergify.yml .build.yml .zuul.yaml
    codemagic.yaml bitrise.yml netlify.toml vercel.json amplify.yml render.yaml .cirrus.star`),
  // Shells and what enters a folder with them.
  ...lines(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
    .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .xsessionrc .envrc mise.toml .mise.toml mise.local.toml .autoenv .autoenv.zsh .replit .stackblitzrc crontab`),
  // Tools that obey a file wherever they start.
  ...lines(`.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .pypirc pip.conf .condarc .gemrc nuget.config
    .curlrc .wgetrc .ripgreprc .gdbinit .lldbinit .vimrc .nvimrc .exrc .nvim.lua .dir-locals.el .emacs .tmux.conf .screenrc .psqlrc
    .sqliterc .irbrc .pryrc .rprofile .latexmkrc .devcontainer.json sitecustomize.py usercustomize.py .lvimrc .nanorc .bazelrc .bazeliskrc .buckconfig uv.toml pip.ini
    .pydistutils.cfg .pythonrc .pythonrc.py rust-toolchain rust-toolchain.toml .jvmopts .sbtopts`),
  // Keys.
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
    ".vscode .vs .idea .fleet .zed .helix .bsp .theia .externaltoolbuilders .emacs.d .ipython .jupyter .devcontainer .direnv .yarn .cargo .mvn .bundle .config .local cron.d crontabs launchagents",
  ),
  ...lines(".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store"),
]);

/** `.env.local` holds what `.env` does; `.env.example` is there to be read. */
const PROTECTED_NAMES =
  /^(\.env\.(?!example$|sample$|template$|dist$).+|jenkinsfile\..+|.+\.code-workspace|git~\d+|\.?lefthook(-local)?\.(ya?ml|toml|jsonc?)|\.?simple-git-hooks\.\w+|\.lintstagedrc(\.\w+)?|lint-staged\.config\.\w+|\.huskyrc(\.\w+)?|husky\.config\.\w+)$/s;

/** Takes a path relative to the workspace. Pure: looks at the name alone. */
export function isProtectedPath(path: string): boolean {
  const parts = foldPath(path.replace(/^[\\/]+/, "")).split("/");
  if (parts[0] === "agents") return true;
  if (PROTECTED_FILES.has(parts.at(-1) ?? "")) return true;
  return parts.some((part) => PROTECTED_FOLDERS.has(part) || PROTECTED_NAMES.test(part));
}

/** Cadre's own files: the token that answers for a person, and what every run has said. Not even to be read without a question (A32). */
export const isCadreState = (path: string): boolean =>
  foldPath(path)
    .split("/")
    .some((part, at, parts) => part === ".cadre" && parts[at + 1] !== "agents");

/** A path as the most forgiving file system reads it; `/` at its start stays. */
export function foldPath(path: string): string {
  const parts = path.split(/[\\/]+/).flatMap((part) => (part === "" || part === "." ? [] : [fold(part)]));
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Names that some file system takes for the same: case, composed and invisible letters, `name.`, `name ` and `name::$DATA` (A36). */
function fold(name: string): string {
  if (name === "..") return name;
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
}
