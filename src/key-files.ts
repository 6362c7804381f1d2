// Tells by its path whether a file usually holds keys, and unifies the spellings of a path.

const lines = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Normalizes a path as the most lenient file system would do it. A leading `/` is kept. */
export function foldPath(path: string): string {
  const parts = path.split(/[\\/]+/).flatMap((part) => (part === "" || part === "." ? [] : [fold(part)]));
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Unifies the spellings of a name that some file system treats as equal: letter case, `name.`, `name ` and `name::$DATA` (A36). */
function fold(name: string): string {
  if (name === "..") return name;
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
}

const KEY_FILES = new Set(
  lines(`.netrc _netrc .pgpass .my.cnf .git-credentials .dockercfg .terraformrc credentials.tfrc.json .htpasswd .npmrc .pypirc .envrc .dev.vars
    id_rsa id_dsa id_ecdsa id_ed25519 secrets.yml secrets.yaml secrets.json credentials.json service-account.json .vault-token`),
);
const KEY_FOLDERS = new Set(lines(".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .secrets"));
const KEY_NAMES =
  /^((.*\.)?env(\.local|\.production|\.development|\.staging|\.test)?|.+\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|tfvars|tfstate))$/s;

/** The end of a copy's name: `.env~`, `id_rsa.bak`, `.env.old`, `prod.env.2`. */
const COPY = /(~|\.(bak|old|orig|save|backup|copy|swp|tmp|\d+))+$/;

/**
 * Whether a file usually holds keys. The mask does not recognise a part of a key, so even a command that only reads the file needs approval.
 * Files for people to copy, such as `.env.example`, hold no keys.
 */
export function holdsKeys(path: string): boolean {
  const parts = foldPath(path).split("/");
  const name = (parts.at(-1) ?? "").replace(COPY, "");
  if (KEY_FILES.has(name) || parts.some((part) => KEY_FOLDERS.has(part))) return true;
  if (/^\.env[._-]/.test(name)) return !/[._-](example|sample|template|dist|default)s?$/.test(name);
  return name !== "env" && KEY_NAMES.test(name);
}
