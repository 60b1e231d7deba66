/** Defaults of options and limits. */

/** Returns `defaults` with the members of `overrides` that have a value; a member that is `undefined` keeps its default. */
export function withDefaults<T extends object>(defaults: T, overrides: Partial<T> = {}): T {
  const entries = Object.entries(overrides).filter(([, value]) => value !== undefined)
  return Object.assign({ ...defaults }, Object.fromEntries(entries))
}
