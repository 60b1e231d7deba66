/** Answers as JSON text, put together from the records' finished texts. */

import type { Answer, Hit } from '../search-index/search-index.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import { allBands } from './request/aggregation.ts'
import { narrowed, type Narrowing } from './request/search-filters.ts'

/** Number of datasets of each catalogue, by catalogue id. */
export type DatasetCounts = ReadonlyMap<string, number>

/** `{"result":…}` around one record. */
export const resultText = (record: string): string => `{"result":${record}}`

/** What of a search decides how its answers look, on every page. */
export type EnvelopeForm = {
  /** Names of the searched indices. */
  readonly indices: readonly string[]
  /** Whether the client named them. */
  readonly named: boolean
  readonly countOnly: boolean
  readonly score: boolean
  /** What the client wants to see of hits; absent = everything. */
  readonly include?: readonly string[]
  readonly narrowing?: Narrowing
}

type Scene = {
  readonly settings: readonly IndexSettings[]
  readonly counts: DatasetCounts
  /** Members by which the next page is asked for. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** `result` with `index` (one index named), `count`, `facets` (indices named), `results`, and what leads to the next page. */
export function envelopeText(form: EnvelopeForm, answer: Answer, scene: Scene): string {
  const { indices, named, countOnly, score, narrowing } = form
  const { settings, counts, more = {} } = scene
  const [only, ...others] = indices
  const parts: string[] = []
  if (named && only !== undefined && others.length === 0) parts.push(member('index', only))
  parts.push(member('count', answer.count))
  parts.push(...Object.entries(more).map(([name, value]) => member(name, value)))
  if (named && !countOnly) parts.push(member('facets', allBands(answer.facets ?? [], settings)))
  if (!countOnly) {
    const extras = { counts, shows: shownBy(form.include), score, narrowing }
    parts.push(`"results":[${answer.hits.map((hit) => hitText(hit, extras)).join(',')}]`)
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
  readonly narrowing: Narrowing | undefined
}

function hitText(hit: Hit, { counts, shows, score, narrowing }: Extras): string {
  const members: string[] = []
  if (shows('index')) members.push(member('index', hit.index))
  if (score) members.push(member('score', hit.score ?? 0))
  if (hit.index === 'catalogue' && shows('count')) {
    members.push(member('count', counts.get(hit.id) ?? 0))
  }
  if (hit.index === 'vocabulary' && shows('vocabulary')) {
    members.push(member('vocabulary', vocabularyOf(hit.id)))
  }
  return extended(narrowing ? narrowed(hit.record, narrowing) : hit.record, members)
}

/** `{vocabulary}` of `{vocabulary}/{concept}`. */
const vocabularyOf = (id: string): string => id.slice(0, Math.max(id.indexOf('/'), 0))
