// Well-known formats of tokens, such as API keys and private keys. Cadre masks such tokens even if it does not know their values.

interface Shape {
  name: string;
  /** Literal texts with which the token begins. */
  starts: string[];
  /** Pattern for the rest of the token. */
  rest: string;
}

const SHAPES: Shape[] = [
  { name: "api-key", starts: ["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-"], rest: "[\\w-]{20,}" },
  { name: "api-key", starts: ["sk-"], rest: "[A-Za-z0-9]{32,}" },
  { name: "api-key", starts: ["AIza"], rest: "[\\w-]{35}" },
  { name: "api-key", starts: ["sk_live_", "rk_live_", "sk_test_"], rest: "[A-Za-z0-9]{20,}" },
  { name: "github-token", starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], rest: "[A-Za-z0-9]{36,}" },
  { name: "github-token", starts: ["github_pat_"], rest: "\\w{40,}" },
  { name: "gitlab-token", starts: ["glpat-"], rest: "[\\w-]{20,}" },
  { name: "npm-token", starts: ["npm_"], rest: "[A-Za-z0-9]{36}" },
  { name: "slack-token", starts: ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"], rest: "[A-Za-z0-9-]{10,}" },
  { name: "aws-key", starts: ["AKIA", "ASIA"], rest: "[A-Z0-9]{16}(?![A-Za-z0-9])" },
];

const BLOCK_START = "-----BEGIN ";
const BLOCK_END = "-----END [A-Z0-9 ]+-----";
/** A block without an end is masked up to the end of the text. The pattern never backtracks, so a text with many starts of blocks is searched quickly. */
const BLOCK = `${BLOCK_START}(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\\w+/=\\s:,.\\\\-])*${BLOCK_END}|[\\w+/=\\s\\\\]*)`;

/** The literal prefixes, for a stream that must wait to see whether a token follows. */
export const TOKEN_STARTS: readonly string[] = [...SHAPES.flatMap(({ starts }) => starts), BLOCK_START];

export const SHORTEST_TOKEN = 15;

const anyOf = (words: readonly string[]): string => `(?:${words.join("|")})`;
const nothingBefore = "(?<![A-Za-z0-9])";

export const TOKENS = new RegExp(
  [...SHAPES.map(({ starts, rest }) => `${nothingBefore}${anyOf(starts)}${rest}`), BLOCK].join("|"),
  "g",
);

const LONGEST_OPEN = 512;
const LONGEST_BLOCK = 16_000;
const OPEN_TOKEN = new RegExp(`${anyOf(SHAPES.flatMap(({ starts }) => starts))}[\\w-]{0,${LONGEST_OPEN}}$`);

/** Index of a token or block that might continue after the end of the text. If there is none, the text's length. */
export function unfinishedTokenStart(text: string): number {
  const tail = Math.max(0, text.length - LONGEST_OPEN - BLOCK_START.length);
  const token = text.slice(tail).search(OPEN_TOKEN);
  const block = text.indexOf(BLOCK_START, Math.max(lastBlockEnd(text), text.length - LONGEST_BLOCK));
  return Math.min(token < 0 ? text.length : tail + token, block < 0 ? text.length : block);
}

/** End of the last complete block; 0 if there is none. */
function lastBlockEnd(text: string): number {
  const end = new RegExp(BLOCK_END, "y");
  for (let at = text.lastIndexOf("-----END "); at > 0; at = text.lastIndexOf("-----END ", at - 1)) {
    end.lastIndex = at;
    if (end.test(text)) return at;
  }
  return 0;
}

export function tokenName(text: string): string {
  if (text.startsWith(BLOCK_START)) return "private-key";
  return SHAPES.find(({ starts }) => starts.some((start) => text.startsWith(start)))!.name;
}
