/** The match set of a request in one index, as a condition that the engine can take. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { matches } from '../evaluate.ts'
import { idField } from '../field-reach.ts'
import { leavesOf, type Leaf } from '../query-tree.ts'
import type { Document, SearchRequest } from '../search-index.ts'
import { attributes, textsOf } from './attributes.ts'
import { and, type Condition, is, none, not, shallow, textOf } from './condition.ts'
import type { Dictionary } from './term-lookup.ts'
import { filterCondition, treeCondition } from './filter-conditions.ts'
import { isLoose, leafCondition, type Place, placesOf } from './leaf-conditions.ts'
import { fetched, type IndexPart, type ReadContext } from './documents.ts'

/** Documents that are looked at again for one phrase; of more, those that hold its neighbours are taken as they are. */
const mostCandidates = 5_000
/** Documents that a part of a query may stand for when it is too deep for the engine's parser. */
const mostNumbers = 100_000

const numberRow = z.object({ n: z.number() })
/** With texts under their attributes. */
const candidateRow = z.looseObject({ n: z.number(), i: z.string() })
type Candidate = z.infer<typeof candidateRow>
const fieldTexts = z.record(z.string(), z.array(z.string())).default({})

export async function matchedBy(
  request: Pick<SearchRequest, 'tree' | 'fields' | 'filter'>,
  part: IndexPart,
  dictionary: Dictionary,
  { reading, signal }: { readonly reading: ReadContext; readonly signal?: AbortSignal | undefined },
): Promise<Condition> {
  const { settings, languages } = part
  const filter = filterCondition(request.filter, settings)
  if (filter.kind === 'none') return none
  const known = new Map<Leaf, Condition>()
  for (const leaf of leavesOf(request.tree)) {
    const names = leaf.field === undefined ? request.fields : [leaf.field]
    const possible = placesOf(names, settings, languages).filter(
      (place) => leafCondition(leaf, [place], dictionary).kind !== 'none',
    )
    const found = leafCondition(leaf, possible, dictionary)
    known.set(leaf, isLoose(leaf, possible) ? await lookedAtAgain(leaf, found, possible) : found)
  }
  const tree = treeCondition(request.tree, settings, (leaf) => known.get(leaf) ?? none)
  return and([filter, await shallow(tree, numbersOf)])

  /** The condition of a phrase without those that only hold its neighbours somewhere. */
  async function lookedAtAgain(
    leaf: Leaf,
    found: Condition,
    places: readonly Place[],
  ): Promise<Condition> {
    const fields = places.map(({ field }) => field).filter((field) => field !== idField)
    const more = [...new Set(fields)].map(textsOf)
    const what = { row: candidateRow, more, filter: textOf(and([filter, found])), limit: 1_000 }
    const scope = { settings, languages, ...(request.fields && { fields: request.fields }) }
    const isWrong = (one: Candidate) => !matches(leaf, documentOf(one, part), scope)
    const wrong = await numbersIf(isWrong, (page) =>
      fetched(reading, part.uid, { ...what, ...page }, signal),
    )
    return wrong ? and([found, not(amongNumbers(wrong))]) : found
  }

  async function numbersOf(deep: Condition): Promise<Condition> {
    const what = { row: numberRow, filter: textOf(and([filter, deep])), limit: mostNumbers }
    const { results, total } = await fetched(reading, part.uid, what, signal)
    if (total > mostNumbers) {
      throw new Failure('query-too-complex', 'too many records match inside deep parentheses')
    }
    return amongNumbers(results.map(({ n }) => n))
  }
}

type Page = { readonly offset: number; readonly sort: readonly string[] }
type Fetch = (
  page: Page,
) => Promise<{ readonly results: readonly Candidate[]; readonly total: number }>

/** Numbers of the candidates that are so; `undefined` when there are too many to look at. */
async function numbersIf(
  isSo: (one: Candidate) => boolean,
  fetch: Fetch,
): Promise<readonly number[] | undefined> {
  const numbers: number[] = []
  for (let offset = 0; ;) {
    const { results, total } = await fetch({ offset, sort: [`${attributes.number}:asc`] })
    if (total > mostCandidates) return undefined
    numbers.push(...results.filter(isSo).map(({ n }) => n))
    offset += results.length
    if (results.length === 0 || offset >= total) return numbers
  }
}

export const amongNumbers = (numbers: readonly number[]): Condition =>
  numbers.length === 0 ? none : is(`${attributes.number} IN [${numbers.join(', ')}]`)

/** As much of a document as a phrase asks for. */
const documentOf = (one: Candidate, { index, settings }: IndexPart): Document => ({
  index,
  id: one.i,
  version: 0,
  hash: '',
  text: Object.fromEntries(
    settings.texts.map(({ name }) => [name, fieldTexts.parse(one[textsOf(name)])]),
  ),
  facets: {},
  dates: {},
  numbers: {},
  flags: {},
  boxes: [],
  order: {},
  record: {},
})
