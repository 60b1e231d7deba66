/**
 * Conditions on documents, simplified while they are built, and their text in the filter language of Meilisearch, with no more levels
 * of parentheses than its parser accepts.
 */

/** Condition on a document. Kind `is` is a comparison of one attribute, as text in the filter language. */
export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'is'; readonly text: string }
  | { readonly kind: 'not'; readonly operand: Extract<Condition, { readonly kind: 'is' }> }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Condition[] }

/** Condition that every document meets. */
export const everyDocument: Condition = { kind: 'all' }
/** Condition that no document meets. */
export const noDocument: Condition = { kind: 'none' }
/** Comparison in the filter language; values in it must be `quoted`. */
export const comparison = (text: string): Condition => ({ kind: 'is', text })

/** Conjunction; `everyDocument` without parts. */
export const and = (parts: readonly Condition[]): Condition => join('and', parts)

/** Disjunction; `noDocument` without parts. */
export const or = (parts: readonly Condition[]): Condition => join('or', parts)

/** Negation, applied to the comparisons, so that it adds no levels. */
export function not(condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
      return noDocument
    case 'none':
      return everyDocument
    case 'is':
      return { kind: 'not', operand: condition }
    case 'not':
      return condition.operand
    case 'and':
      return or(condition.operands.map(not))
    case 'or':
      return and(condition.operands.map(not))
    default:
      return condition satisfies never
  }
}

function join(kind: 'and' | 'or', parts: readonly Condition[]): Condition {
  const [neutral, absorbing] =
    kind === 'and' ? ([everyDocument, noDocument] as const) : ([noDocument, everyDocument] as const)
  const flat = parts.flatMap((part) => (part.kind === kind ? part.operands : [part]))
  if (flat.some((part) => part.kind === absorbing.kind)) return absorbing
  const operands = flat.filter((part) => part.kind !== neutral.kind)
  const [first] = operands
  if (!first) return neutral
  return operands.length === 1 ? first : { kind, operands }
}

/** Levels of parentheses in the text of a condition. */
export function heightOf(condition: Condition): number {
  if (condition.kind !== 'and' && condition.kind !== 'or') return 0
  return 1 + condition.operands.reduce((most, part) => Math.max(most, heightOf(part)), 0)
}

/** Text of a condition in the filter language; `undefined` for `everyDocument`. */
export function filterText(condition: Condition): string | undefined {
  return condition.kind === 'all' ? undefined : format(condition)
}

function format(condition: Condition): string {
  switch (condition.kind) {
    // Every document has a positive number in the attribute `n`.
    case 'all':
      return 'n > -1'
    case 'none':
      return 'n = -1'
    case 'is':
      return condition.text
    case 'not':
      return `NOT ${condition.operand.text}`
    case 'and':
    case 'or':
      return condition.operands.map(formatPart).join(condition.kind === 'and' ? ' AND ' : ' OR ')
    default:
      return condition satisfies never
  }
}

const formatPart = (condition: Condition): string =>
  condition.kind === 'and' || condition.kind === 'or' ? `(${format(condition)})` : format(condition)

/**
 * Value in quotes, in NFKD and lower case as Meilisearch stores text. Not every release normalises the values of filters (`IN` and
 * comparisons only from 1.43 on).
 */
export const quoted = (value: string): string =>
  `"${value.normalize('NFKD').toLowerCase().replace(/["\\]/g, '\\$&')}"`

/** Most levels of parentheses: the parser counts four or five for each and accepts 150. */
const mostLevels = 20

/**
 * Rewrites a condition to fewer levels: a part that is too deep is searched by `resolve` and replaced by the condition that it returns.
 */
export async function flatten(
  condition: Condition,
  resolve: (part: Condition) => Promise<Condition>,
): Promise<Condition> {
  if (heightOf(condition) <= mostLevels) return condition
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition
  const parts: Condition[] = []
  for (const part of condition.operands) {
    const inner = await flatten(part, resolve)
    parts.push(heightOf(inner) >= mostLevels ? await resolve(inner) : inner)
  }
  return condition.kind === 'and' ? and(parts) : or(parts)
}
