/**
 * Values of facets named in the language that was asked for; what has no name in it keeps the one that it has. Facets themselves, and
 * values that are words of the platform's own, are named by those who show them.
 */

import type { Facet, FacetItem, SearchIndex } from '../search-index/search-index.ts'
import { isJsonObject } from '../text/json.ts'
import { everything, listAt, recordFields, textAt } from './record-values.ts'

/** Facets whose values have labels in several languages, and the member of datasets where these stand. */
const labelled: Readonly<Record<string, string>> = {
  categories: 'categories',
  hvdCategory: 'hvd_category',
  subject: 'subject',
}
/** Records that are read at a time for labels, and how often. */
const [mostRecords, mostRounds] = [50, 4]

type Labels = ReadonlyMap<string, string>

/** The facets with titles of their values in a language (two or three letters, lower case). */
export function namedIn(
  index: SearchIndex,
  { facets, language }: { readonly facets: readonly Facet[]; readonly language: string },
  signal: AbortSignal,
): Promise<readonly Facet[]> {
  return Promise.all(
    facets.map(async ({ id, title, items }) => {
      const labels = await labelsOf(index, { id, items, language }, signal)
      const renamed = items.map((item) => ({ ...item, title: labels.get(item.id) ?? item.title }))
      return { id, title, items: renamed }
    }),
  )
}

type LabelRequest = {
  readonly id: string
  readonly items: readonly FacetItem[]
  readonly language: string
}

const noLabels: Labels = new Map()

async function labelsOf(
  index: SearchIndex,
  request: LabelRequest,
  signal: AbortSignal,
): Promise<Labels> {
  const { id, items, language } = request
  if (id === 'country') return countryNames(items, language)
  if (id === 'catalog') return catalogueNames(index, request, signal)
  const path = Object.hasOwn(labelled, id) ? labelled[id] : undefined
  // Titles are English as they come.
  return path === undefined || language === 'en' ? noLabels : labelsIn(index, request, path, signal)
}

function countryNames(items: readonly FacetItem[], language: string): Labels {
  const known = new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'none' })
  return new Map(
    items.flatMap(({ id }) => {
      const name = /^[a-z]{2}$/i.test(id) ? known.of(id.toUpperCase()) : undefined
      return name === undefined ? [] : [[id, name]]
    }),
  )
}

/** Titles of catalogues that have one in the language. */
async function catalogueNames(
  index: SearchIndex,
  { items, language }: LabelRequest,
  signal: AbortSignal,
): Promise<Labels> {
  const all = items.slice(0, mostRecords).map(async ({ id }) => {
    const record = await index.get('catalogue', id, signal)
    const title =
      record === undefined ? undefined : textAt(recordFields(record), `title.${language}`)
    return title === undefined ? [] : [[id, title] as const]
  })
  return new Map((await Promise.all(all)).flat())
}

/** Labels as they stand in records that have the values: a few records have nearly all of them. */
async function labelsIn(
  index: SearchIndex,
  { id: facet, items, language }: LabelRequest,
  path: string,
  signal: AbortSignal,
): Promise<Labels> {
  const labels = new Map<string, string>()
  let missing = items.filter(({ count }) => count > 0).map(({ id }) => id)
  for (let round = 0; round < mostRounds && missing.length > 0; round++) {
    const of = missing.map((value) => ({ kind: 'value', facet, value }) as const)
    const request = { ...everything('dataset'), limit: mostRecords, include: [path] }
    const { hits } = await index.search({ ...request, tree: { kind: 'or', of } }, signal)
    const seen = new Set<string>()
    for (const value of hits.flatMap(({ record }) => listAt(recordFields(record), path))) {
      const id = textAt(value, 'id')
      const label = textAt(value, `label.${language}`)
      if (id !== undefined) seen.add(id)
      if (id !== undefined && label !== undefined && isJsonObject(value)) labels.set(id, label)
    }
    const before = missing.length
    missing = missing.filter((id) => !seen.has(id))
    if (missing.length === before) break
  }
  return labels
}
