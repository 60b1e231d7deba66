/** Random requests over a corpus: its own words, phrases and values, and some that are not in it. */

import * as fc from 'fast-check'
import type { Leaf, QueryTree } from '../../../src/search-index/query-tree.ts'
import type {
  Document,
  Filter,
  OrderKey,
  SearchRequest,
} from '../../../src/search-index/search-index.ts'
import { tokens } from '../../../src/text/tokens.ts'
import { amounts, box, facetValues, indexNames, instants } from './corpus.ts'

const fields = [
  'title',
  'description',
  'keywords',
  'distributions',
  'distributions.title',
  'publisher.name',
  'title.en',
  'title.DE',
  'description.fr',
  'title.zu',
  'id',
  'nope',
]

const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const bounds = <Value>(value: fc.Arbitrary<Value>) =>
  fc.record({ from: value, to: value }, { requiredKeys: [] })

function leafOf(documents: readonly Document[]): fc.Arbitrary<Leaf> {
  const sequences = documents
    .flatMap((one) => [
      one.id,
      ...Object.values(one.text).flatMap((all) => Object.values(all).flat()),
    ])
    .map(tokens)
    .filter((sequence) => sequence.length > 0)
  // As often as they are in it: a word of one record meets nothing else.
  const known = sequences.flat()
  const token = fc.constantFrom(...known, 'nowhere', 'stationen', 'qualite', 'rennen')
  const phrase = fc
    .tuple(fc.constantFrom(...sequences), fc.nat(), fc.integer({ min: 1, max: 4 }), token)
    .map(([sequence, at, length, other]) => {
      const part = sequence.slice(at % sequence.length).slice(0, length)
      return at % 7 === 0 ? [...part, other] : part
    })
  const pattern = fc
    .tuple(
      token,
      fc.array(fc.tuple(fc.nat(20), fc.constantFrom('*', '?'), fc.nat(2)), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([word, marks]) => {
      const letters = Array.from(word)
      for (const [at, mark, eaten] of marks) letters.splice(1 + (at % letters.length), eaten, mark)
      return letters.join('')
    })
  const bare: fc.Arbitrary<Leaf> = fc.oneof(
    { weight: 4, arbitrary: token.map((one) => ({ kind: 'term' as const, token: one })) },
    { weight: 4, arbitrary: wordOf(token) },
    token.map((one) => ({ kind: 'exact' as const, token: one })),
    fc.tuple(token, fc.integer({ min: 1, max: 4 })).map(([one, n]) => ({
      kind: 'prefix' as const,
      token: Array.from(one).slice(0, n).join(''),
    })),
    pattern.map((one) => ({ kind: 'wild' as const, pattern: one })),
    phrase.map((one) => ({ kind: 'phrase' as const, tokens: one })),
  )
  return fc
    .tuple(bare, rarely(fc.constantFrom(...fields)))
    .map(([leaf, field]) => (field === undefined ? leaf : { ...leaf, field }))
}

/** A word as `q` has it: with its parts, as pieces, or next to others. */
const wordOf = (token: fc.Arbitrary<string>): fc.Arbitrary<Leaf> =>
  fc
    .tuple(
      fc.oneof(token, fc.constantFrom('bett', 'beleuchtung', 'laerm', 'wasserbett', 'daycare')),
      rarely(fc.tuple(token, token)),
      rarely(token),
    )
    .map(([word, pieces, neighbour]) => ({
      kind: 'term',
      token: pieces ? pieces.join('') : word,
      parts: true,
      ...(pieces && { pieces }),
      ...(neighbour !== undefined && { joined: [word + neighbour] }),
    }))

const facetName = fc.constantFrom(...Object.keys(facetValues), 'nope')
const valueOf = (facet: string) => fc.constantFrom(...(facetValues[facet] ?? []), 'unheard')
const plain: fc.Arbitrary<QueryTree> = fc.oneof(
  fc.constantFrom<QueryTree>({ kind: 'all' }, { kind: 'none' }),
  fc
    .tuple(fc.constantFrom('scoring', 'size', 'nope'), bounds(fc.constantFrom(...amounts)))
    .map(([name, both]) => ({ kind: 'range' as const, name, ...both })),
  fc
    .tuple(fc.constantFrom('issued', 'temporal'), bounds(fc.constantFrom(...instants)))
    .map(([name, both]) => ({ kind: 'range' as const, name, ...both })),
  facetName.chain((facet) =>
    valueOf(facet).map((value) => ({ kind: 'value' as const, facet, value })),
  ),
)

/** Also of shapes that no parser writes: single operands, doubled negations, constants in the middle. */
const treeOf = (leaf: fc.Arbitrary<Leaf>): fc.Arbitrary<QueryTree> =>
  fc.letrec<{ tree: QueryTree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      { weight: 5, arbitrary: leaf },
      { weight: 1, arbitrary: plain },
      {
        weight: 3,
        arbitrary: fc
          .tuple(
            fc.constantFrom('and', 'or'),
            fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
          )
          .map(([kind, operands]) => ({ kind, operands })),
      },
      { weight: 2, arbitrary: tie('tree').map((operand) => ({ kind: 'not' as const, operand })) },
    ),
  })).tree

