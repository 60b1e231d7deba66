/** Generated requests over the corpus, and the plain model they are compared with. */

import * as fc from 'fast-check'
import { matches, type Scope } from '../../src/indices/evaluate.ts'
import type { Leaf, QueryTree } from '../../src/indices/query-tree.ts'
import type {
  Document,
  FacetFilter,
  OrderKey,
  SearchRequest,
} from '../../src/indices/search-index.ts'
import { compareCodePoints } from '../../src/text/code-points.ts'
import { tokens } from '../../src/text/tokens.ts'
import { documents, languages, settings } from '../contracts/search-index-corpus.ts'

const texts = documents.flatMap((one) => [
  one.id,
  ...Object.values(one.text).flatMap((field) => Object.values(field).flat()),
])
const sequences = texts.map(tokens)
const vocabulary = [...new Set(sequences.flat()), 'nowhere', 'stations', 'qualite', 'strasse']
const fieldNames = ['title', 'description', 'keywords', 'title.en', 'title.de', 'id', 'nope']

const token = fc.constantFrom(...vocabulary)
const pattern = fc
  .tuple(
    token,
    fc.array(fc.tuple(fc.nat(10), fc.constantFrom('*', '?')), { minLength: 1, maxLength: 3 }),
  )
  .map(([word, marks]) => {
    const letters = Array.from(word)
    for (const [at, mark] of marks) {
      const i = 1 + (at % letters.length)
      letters.splice(i, at % 2, mark)
    }
    return letters.join('')
  })
const phrase = fc
  .tuple(
    fc.constantFrom(...sequences.filter((one) => one.length > 1)),
    fc.nat(),
    fc.integer({ min: 2, max: 4 }),
  )
  .map(([sequence, at, length]) => sequence.slice(at % (sequence.length - 1)).slice(0, length))
const scope = fc.option(fc.constantFrom(...fieldNames), { nil: undefined, freq: 4 })

const bare: fc.Arbitrary<Leaf> = fc.oneof(
  { weight: 4, arbitrary: token.map((one) => ({ kind: 'term', token: one }) as const) },
  token.map((one) => ({ kind: 'exact', token: one }) as const),
  token.map((one) => ({ kind: 'prefix', token: Array.from(one).slice(0, 3).join('') }) as const),
  pattern.map((one) => ({ kind: 'wild', pattern: one }) as const),
  phrase.map((one) => ({ kind: 'phrase', tokens: one }) as const),
)
const leaf = fc
  .tuple(bare, scope)
  .map(([one, field]): QueryTree => (field === undefined ? one : { ...one, field }))
const day = (at: string) => Date.parse(at)
const other: fc.Arbitrary<QueryTree> = fc.constantFrom<QueryTree>(
  { kind: 'all' },
  { kind: 'none' },
  { kind: 'range', name: 'scoring', from: 150, to: 300 },
  { kind: 'range', name: 'issued', from: day('2020-01-15') },
  { kind: 'range', name: 'nope', from: 1 },
  { kind: 'value', facet: 'format', value: 'CSV' },
  { kind: 'value', facet: 'vocabulary', value: 'agencies' },
)

/** Trees of depth at most 4, also of shapes that no parser writes. */
const trees: fc.Arbitrary<QueryTree> = fc.letrec<{ tree: QueryTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 5, arbitrary: leaf },
    { weight: 1, arbitrary: other },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
        .map(([kind, of]) => ({ kind, of })),
    },
    { weight: 2, arbitrary: tie('tree').map((of) => ({ kind: 'not' as const, of })) },
  ),
})).tree

const values: Readonly<Record<string, readonly string[]>> = {
  country: ['DE', 'FR', 'AT', 'eu', 'nope'],
  format: ['CSV', 'csv', 'JSON', 'GEOJSON'],
  theme: ['ENVI', 'TRAN'],
  nope: ['x'],
}
const group = fc
  .constantFrom(...Object.keys(values))
  .chain((facet) => fc.subarray([...values[facet]!]).map((chosen) => ({ facet, values: chosen })))
const operator = fc.constantFrom('AND' as const, 'OR' as const)
const facets: fc.Arbitrary<FacetFilter> = fc.record({
  groups: fc.uniqueArray(group, { maxLength: 3, selector: (one) => one.facet }),
  operator,
  groupOperator: operator,
})
const filter = fc.record(
  {
    facets,
    date: fc.constantFrom(
      { name: 'issued', from: day('2020-01-01'), to: day('2021-06-01') },
      { name: 'modified', to: day('2023-12-31') },
      { name: 'nope' },
    ),
    numbers: fc.constantFrom([{ name: 'scoring', from: 150 }], [{ name: 'scoring', to: 280 }]),
    flags: fc.subarray(['countryData', 'dataServices']),
    box: fc.constantFrom([9, 48, 10, 49] as const, [10, 54, 11, 55] as const),
  },
  { requiredKeys: [] },
)
const order: fc.Arbitrary<OrderKey[]> = fc.uniqueArray(
  fc.record({
    by: fc.constantFrom(
      'issued',
      'modified',
      'scoring',
      'dataServices',
      'title',
      'title.de',
      'nope',
    ),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  }),
  { minLength: 1, maxLength: 3, selector: (key) => key.by },
)

