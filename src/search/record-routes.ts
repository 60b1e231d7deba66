/** Single records by id, whole and current: datasets, catalogues and resources of the types that the profile adds; and the ids of all. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { App } from '../http/context.ts'
import { longAnswer, sizedAnswer } from '../http/long-answers.ts'
import type { ResourceType } from '../profile/profile.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { Reference } from './answer-schemas.ts'
import { recordIn } from './facet-labels.ts'
import { searchParameters } from './request/search-parameters.ts'
import { cutReads, everything, instantAt, recordFields, storedText } from './record-values.ts'
import {
  type AnswerContext,
  getRoute,
  idsAnswer,
  recordAnswer,
  recordId,
  type RecordText,
  required,
  requiredQuery,
  stateAnswers,
  jsonType,
} from './search-answers.ts'
import type { SearchDeps } from './search-deps.ts'
import { type DatasetCounts, envelopeText, extended, member } from './search-envelope.ts'
import { similarFinder } from './similar.ts'
import { textAt } from '../text/json.ts'

const byId = { params: z.object({ id: recordId }) }
const { locale } = searchParameters.shape
const namedById = { ...byId, query: z.object({ locale }) }
const most = z.coerce.number().int().min(1).max(10_000).optional().openapi({
  description:
    'Entries of each list of a long record; `_cut` then counts all of them and has their formats and licences',
})
const bounded = { ...byId, query: z.object({ locale, most }) }

const few = { error: 'must be 1..20' }
const similarQuery = z.object({
  limit: z
    .string()
    .optional()
    .transform((text) => Number(text || 6))
    .pipe(z.int(few).min(1, few).max(20, few))
    .openapi({ type: 'integer', minimum: 1, maximum: 20, default: 6 }),
})

/** Lists of ids, and single records with their entity tags; resources of other types where the profile has any. */
export function bindRecordReads(
  app: App,
  { index, profile }: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const ofCatalogue = {
    parameters: [requiredQuery('catalogue', 'Catalogue id')],
    responses: idsAnswer,
  }
  app.openapi(getRoute('/datasets', 'Ids of all datasets of a catalogue', ofCatalogue), (c) => {
    const catalogue = required(c, 'catalogue')
    const answer = async () => c.json(await datasetIds(index, catalogue, c.var.signal))
    return tagged(c, () => longAnswer(c, answer))
  })
  const datasetAnswer = {
    request: bounded,
    responses: stateAnswers('The dataset', schemas.dataset),
  }
  app.openapi(
    getRoute('/datasets/{id}', 'One dataset with its whole catalogue', datasetAnswer),
    async (c) => {
      const query = c.req.valid('query')
      const { id } = c.req.valid('param')
      return sizedAnswer(c, `search/datasets/${id}`, async (read) => {
        const record = await datasetRecord(index, id, c.var.signal, query.most)
        read(record.text.length)
        return recordAnswer(c, await recordIn(record, query.locale))
      })
    },
  )
  bindSimilar(app, index, { schemas, tagged })
  app.openapi(getRoute('/catalogues', 'Ids of all catalogues', { responses: idsAnswer }), (c) =>
    tagged(c, async () => c.json(await idsOf(index, 'catalogue', c.var.signal))),
  )
  const counted = {
    request: namedById,
    responses: stateAnswers('The catalogue', schemas.catalogue),
  }
  app.openapi(
    getRoute('/catalogues/{id}', 'One catalogue with the number of its datasets', counted),
    async (c) => {
      const record = await readCatalogue(index, c.req.valid('param').id, c.var.signal)
      return recordAnswer(c, await recordIn(record, c.req.valid('query').locale))
    },
  )
  // Without types of its own a profile has no such paths.
  if (schemas.resource)
    bindResourceReads(app, { index, types: profile.resources, schema: schemas.resource, tagged })
}

function bindSimilar(app: App, index: SearchIndex, { schemas, tagged }: AnswerContext): void {
  const similarTo = similarFinder(index)
  const like = 'Datasets that share words and themes with it, best first'
  const likeAnswer = {
    request: { ...byId, query: similarQuery },
    responses: stateAnswers(like, schemas.search),
  }
  app.openapi(getRoute('/datasets/{id}/similar', 'Similar datasets', likeAnswer), (c) =>
    tagged(c, async () => {
      const wanted = { ...c.req.valid('param'), ...c.req.valid('query') }
      const answer = await similarTo(wanted, c.var.signal)
      const form = { indices: ['dataset'], named: true, countOnly: false, score: false }
      return c.body(envelopeText(form, answer, new Map()), 200, { 'Content-Type': jsonType })
    }),
  )
}

