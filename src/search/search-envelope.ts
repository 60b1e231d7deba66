/** Answers of searches and of single records as JSON text, assembled from the stored texts of records without parsing them. */

import { z } from 'zod'
import type { Answer, Hit } from '../search-index/search-index.ts'
import { keepMatchingParts, partFilterSchema } from './request/search-filters.ts'

/** Number of datasets of each catalogue, by catalogue id. */
export type DatasetCounts = ReadonlyMap<string, number>

const texts = z.array(z.string()).readonly()

/**
 * Parameters that decide the form of an answer on every page; cursors store them as JSON. `named` tells whether the client named the
 * indices.
 */
export const formSchema = z.object({
  /** Names of the searched indices. */
  indices: texts,
  named: z.boolean(),
  countOnly: z.boolean(),
  score: z.boolean(),
  /** Requested members of hits; absent = all. */
  include: texts.optional(),
  partFilter: partFilterSchema.optional(),
})

/** Parsed `formSchema`. */
export type EnvelopeForm = Readonly<z.output<typeof formSchema>>

/** Returns `{"result":…}` around one record. */
export const resultText = (record: string): string => `{"result":${record}}`

/** Returns `"name":value` as JSON. */
export const jsonMember = (name: string, value: unknown): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`

/** Adds members to the JSON text of a record. */
export function addMembers(record: string, members: readonly string[]): string {
  const content = record.slice(1, -1)
  return `{${[...members, ...(content === '' ? [] : [content])].join(',')}}`
}

/** Tells whether `includes` allows a member that search adds. */
export const isIncluded = ({ include }: EnvelopeForm, name: string): boolean =>
  include?.includes(name) ?? true

/**
 * Makes the JSON text of an answer: `result` with `index` (one index named), `count`, the members in `extra`, such as those for
 * requesting the next page, `facets` (indices named) and `results`; the last two not with `countOnly`.
 */
export function envelopeText(
  form: EnvelopeForm,
  answer: Answer,
  counts: DatasetCounts,
  extra: Readonly<Record<string, unknown>> = {},
): string {
  const { indices, named, countOnly } = form
  const hasOneIndex = named && indices.length === 1
  const hits = answer.hits.map((hit) => hitText(hit, form, counts))
  const parts = [
    ...(hasOneIndex ? [jsonMember('index', indices[0])] : []),
    jsonMember('count', answer.count),
    ...Object.entries(extra).map(([name, value]) => jsonMember(name, value)),
    ...(named && !countOnly ? [jsonMember('facets', answer.facets ?? [])] : []),
    ...(countOnly ? [] : [`"results":[${hits.join(',')}]`]),
  ]
  return resultText(`{${parts.join(',')}}`)
}

function hitText(hit: Hit, form: EnvelopeForm, counts: DatasetCounts): string {
  const { score, partFilter } = form
  const members: string[] = []
  if (isIncluded(form, 'index')) members.push(jsonMember('index', hit.index))
  if (score) members.push(jsonMember('score', hit.score ?? 0))
  if (hit.related) members.push(jsonMember('related', true))
  if (hit.index === 'catalogue' && isIncluded(form, 'count'))
    members.push(jsonMember('count', counts.get(hit.id) ?? 0))
  // The id of a concept is `{vocabulary}/{concept}`.
  if (hit.index === 'vocabulary' && isIncluded(form, 'vocabulary'))
    members.push(jsonMember('vocabulary', hit.id.slice(0, Math.max(hit.id.indexOf('/'), 0))))
  return addMembers(partFilter ? keepMatchingParts(hit.record, partFilter) : hit.record, members)
}
