/** Query tree: the parsed parameter `q`. Each engine translates it to its own query. */

/** Word of a query that also matches other forms of it (`word-forms.ts`). */
export type Term = {
  readonly kind: 'term'
  readonly token: string
  readonly field?: string
  /** The word as typed, in lower case, where it differs from its token. */
  readonly typed?: string
  /** Tokens of a punctuated word, which `token` joins; it matches their phrase too. */
  readonly pieces?: readonly string[]
  /** Tokens of the word written as one with the word before or after it. */
  readonly joined?: readonly string[]
  /** Tokens that it matches in place of a word that the dictionary does not have. */
  readonly instead?: readonly string[]
  /** Synonyms of the operator. */
  readonly synonyms?: readonly Synonym[]
  /** Number of question marks after it, each of which may be a wildcard for one character. */
  readonly marks?: number
  /** Whether it matches compounds with the word, and the parts of a word that the dictionary does not have. */
  readonly parts?: true
}

/** Word, or phrase of several, with the meaning of a word of a query; `bucket`: only in texts of this language. */
export type Synonym = { readonly tokens: readonly string[]; readonly bucket?: string }

/**
 * Text condition of a query. It matches a record if one value of one searched field matches. `term` also matches other forms of the
 * word, `exact` does not.
 */
export type Leaf =
  | Term
  | { readonly kind: 'exact'; readonly token: string; readonly field?: string }
  | { readonly kind: 'phrase'; readonly tokens: readonly string[]; readonly field?: string }
  | { readonly kind: 'wild'; readonly pattern: string; readonly field?: string }
  | { readonly kind: 'prefix'; readonly token: string; readonly field?: string }

/**
 * Node of a query tree. `range` compares a date or number, bounds inclusive, absent = open; `value` compares a facet value
 * exactly.
 */
export type QueryTree =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | Leaf
  | {
      readonly kind: 'range'
      readonly name: string
      readonly from?: number
      readonly to?: number
    }
  | { readonly kind: 'value'; readonly facet: string; readonly value: string }
  | { readonly kind: 'and'; readonly operands: readonly QueryTree[] }
  | { readonly kind: 'or'; readonly operands: readonly QueryTree[] }
  | { readonly kind: 'not'; readonly operand: QueryTree }

/** The tree with each leaf replaced, those under a `not` included. */
export function withLeaves(tree: QueryTree, replace: (leaf: Leaf) => Leaf): QueryTree {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
      return tree
    case 'and':
    case 'or':
      return { kind: tree.kind, operands: tree.operands.map((part) => withLeaves(part, replace)) }
    case 'not':
      return { kind: 'not', operand: withLeaves(tree.operand, replace) }
    default:
      return replace(tree)
  }
}

/** Leaves of a tree from left to right, including those under a `not`. */
export function leavesOf(tree: QueryTree): readonly Leaf[] {
  return tree.kind === 'not' ? leavesOf(tree.operand) : leavesBelow(tree, leavesOf)
}

/** Leaves that count for relevance: those that are not under a `not`. */
export function rankingLeaves(tree: QueryTree): readonly Leaf[] {
  return tree.kind === 'not' ? [] : leavesBelow(tree, rankingLeaves)
}

function leavesBelow(
  tree: Exclude<QueryTree, { readonly kind: 'not' }>,
  inner: (part: QueryTree) => readonly Leaf[],
): readonly Leaf[] {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
      return []
    case 'and':
    case 'or':
      return tree.operands.flatMap(inner)
    default:
      return [tree]
  }
}
