// Tokens that nobody can mistake for anything else: the second net, for values that this process was never told.

interface Shape {
  name: string;
  /** How every one of them begins. */
  starts: string[];
  /** All of it, from there on. */
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
/** A block that was cut off is masked to where it breaks off. */
const BLOCK = `${BLOCK_START}(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\\w+/=\\s:,.\\\\-]*?${BLOCK_END}|[\\w+/=\\s\\\\]*)`;

/** The literal beginnings, for a stream that must wait what comes of one. */
export const TOKEN_STARTS: readonly string[] = [...SHAPES.flatMap(({ starts }) => starts), BLOCK_START];

export const SHORTEST_TOKEN = 15;

const anyOf = (words: readonly string[]): string => `(?:${words.join("|")})`;
const nothingBefore = "(?<![A-Za-z0-9])";

export const TOKENS = new RegExp(
  [...SHAPES.map(({ starts, rest }) => `${nothingBefore}${anyOf(starts)}${rest}`), BLOCK].join("|"),
  "g",
);

/** A token or a block that touches the end: more of it may come. */
export const OPEN_TOKEN = new RegExp(
  `${anyOf(SHAPES.flatMap(({ starts }) => starts))}[\\w-]{0,512}$|${BLOCK_START}(?:[A-Z0-9]+ )*[A-Z]*(?![^]*${BLOCK_END})[^]{0,16000}$`,
);

export function tokenName(text: string): string {
  if (text.startsWith(BLOCK_START)) return "private-key";
  return SHAPES.find(({ starts }) => starts.some((start) => text.startsWith(start)))!.name;
}
