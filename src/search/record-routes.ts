/** Single records by id, whole and current. */

import type { App } from '../http/shell/context.ts'
import type { SearchDeps } from './search-deps.ts'
import {
  type AnswerContext,
  required,
  recordAnswer,
  type RecordText,
  idsAnswer,
  recordId,
  requiredQuery,
  stateAnswers,
} from './search-answers.ts'
import { longAnswer } from '../http/shell/flow.ts'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import { type DatasetCounts, extended, member } from './search-envelope.ts'

/** Single records by id, and the ids of all. */
export function bindRecordReads(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const { index } = deps
  const routes = recordRoutes(schemas)
  app.openapi(routes.datasets, (c) => {
    const id = required(c, 'catalogue')
    const answer = async () => c.json(await datasetIds(index, id, c.var.signal))
    return tagged(c, () => longAnswer(c, answer))
  })
  app.openapi(routes.dataset, async (c) =>
    recordAnswer(c, await readDataset(index, c.req.valid('param').id, c.var.signal)),
  )
  app.openapi(routes.catalogues, (c) =>
    tagged(c, async () => c.json(await catalogueIds(index, c.var.signal))),
  )
  app.openapi(routes.catalogue, async (c) =>
    recordAnswer(c, await readCatalogue(index, c.req.valid('param').id, c.var.signal)),
  )
}

/** The dataset with the present record of its catalogue in place of the stored copy. Throws `unknown-dataset`. */
export async function readDataset(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<RecordText> {
  const text = await index.get('dataset', id, signal)
  if (text === undefined) throw new Failure('unknown-dataset', `there is no dataset ${id}`)
  const record: unknown = JSON.parse(text)
  const catalogueId = memberOf(memberOf(record, 'catalog'), 'id')
  const catalogue =
    typeof catalogueId === 'string' ? await index.get('catalogue', catalogueId, signal) : undefined
  const whole =
    catalogue === undefined
      ? text
      : JSON.stringify({ ...Object(record), catalog: JSON.parse(catalogue) })
  const modified = recordModified(record)
  return { text: whole, ...(modified && { modified }) }
}

/** The catalogue with `count`, the number of its datasets. Throws `unknown-catalogue`. */
export async function readCatalogue(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<RecordText> {
  const [text, counts] = await Promise.all([
    index.get('catalogue', id, signal),
    datasetCounts(index, signal),
  ])
  if (text === undefined) throw new Failure('unknown-catalogue', `there is no catalogue ${id}`)
  return { text: extended(text, [member('count', counts.get(id) ?? 0)]) }
}

/** When the catalogue record says that the platform last wrote a record. */
export const recordModified = (record: unknown): Date | undefined =>
  dateOf(memberOf(memberOf(record, 'catalog_record'), 'modified'))

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function dateOf(value: unknown): Date | undefined {
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

// Lists of ids, and how many datasets a catalogue has.

/** Ascending by code point. */
const catalogueIds = (index: SearchIndex, signal?: AbortSignal): Promise<string[]> =>
  idsOf(index, 'catalogue', signal)

/** Ids of all datasets of a catalogue, ascending. Throws `unknown-catalogue`. */
async function datasetIds(
  index: SearchIndex,
  catalogue: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if ((await index.get('catalogue', catalogue, signal)) === undefined) {
    throw new Failure('unknown-catalogue', `there is no catalogue ${catalogue}`)
  }
  const selection = { index: 'dataset', facet: 'catalog', value: catalogue, include: [] } as const
  return eachHit(hitsWith(index, selection, signal), ({ id }) => id)
}

/** Catalogue id → number of its datasets; a catalogue without any is absent. */
export async function datasetCounts(
  index: SearchIndex,
  signal?: AbortSignal,
): Promise<DatasetCounts> {
  const items = await index.values('dataset', 'catalog', signal)
  return new Map(items.map(({ id, count }) => [id, count]))
}

const step = 1000

/** Ids of all records of an index, ascending by code point. */
export async function idsOf(
  index: SearchIndex,
  name: IndexName,
  signal?: AbortSignal,
): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await index.entries(name, ids.at(-1) ?? '', step, signal)
    ids.push(...page.map(({ id }) => id))
    if (page.length < step) return ids
  }
}

// All records with one facet value, whatever their number.

type Selection = {
  readonly index: IndexName
  readonly facet: string
  readonly value: string
  /** Paths of the records to read; absent = whole records. */
  readonly include?: readonly string[]
}

/** Records per request, and ids when nothing else of a record is read. */
const steps = { records: 1000, ids: 10_000 }

/** The records ascending by id, read in pages: one that moves while they are read comes at most once. */
async function* hitsWith(
  index: SearchIndex,
  { index: name, facet, value, include }: Selection,
  signal?: AbortSignal,
): AsyncGenerator<Hit> {
  const step = include?.length === 0 ? steps.ids : steps.records
  const request: SearchRequest = {
    ...everything(name),
    tree: { kind: 'value', facet, value },
    limit: step,
    ...(include && { include }),
  }
  for (let after: string | undefined; ;) {
    const filter = after === undefined ? {} : { after }
    const { hits } = await index.search({ ...request, filter }, signal)
    yield* hits
    after = hits.at(-1)?.id
    if (after === undefined || hits.length < step) return
  }
}

/** One thing of each record, as `hitsWith` reads them. */
async function eachHit<T>(hits: AsyncIterable<Hit>, pick: (hit: Hit) => T): Promise<readonly T[]> {
  const picked: T[] = []
  for await (const hit of hits) picked.push(pick(hit))
  return picked
}

/** Without words every record is equally relevant, so that the order is that of the ids. */
const everything = (name: IndexName): SearchRequest => ({
  indices: [name],
  tree: { kind: 'all' },
  filter: {},
  order: [{ by: 'relevance', direction: 'desc' }],
  boosts: {},
  offset: 0,
  limit: 0,
  score: false,
})

// The contract of records by id and of their ids.

const byId = { params: z.object({ id: recordId }) }

/** The answers are what the profile makes of records. */
const recordRoutes = (schemas: AnswerSchemas) => ({
  datasets: createRoute({
    method: 'get',
    path: '/datasets',
    summary: 'Ids of all datasets of a catalogue',
    parameters: [requiredQuery('catalogue', 'Catalogue id')],
    responses: idsAnswer,
  }),
  dataset: createRoute({
    method: 'get',
    path: '/datasets/{id}',
    summary: 'One dataset with its whole catalogue',
    request: byId,
    responses: stateAnswers('The dataset', schemas.dataset),
  }),
  catalogues: createRoute({
    method: 'get',
    path: '/catalogues',
    summary: 'Ids of all catalogues',
    responses: idsAnswer,
  }),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{id}',
    summary: 'One catalogue with the number of its datasets',
    request: byId,
    responses: stateAnswers('The catalogue', schemas.catalogue),
  }),
})