export const requests: fc.Arbitrary<SearchRequest> = fc.record({
  indices: fc.subarray(['dataset', 'catalogue', 'vocabulary'] as const, { minLength: 1 }),
  tree: trees,
  filter: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: filter }),
  order,
  boosts: fc.constant({}),
  offset: fc.nat(3),
  limit: fc.constantFrom(2, 100),
  score: fc.constant(false),
  facets: fc.constant({ size: 50, global: false }),
})

/** Ids in order, cut to the page, and facet counts, by the plainest means. */
export function model(request: SearchRequest): {
  readonly ids: readonly string[]
  readonly count: number
  readonly counts: Readonly<Record<string, number>>
} {
  const searched = settings.filter((one) => request.indices.includes(one.index))
  const found = documents.filter((document) => {
    const own = searched.find((one) => one.index === document.index)
    if (!own) return false
    const scope: Scope = {
      settings: own,
      languages,
      ...(request.fields && { fields: request.fields }),
    }
    return matches(request.tree, document, scope) && fits(document, request, own)
  })
  const keys = request.order.filter((key) =>
    searched.every((one) =>
      [...one.dates, ...one.numbers, ...one.flags, ...one.orders].includes(
        key.by.replace('.de', ''),
      ),
    ),
  )
  const counts: Record<string, number> = {}
  for (const document of found) {
    for (const [facet, all] of Object.entries(document.facets)) {
      for (const { id } of all) counts[`${facet} ${id}`] = (counts[`${facet} ${id}`] ?? 0) + 1
    }
  }
  const sorted = found.toSorted((a, b) => compare(a, b, keys))
  const page = sorted.slice(request.offset, request.offset + request.limit)
  return { ids: page.map((one) => one.id), count: found.length, counts }
}

function fits(
  document: Document,
  { filter }: SearchRequest,
  own: (typeof settings)[number],
): boolean {
  const within = (
    value: number,
    { from = -Infinity, to = Infinity }: { from?: number; to?: number },
  ) => value >= from && value <= to
  const groups = (filter.facets?.groups ?? []).filter((one) => one.values.length > 0)
  const inGroup = ({ facet, values: wanted }: (typeof groups)[number]) => {
    const has = (id: string) =>
      own.facets.some((one) => one.id === facet) &&
      (document.facets[facet] ?? []).some((value) => value.id === id)
    return filter.facets?.operator === 'AND' ? wanted.every(has) : wanted.some(has)
  }
  const meets = ([west, south, east, north]: Document['boxes'][number]) =>
    !!filter.box &&
    west <= filter.box[2] &&
    east >= filter.box[0] &&
    south <= filter.box[3] &&
    north >= filter.box[1]
  return (
    (groups.length === 0 ||
      (filter.facets?.groupOperator === 'AND' ? groups.every(inGroup) : groups.some(inGroup))) &&
    (!filter.date ||
      (document.dates[filter.date.name] ?? []).some(([at]) => within(at, filter.date!))) &&
    (filter.numbers ?? []).every((range) =>
      within(document.numbers[range.name] ?? Number.NaN, range),
    ) &&
    (filter.flags ?? []).every(
      (flag) => own.flags.includes(flag) && document.flags[flag] === true,
    ) &&
    (!filter.box || (own.boxes && document.boxes.some(meets)))
  )
}

function compare(a: Document, b: Document, keys: readonly OrderKey[]): number {
  for (const { by, direction } of keys) {
    const [left, right] = [valueOf(a, by), valueOf(b, by)]
    if (left === right) continue
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1
    const up =
      typeof left === 'string' ? compareCodePoints(left, String(right)) : left - Number(right)
    return direction === 'asc' ? up : -up
  }
  return compareCodePoints(a.index, b.index) || compareCodePoints(a.id, b.id)
}

const valueOf = (document: Document, by: string): number | string | undefined => {
  const flag = document.flags[by]
  return (
    document.dates[by]?.[0]?.[0] ??
    document.numbers[by] ??
    (flag === undefined ? undefined : Number(flag)) ??
    document.order[by]
  )
}
