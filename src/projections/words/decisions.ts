/** Why a call is asked about: the same words in every place where somebody is asked. `default ask Bash` is how it is recorded. */
export function describeAskRule(rule: string): string {
  const [, tool, why] = /^default ask ([^\s:]+)(?:: cannot judge, (.+))?$/s.exec(rule) ?? [];
  if (tool === undefined) return `the rule “${rule}” asks first`;
  return `no rule allows this use of ${tool}${why === undefined ? "" : `, which cannot be judged: ${why}`}`;
}
