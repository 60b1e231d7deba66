/** Typed forms of `Object.keys` and `Object.fromEntries`, for tables whose keys are all known. */

/** Keys of a table that has no other keys than those of its type. */
export const keysOf = <Name extends string>(
  table: Readonly<Record<Name, unknown>>,
): readonly Name[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see the condition above
  Object.keys(table) as Name[]

/** Makes an object with a value for each name. */
export const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its value
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>

/** Makes an object with the keys of a table and a new value for each of its values. */
export const mapValues = <Name extends string, Value, Result>(
  table: Readonly<Record<Name, Value>>,
  resultOf: (value: Value, name: Name) => Result,
): Record<Name, Result> => recordOf(keysOf(table), (name) => resultOf(table[name], name))
