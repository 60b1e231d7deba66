/** Answers as JSON text, put together from the records' finished texts. */

import { z } from 'zod'
import type { Answer, Hit } from '../search-index/search-index.ts'
import { narrowed, narrowingSchema } from './request/search-filters.ts'

/** Number of datasets of each catalogue, by catalogue id. */
export type DatasetCounts = ReadonlyMap<string, number>

const texts = z.array(z.string()).readonly()

/** What of a search decides how its answers look, on every page; cursors keep it as JSON. */
export const formSchema = z.object({
  /** Names of the searched indices, and whether the client named them. */
  indices: texts,
  named: z.boolean(),
  countOnly: z.boolean(),
  score: z.boolean(),
  /** What the client wants to see of hits; absent = everything. */
  include: texts.optional(),
  narrowing: narrowingSchema.optional(),
})

export type EnvelopeForm = Readonly<z.output<typeof formSchema>>

/** `{"result":…}` around one record. */
export const resultText = (record: string): string => `{"result":${record}}`

/** `"name":value` as JSON. */
export const member = (name: string, value: unknown): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`

/** Adds members to the text of a record. */
export function extended(record: string, members: readonly string[]): string {
  const inside = record.slice(1, -1)
  return `{${[...members, ...(inside === '' ? [] : [inside])].join(',')}}`
}

/** Whether `includes` lets a member through that the search adds itself. */
export const isIncluded = ({ include }: EnvelopeForm, name: string): boolean =>
  include?.includes(name) ?? true

/**
 * `result` with `index` (one index named), `count`, `facets` (indices named), `results`, and `more`: the members by which the next page
 * is asked for.
 */
export function envelopeText(
  form: EnvelopeForm,
  answer: Answer,
  counts: DatasetCounts,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const { indices, named, countOnly } = form
  const isOne = named && indices.length === 1
  const hits = answer.hits.map((hit) => hitText(hit, form, counts))
  const parts = [
    ...(isOne ? [member('index', indices[0])] : []),
    member('count', answer.count),
    ...Object.entries(more).map(([name, value]) => member(name, value)),
    ...(named && !countOnly ? [member('facets', answer.facets ?? [])] : []),
    ...(countOnly ? [] : [`"results":[${hits.join(',')}]`]),
  ]
  return resultText(`{${parts.join(',')}}`)
}

function hitText(hit: Hit, form: EnvelopeForm, counts: DatasetCounts): string {
  const { score, narrowing } = form
  const members: string[] = []
  if (isIncluded(form, 'index')) members.push(member('index', hit.index))
  if (score) members.push(member('score', hit.score ?? 0))
  if (hit.index === 'catalogue' && isIncluded(form, 'count'))
    members.push(member('count', counts.get(hit.id) ?? 0))
  // The id of a concept is `{vocabulary}/{concept}`.
  if (hit.index === 'vocabulary' && isIncluded(form, 'vocabulary'))
    members.push(member('vocabulary', hit.id.slice(0, Math.max(hit.id.indexOf('/'), 0))))
  return extended(narrowing ? narrowed(hit.record, narrowing) : hit.record, members)
}