/** Trees of queries without operators: a word, phrase or pattern, or several of them, also twice. */
const plainTreeOf = (leaf: fc.Arbitrary<Leaf>): fc.Arbitrary<QueryTree> => {
  const inQueries = leaf
    .filter(({ kind, field }) => ['term', 'phrase', 'wild'].includes(kind) && field === undefined)
    .chain((one) => fc.constantFrom<Leaf[]>([one], [one], [one], [one, one]))
  const stopWords = fc.subarray(['where', 'is', 'the', 'of'])
  return fc
    .tuple(fc.array(inQueries, { minLength: 1, maxLength: 5 }), stopWords)
    .map(([parts, others]): QueryTree => ({
      kind: 'or',
      operands: [...others.map((token): Leaf => ({ kind: 'term', token })), ...parts.flat()],
    }))
}

const operator = fc.constantFrom('AND' as const, 'OR' as const)
const group = facetName.chain((facet) =>
  fc.uniqueArray(valueOf(facet), { maxLength: 3 }).map((values) => ({ facet, values })),
)
const aspects: { readonly [Name in keyof Filter]: fc.Arbitrary<Filter[Name]> } = {
  facets: fc.record({
    groups: fc.uniqueArray(group, { maxLength: 3, selector: (one) => one.facet }),
    operator,
    groupOperator: operator,
  }),
  date: fc
    .tuple(fc.constantFrom('issued', 'temporal', 'nope'), bounds(fc.constantFrom(...instants)))
    .map(([name, both]) => ({ name, ...both })),
  numbers: fc.array(
    fc
      .tuple(fc.constantFrom('scoring', 'size'), bounds(fc.constantFrom(...amounts)))
      .map(([name, both]) => ({ name, ...both })),
    { maxLength: 2 },
  ),
  flags: fc.subarray(['countryData', 'dataServices']),
  box,
}
/** Often none, often one: with all of them hardly anything is found. */
const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      ...Object.entries(aspects).map(([name, value]) =>
        value.map((one): Filter => ({ [name]: one })),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.record(aspects, { requiredKeys: [] }) },
)

const sortable = [
  'issued',
  'modified',
  'temporal',
  'scoring',
  'size',
  'countryData',
  'title',
  'title.de',
  'publisher.fr',
  'nope',
  'relevance',
]
const order: fc.Arbitrary<OrderKey[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...sortable),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  }),
  { maxLength: 3, selector: (one) => one.name },
)

const counted = fc.record(
  {
    ids: fc.shuffledSubarray([...Object.keys(facetValues), 'nope']),
    size: fc.constantFrom(1, 3, 50),
    global: fc.boolean(),
  },
  { requiredKeys: ['size', 'global'] },
)

/** Requests for everything at once: cutting into pages is a matter of whoever asks. */
export const requestsOver = (
  documents: readonly Document[],
  words: readonly ('most' | 'all')[],
): fc.Arbitrary<SearchRequest> =>
  fc
    .record({
      indices: fc.shuffledSubarray([...indexNames], { minLength: 1 }),
      tree: treeOf(leafOf(documents)),
      plain: plainTreeOf(leafOf(documents)),
      words: fc.constantFrom(undefined, undefined, undefined, ...words),
      filter,
      fields: rarely(fc.subarray(fields, { minLength: 1, maxLength: 3 })),
      facets: fc.option(counted, { nil: undefined }),
      order,
      boosts: fc.constantFrom<Record<string, number>>(
        {},
        { title: 3, 'description.de': 0.5, nope: 2 },
        { keywords: 0 },
      ),
      score: fc.boolean(),
    })
    .map(({ fields: named, facets, plain, words, ...request }) => ({
      ...request,
      ...(words && { tree: plain, words }),
      ...(named && { fields: named }),
      ...(facets && { facets }),
      offset: 0,
      limit: 1000,
    }))
