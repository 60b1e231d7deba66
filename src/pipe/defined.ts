/** Objects whose members are there or absent, made of values that may be undefined. */

type Optional<T> = {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }

/** The object without those members that are undefined, for types where a member is there or absent. */
export const defined = <const T extends object>(object: T): Present<T> & Optional<T> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left is there
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Present<T> & Optional<T>
