/**
 * Conditions on documents: a tree without contradictions and double negations, and its text in the filter language, with no more
 * levels than the engine's parser takes.
 */

/** `is` = a comparison of one attribute, in words. */
export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'is'; readonly text: string }
  | { readonly kind: 'not'; readonly of: Extract<Condition, { readonly kind: 'is' }> }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }

export const all: Condition = { kind: 'all' }
export const none: Condition = { kind: 'none' }
/** A comparison in the filter language: values in it are `quoted`. */
export const is = (text: string): Condition => ({ kind: 'is', text })

/** No part: everything. */
export const and = (parts: readonly Condition[]): Condition => join('and', parts)

/** No part: nothing. */
export const or = (parts: readonly Condition[]): Condition => join('or', parts)

/** Pushed inwards, so that what remains is flat where the query was. */
export function not(condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
      return none
    case 'none':
      return all
    case 'is':
      return { kind: 'not', of: condition }
    case 'not':
      return condition.of
    case 'and':
      return or(condition.of.map(not))
    case 'or':
      return and(condition.of.map(not))
    default:
      return condition satisfies never
  }
}

function join(kind: 'and' | 'or', parts: readonly Condition[]): Condition {
  const [neutral, decided] = kind === 'and' ? ([all, none] as const) : ([none, all] as const)
  const flat = parts.flatMap((part) => (part.kind === kind ? part.of : [part]))
  if (flat.some((part) => part.kind === decided.kind)) return decided
  const of = flat.filter((part) => part.kind !== neutral.kind)
  const [first] = of
  if (!first) return neutral
  return of.length === 1 ? first : { kind, of }
}

/** Levels of parentheses that the text needs. */
export function heightOf(condition: Condition): number {
  if (condition.kind !== 'and' && condition.kind !== 'or') return 0
  return 1 + condition.of.reduce((most, part) => Math.max(most, heightOf(part)), 0)
}

/** In the filter language; `undefined` for everything. `n` is the attribute that every document has a positive number in. */
export function textOf(condition: Condition): string | undefined {
  return condition.kind === 'all' ? undefined : written(condition)
}

function written(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
      return 'n > -1'
    case 'none':
      return 'n = -1'
    case 'is':
      return condition.text
    case 'not':
      return `NOT ${condition.of.text}`
    case 'and':
    case 'or':
      return condition.of.map(inner).join(condition.kind === 'and' ? ' AND ' : ' OR ')
    default:
      return condition satisfies never
  }
}

const inner = (condition: Condition): string =>
  condition.kind === 'and' || condition.kind === 'or'
    ? `(${written(condition)})`
    : written(condition)

/**
 * A value between quotes, in the form that the engine compares: stored text is NFKD and lower case there, and the values of
 * a filter are not brought into that form by every version (`IN` and the comparisons are not before 1.43).
 */
export const quoted = (value: string): string =>
  `"${value.normalize('NFKD').toLowerCase().replace(/["\\]/g, '\\$&')}"`

/** Levels of parentheses: the parser counts four or five per level and takes 150. */
const deepest = 20

/**
 * Rewrites a condition to fewer levels: a part that is too deep is looked up first and replaced by the condition that `resolve` answers.
 */
export async function shallow(
  condition: Condition,
  resolve: (part: Condition) => Promise<Condition>,
): Promise<Condition> {
  if (heightOf(condition) <= deepest) return condition
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition
  const parts: Condition[] = []
  for (const part of condition.of) {
    const inner = await shallow(part, resolve)
    parts.push(heightOf(inner) >= deepest ? await resolve(inner) : inner)
  }
  return condition.kind === 'and' ? and(parts) : or(parts)
}
