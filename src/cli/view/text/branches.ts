// Draws a tree as lines: chooses which nodes are shown, orders them, and draws the branch in front of each node.

interface Branching<T> {
  readonly children: readonly T[];
}

export interface Drawn<T> {
  node: T;
  /** The branch in front of the node, for example `│  ├─ `. Empty for the top node. */
  branch: string;
  /** The text in front of further lines of the same node. */
  below: string;
}

/** Draws the tree from the top down, each node before its children. */
export function branches<T extends Branching<T>>(
  top: T,
  isShown: (node: T) => boolean = () => true,
): Drawn<T>[] {
  const lines: Drawn<T>[] = [];
  const draw = (node: T, branch: string, indent: string): void => {
    const children = node.children.filter(isShown);
    lines.push({ node, branch, below: indent + (children.length > 0 ? "│  " : "   ") });
    children.forEach((child, index) => {
      const isLast = index === children.length - 1;
      draw(child, `${indent}${isLast ? "└─ " : "├─ "}`, `${indent}${isLast ? "   " : "│  "}`);
    });
  };
  draw(top, "", "");
  return lines;
}

export function allNodes<T extends Branching<T>>(top: T): T[] {
  return [top, ...top.children.flatMap((child) => allNodes(child))];
}

/** Chooses which nodes to show. If space is short, it first leaves out ended children of ended nodes, then the least urgent nodes. */
export function chooseShown<T extends Branching<T> & { readonly parent: T | undefined }>(
  top: T,
  room: number,
  { hasEnded, urgency }: { hasEnded: (node: T) => boolean; urgency: (node: T) => number },
): Set<T> {
  const all = allNodes(top);
  if (all.length <= room) return new Set(all);
  const open = all.filter((node) => !node.parent || !hasEnded(node.parent) || !hasEnded(node));
  if (open.length <= room) return new Set(open);
  const shown = new Set([top]);
  for (const node of open.toSorted((left, right) => urgency(right) - urgency(left))) {
    const missing: T[] = [];
    for (let next: T | undefined = node; next && !shown.has(next); next = next.parent) missing.push(next);
    if (shown.size + missing.length <= room) for (const each of missing) shown.add(each);
  }
  return shown;
}
