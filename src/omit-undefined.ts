/** Makes every member that can be undefined optional instead. */
export type OmitUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Copies an object without its undefined members, because optional fields must be absent, never undefined. */
export function omitUndefined<T extends object>(value: T): OmitUndefined<T> {
  const copy: Record<string, unknown> = {};
  for (const key in value) if (value[key] !== undefined) copy[key] = value[key];
  return copy as OmitUndefined<T>;
}
