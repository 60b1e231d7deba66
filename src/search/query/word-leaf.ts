/**
 * Spellings of the words of `q`: elided articles, words with hyphens or apostrophes, and neighbours that may be written as one;
 * and synonyms.
 */

import type { Synonyms } from '../../config/synonyms.ts'
import {
  type Leaf,
  leavesOf,
  type QueryTree,
  type Synonym,
  type Term,
  withLeaves,
} from '../../search-index/query-tree.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { normalised, tokens, wordPattern, words } from '../../text/tokens.ts'

/** Tokens before an apostrophe that are articles, pronouns or conjunctions of French, Italian and Catalan. */
const elided = new Set(
  'l d c j m n s t qu lorsqu puisqu jusqu quoiqu dell dall nell sull all coll quell un gl sant'.split(
    ' ',
  ),
)
/** Most words of a query whose compounds and synonyms are searched: each costs up to some tens of milliseconds in a large dictionary. */
const mostWithParts = 32
/** Most code points of a word as typed. */
const longestTyped = 64
/** Most pieces of a punctuated word. */
const maxPieces = 4

const apostrophe = /^['’ʼ‘′]$/u
const joint = /^['’ʼ‘′‐–-]$/u
/** Accents that are typed as apostrophes; NFKC makes marks of them. */
const accents = /[`´]/g
const letter = /\p{L}/u
const digit = /\p{N}/u

/** Words between punctuation, and the texts between them. */
type Pieces = { readonly runs: readonly string[]; readonly gaps: readonly string[] }

/**
 * Makes the term of an unquoted word of one token, or of several that are joined by hyphens or apostrophes; `undefined` for other
 * texts.
 */
export function wordLeaf(text: string, field?: string): Leaf | undefined {
  const typed = piecesOf(text)
  const { runs, gaps } = withoutArticle(typed)
  const fieldLimit = field === undefined ? {} : { field }
  const pieces = runs.flatMap((run) => tokens(run))
  const [first] = pieces
  if (first === undefined) return undefined
  if (pieces.length === 1) return { ...termOf(first, runs.join('')), ...fieldLimit }
  const isJoined =
    pieces.length === runs.length &&
    pieces.length <= maxPieces &&
    gaps.every((gap) => joint.test(gap)) &&
    !runs.some((run) => digit.test(run) || words(run).length > 1)
  if (!isJoined || isIdentifier(field))
    return runs.length < typed.runs.length
      ? { kind: 'phrase', tokens: pieces, ...fieldLimit }
      : undefined
  return { ...termOf(pieces.join(''), runs.join('')), pieces, ...fieldLimit }
}

function termOf(token: string, written: string): Term {
  const typed = cutCodePoints(written.toLowerCase(), longestTyped)
  return { kind: 'term', token, ...(typed !== token && { typed }), parts: true }
}

function piecesOf(text: string): Pieces {
  const plain = normalised(text.replace(accents, "'"))
  return { runs: plain.match(wordPattern) ?? [], gaps: plain.split(wordPattern).slice(1, -1) }
}

/** Removes an elided article before an apostrophe (`l'eau`), and the English ending `'s`. */
function withoutArticle({ runs, gaps }: Pieces): Pieces {
  const [first = '', second] = runs
  if (second === undefined || !apostrophe.test(gaps[0] ?? '')) return { runs, gaps }
  if (runs.length === 2 && second.toLowerCase() === 's') return { runs: [first], gaps: [] }
  return elided.has(first.toLowerCase())
    ? { runs: runs.slice(1), gaps: gaps.slice(1) }
    : { runs, gaps }
}

/** Whether a field has identifiers, in which the order of all pieces matters. */
const isIdentifier = (field: string | undefined): boolean =>
  field !== undefined && /(?:^|\.)(?:id|identifier)$/.test(field)

/** The tree of a query with its spellings and synonyms; a query of very many words finds no compounds and synonyms. */
export function withSpellings(tree: QueryTree, synonyms?: Synonyms): QueryTree {
  const isLong = leavesOf(tree).length > mostWithParts
  return isLong ? withNeighbours(withoutParts(tree), undefined) : withNeighbours(tree, synonyms)
}

/**
 * Adds to words side by side in an `or` their spelling as one word, and their synonyms. Words under a `not` match in fewer forms:
 * `trinkwasser NOT wasser` finds something.
 */
function withNeighbours(tree: QueryTree, synonyms: Synonyms | undefined): QueryTree {
  switch (tree.kind) {
    case 'or': {
      const { operands } = tree
      const joined = operands.map((operand, i) =>
        operand.kind === 'term'
          ? withJoined(operand, [operands[i - 1], operands[i + 1]])
          : withNeighbours(operand, synonyms),
      )
      return { kind: 'or', operands: synonyms ? withSynonyms(joined, synonyms) : joined }
    }
    case 'and':
      return { kind: 'and', operands: tree.operands.map((part) => withNeighbours(part, synonyms)) }
    case 'not':
      return { kind: 'not', operand: withoutParts(tree.operand) }
    case 'term':
      return (synonyms && withSynonyms([tree], synonyms)[0]) ?? tree
    default:
      return tree
  }
}

/** Adds the synonyms of words to these, and those of several words side by side to each of them. */
function withSynonyms(
  operands: readonly QueryTree[],
  { bySource, mostWords }: Synonyms,
): readonly QueryTree[] {
  const found = operands.map((): Synonym[] => [])
  for (const [start, first] of operands.entries())
    for (let [end, source] = [start, '']; end < start + mostWords; end++) {
      const part = operands[end]
      if (first.kind !== 'term' || part?.kind !== 'term' || part.field !== first.field) break
      source += part.token
      const others = bySource
        .get(source)
        ?.flat()
        .filter(({ tokens }) => tokens.join('') !== source)
      if (others) for (const some of found.slice(start, end + 1)) some.push(...others)
    }
  return operands.map((operand, i) => {
    const synonyms = found[i] ?? []
    return operand.kind === 'term' && synonyms.length > 0 ? { ...operand, synonyms } : operand
  })
}

/** Makes a word of a phrase that was typed as one, such as `covid-19`, if there are synonyms of it. */
export function sourceLeaf(
  leaf: Leaf | undefined,
  synonyms: Synonyms | undefined,
): Leaf | undefined {
  if (leaf?.kind !== 'phrase') return leaf
  const token = leaf.tokens.join('')
  return synonyms?.bySource.has(token)
    ? { kind: 'term', token, pieces: leaf.tokens, parts: true }
    : leaf
}

function withJoined(
  term: Term,
  [before, after]: readonly [QueryTree | undefined, QueryTree | undefined],
): Term {
  const isNeighbour = (other: QueryTree | undefined): other is Term =>
    other?.kind === 'term' &&
    other.field === term.field &&
    (letter.test(other.token) || letter.test(term.token))
  const joined = [
    ...(isNeighbour(before) ? [before.token + term.token] : []),
    ...(isNeighbour(after) ? [term.token + after.token] : []),
  ]
  return joined.length > 0 ? { ...term, joined } : term
}

const withoutParts = (tree: QueryTree): QueryTree =>
  withLeaves(tree, (leaf) => {
    if (leaf.kind !== 'term') return leaf
    const { parts: _, ...term } = leaf
    return term
  })
