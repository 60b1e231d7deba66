/** Answers as JSON text, put together from the records' finished texts. */

import type { Answer, Hit } from '../indices/search-index.ts'
import type { IndexSettings } from '../indices/settings.ts'
import { withBands } from './request/aggregation.ts'
import type { Search } from './request/search-request.ts'

/** Number of datasets of each catalogue, by catalogue id. */
export type DatasetCounts = ReadonlyMap<string, number>

/** `{"result":…}` around one record. */
export const resultText = (record: string): string => `{"result":${record}}`

/** `result` with `index` (one index named), `count`, `facets` (indices named) and `results`. */
export function envelopeText(
  { request, named, countOnly }: Search,
  answer: Answer,
  settings: readonly IndexSettings[],
  counts: DatasetCounts,
): string {
  const [only, ...others] = request.indices
  const parts: string[] = []
  if (named && only !== undefined && others.length === 0) parts.push(member('index', only))
  parts.push(member('count', answer.count))
  if (named && !countOnly) parts.push(member('facets', withBands(answer.facets ?? [], settings)))
  if (!countOnly) {
    const shows = shownBy(request.include)
    const hits = answer.hits.map((hit) => hitText(hit, { counts, shows, score: request.score }))
    parts.push(`"results":[${hits.join(',')}]`)
  }
  return resultText(`{${parts.join(',')}}`)
}

/** Adds members to the text of a record. */
export function extended(record: string, members: readonly string[]): string {
  const inside = record.slice(1, -1)
  return `{${[...members, ...(inside === '' ? [] : [inside])].join(',')}}`
}

export const member = (name: string, value: unknown): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`

/** Whether `includes` lets a member through that the search adds itself. */
export const shownBy =
  (include: readonly string[] | undefined) =>
  (name: string): boolean =>
    include?.includes(name) ?? true

type Extras = {
  readonly counts: DatasetCounts
  readonly shows: (name: string) => boolean
  readonly score: boolean
}

function hitText(hit: Hit, { counts, shows, score }: Extras): string {
  const members: string[] = []
  if (shows('index')) members.push(member('index', hit.index))
  if (score) members.push(member('score', hit.score ?? 0))
  if (hit.index === 'catalogue' && shows('count')) {
    members.push(member('count', counts.get(hit.id) ?? 0))
  }
  if (hit.index === 'vocabulary' && shows('vocabulary')) {
    members.push(member('vocabulary', vocabularyOf(hit.id)))
  }
  return extended(hit.record, members)
}

/** `{vocabulary}` of `{vocabulary}/{concept}`. */
const vocabularyOf = (id: string): string => id.slice(0, Math.max(id.indexOf('/'), 0))