/** The dataset with the present record of its catalogue in place of the stored copy. Throws `unknown-dataset`. */
export async function datasetRecord(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
  most?: number,
): Promise<RecordText> {
  const text = await storedText(cutReads(index, most), 'dataset', id, signal)
  const record = recordFields(text)
  const catalogueId = textAt(record, 'catalog.id')
  const catalogue = catalogueId && (await index.get('catalogue', catalogueId, signal))
  const whole = catalogue ? JSON.stringify({ ...record, catalog: JSON.parse(catalogue) }) : text
  return { text: whole, modified: instantAt(record, recordModified) }
}

/** When the platform last wrote a record, as its catalogue record says. */
const recordModified = 'catalog_record.modified'

/** The catalogue with `count`, the number of its datasets. Throws `unknown-catalogue`. */
export async function readCatalogue(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<RecordText> {
  const [text, counts] = await Promise.all([
    storedText(index, 'catalogue', id, signal),
    datasetCounts(index, signal),
  ])
  return { text: extended(text, [member('count', counts.get(id) ?? 0)]) }
}

/** Catalogue id → number of its datasets; a catalogue without any is absent. */
export async function datasetCounts(
  index: SearchIndex,
  signal?: AbortSignal,
): Promise<DatasetCounts> {
  const items = await index.values('dataset', 'catalog', signal)
  return new Map(items.map(({ id, count }) => [id, count]))
}

/** Ids per request. */
const step = { entries: 1000, hits: 10_000 }

/** Ids of all datasets of a catalogue, ascending. Throws `unknown-catalogue`. */
async function datasetIds(
  index: SearchIndex,
  catalogue: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  await storedText(index, 'catalogue', catalogue, signal)
  const request: SearchRequest = {
    ...everything('dataset'),
    tree: { kind: 'value', facet: 'catalog', value: catalogue },
    limit: step.hits,
    include: [],
  }
  // One that moves while they are read comes at most once.
  const ids: string[] = []
  for (;;) {
    const after = ids.at(-1)
    const filter = after === undefined ? {} : { after }
    const { hits } = await index.search({ ...request, filter }, signal)
    for (const { id } of hits) ids.push(id)
    if (hits.length < step.hits) return ids
  }
}

/** Ids of all records of an index, ascending by code point. */
async function idsOf(
  index: SearchIndex,
  name: IndexName,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await index.entries(name, ids.at(-1) ?? '', step.entries, signal)
    for (const { id } of page) ids.push(id)
    if (page.length < step.entries) return ids
  }
}

type TypesContext = Pick<AnswerContext, 'tagged'> & {
  readonly index: SearchIndex
  readonly types: readonly ResourceType[]
  readonly schema: Reference
}

function bindResourceReads(app: App, { index, types, schema, tagged }: TypesContext): void {
  /** Throws `not-found`. */
  const indexOf = (type: string): IndexName => {
    if (types.some(({ id }) => id === type)) return `resource_${type}`
    const all = types.map(({ id }) => id).join(', ')
    throw new Failure('not-found', `the profile has no type ${type}, only ${all}`)
  }
  const type = z.string().meta({ examples: types.map(({ id }) => id) })
  app.openapi(
    getRoute('/resources', 'Ids of the types that the profile adds', { responses: idsAnswer }),
    (c) => tagged(c, async () => c.json(types.map(({ id }) => id))),
  )
  const ofType = { request: { params: z.object({ type }) }, responses: idsAnswer }
  app.openapi(getRoute('/resources/{type}', 'Ids of all resources of a type', ofType), (c) => {
    const answer = async () =>
      c.json(await idsOf(index, indexOf(c.req.valid('param').type), c.var.signal))
    return tagged(c, () => longAnswer(c, answer))
  })
  const single = {
    request: { params: z.object({ type, id: recordId }), query: z.object({ locale }) },
    responses: stateAnswers('The resource', schema),
  }
  app.openapi(getRoute('/resources/{type}/{id}', 'One resource of a type', single), async (c) => {
    const { type, id } = c.req.valid('param')
    return sizedAnswer(c, `search/resources/${type}/${id}`, async (read) => {
      const text = await index.get(indexOf(type), id, c.var.signal)
      if (text === undefined) throw new Failure('unknown-resource', `there is no ${type} ${id}`)
      read(text.length)
      const record = { text, modified: instantAt(recordFields(text), recordModified) }
      return recordAnswer(c, await recordIn(record, c.req.valid('query').locale))
    })
  })
}
