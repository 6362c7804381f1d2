/** The type of `value` with every member that may be undefined made optional instead. */
export type OmitUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Copies an object without the members that are undefined: optional fields are absent, never undefined. */
export function omitUndefined<T extends object>(value: T): OmitUndefined<T> {
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) if (member !== undefined) copy[key] = member;
  return copy as OmitUndefined<T>;
}
