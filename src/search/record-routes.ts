/** Endpoints of single records, lists of ids and similar datasets: datasets, catalogues and resources of declared types. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import { anyone } from '../http/endpoint.ts'
import { longAnswer, sizedAnswer } from '../http/long-answers.ts'
import type { ResourceType } from '../profile/profile.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { Reference } from '../profile/json-schema.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import { translateRecord } from './facet-labels.ts'
import { searchParameters } from './request/search-parameters.ts'
import { readTruncated, allRecords, instantAt, recordFields, storedText } from './record-values.ts'
import {
  idsAnswer,
  jsonType,
  recordAnswer,
  recordId,
  type RecordText,
  requiredParameter,
  requiredQuery,
  searchEndpoint,
  stateAnswers,
} from './search-answers.ts'
import { type DatasetCounts, envelopeText, addMembers, jsonMember } from './search-envelope.ts'
import { textAt } from '../text/json.ts'

const idPath = z.object({ id: recordId })
const { locale } = searchParameters.shape
/** Parameter `most`. */
export const maxEntries = z.coerce.number().int().min(1).max(10_000).optional().openapi({
  description:
    'Entries of each list of a long record; `_cut` then counts all of them and has their formats and licences',
})

const limitRange = { error: 'must be 1..20' }
const similarQuery = z.object({
  limit: z
    .string()
    .optional()
    .transform((text) => Number(text || 6))
    .pipe(z.int(limitRange).min(1, limitRange).max(20, limitRange))
    .openapi({ type: 'integer', minimum: 1, maximum: 20, default: 6 }),
})

const listDatasets = searchEndpoint({
  method: 'get',
  path: '/datasets',
  operation: 'getDatasets',
  summary: 'Ids of all datasets of a catalogue',
  auth: anyone,
  parameters: [requiredQuery('catalogue', 'Catalogue id')],
  answers: idsAnswer,
  handle: ({ c, signal }, { index, withEntityTag }) => {
    const catalogue = requiredParameter(c, 'catalogue')
    const answer = async () => c.json(await datasetIds(index, catalogue, signal))
    return withEntityTag(c, () => longAnswer(c, answer))
  },
})

/** Endpoints of datasets, the ids of all datasets of a catalogue, and similar datasets. */
export function datasetEndpoints(schemas: AnswerSchemas) {
  const readDataset = searchEndpoint({
    method: 'get',
    path: '/datasets/{id}',
    operation: 'getDatasetsById',
    summary: 'One dataset with its whole catalogue',
    auth: anyone,
    params: idPath,
    query: z.object({ locale, most: maxEntries }),
    answers: stateAnswers('The dataset', schemas.dataset),
    handle: ({ c, params: { id }, query, signal }, { index }) =>
      sizedAnswer(c, `search/datasets/${id}`, async (reportSize) => {
        const record = await datasetRecord(index, id, signal, query.most)
        reportSize(record.text.length)
        return recordAnswer(c, await translateRecord(record, query.locale))
      }),
  })
  const listSimilar = searchEndpoint({
    method: 'get',
    path: '/datasets/{id}/similar',
    operation: 'getDatasetsByIdSimilar',
    summary: 'Similar datasets',
    auth: anyone,
    params: idPath,
    query: similarQuery,
    answers: stateAnswers(
      'Datasets that share words and themes with it, best first',
      schemas.search,
    ),
    handle: ({ c, params, query, signal }, { similarTo, withEntityTag }) =>
      withEntityTag(c, async () => {
        const answer = await similarTo({ ...params, ...query }, signal)
        const form = { indices: ['dataset'], named: true, countOnly: false, score: false }
        return c.body(envelopeText(form, answer, new Map()), 200, { 'Content-Type': jsonType })
      }),
  })
  return [listDatasets, readDataset, listSimilar]
}

/** Endpoints of catalogues, and the ids of all. */
export function catalogueEndpoints(schemas: AnswerSchemas) {
  const listCatalogues = searchEndpoint({
    method: 'get',
    path: '/catalogues',
    operation: 'getCatalogues',
    summary: 'Ids of all catalogues',
    auth: anyone,
    answers: idsAnswer,
    handle: ({ c, signal }, { index, withEntityTag }) =>
      withEntityTag(c, async () => c.json(await idsOf(index, 'catalogue', signal))),
  })
  const readCatalogue = searchEndpoint({
    method: 'get',
    path: '/catalogues/{id}',
    operation: 'getCataloguesById',
    summary: 'One catalogue with the number of its datasets',
    auth: anyone,
    params: idPath,
    query: z.object({ locale }),
    answers: stateAnswers('The catalogue', schemas.catalogue),
    handle: async ({ c, params, query, signal }, { index }) => {
      const record = await catalogueRecord(index, params.id, signal)
      return recordAnswer(c, await translateRecord(record, query.locale))
    },
  })
  return [listCatalogues, readCatalogue]
}

/** Endpoints of resources of declared types; `schema` is that of one resource. Empty when the profile declares no types. */
export function resourceEndpoints(types: readonly ResourceType[], schema: Reference | undefined) {
  if (!schema) return []
  const ids = types.map(({ id }) => id)
  const type = z.string().meta({ examples: ids })
  /** Returns the index of a declared type. Throws `not-found`. */
  const indexOf = (typeId: string): IndexName => {
    if (ids.includes(typeId)) return `resource_${typeId}`
    throw new Failure('not-found', `the profile has no type ${typeId}, only ${ids.join(', ')}`)
  }
  const listTypes = searchEndpoint({
    method: 'get',
    path: '/resources',
    operation: 'getResources',
    summary: 'Ids of the types that the profile adds',
    auth: anyone,
    answers: idsAnswer,
    handle: ({ c }, { withEntityTag }) => withEntityTag(c, async () => c.json(ids)),
  })
  const listResources = searchEndpoint({
    method: 'get',
    path: '/resources/{type}',
    operation: 'getResourcesByType',
    summary: 'Ids of all resources of a type',
    auth: anyone,
    params: z.object({ type }),
    answers: idsAnswer,
    handle: ({ c, params, signal }, { index, withEntityTag }) => {
      const answer = async () => c.json(await idsOf(index, indexOf(params.type), signal))
      return withEntityTag(c, () => longAnswer(c, answer))
    },
  })
  const readResource = searchEndpoint({
    method: 'get',
    path: '/resources/{type}/{id}',
    operation: 'getResourcesByTypeById',
    summary: 'One resource of a type',
    auth: anyone,
    params: z.object({ type, id: recordId }),
    query: z.object({ locale }),
    answers: stateAnswers('The resource', schema),
    handle: ({ c, params: { type: typeId, id }, query, signal }, { index }) =>
      sizedAnswer(c, `search/resources/${typeId}/${id}`, async (reportSize) => {
        const text = await index.get(indexOf(typeId), id, signal)
        if (text === undefined) throw new Failure('unknown-resource', `there is no ${typeId} ${id}`)
        reportSize(text.length)
        const record = { text, modified: instantAt(recordFields(text), recordModified) }
        return recordAnswer(c, await translateRecord(record, query.locale))
      }),
  })
  return [listTypes, listResources, readResource]
}

/** Reads a dataset with the current record of its catalogue in place of the embedded copy. Throws `unknown-dataset`. */
export async function datasetRecord(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
  maxEntries?: number,
): Promise<RecordText> {
  const text = await storedText(readTruncated(index, maxEntries), 'dataset', id, signal)
  const modified = instantAt(recordFields(text), recordModified)
  return { text: await withCatalogue(index, text, signal), modified }
}

/** JSON text of a record with the current record of its catalogue in place of the embedded copy. */
export async function withCatalogue(
  index: SearchIndex,
  text: string,
  signal?: AbortSignal,
): Promise<string> {
  const record = recordFields(text)
  const catalogueId = textAt(record, 'catalog.id')
  const catalogue = catalogueId && (await index.get('catalogue', catalogueId, signal))
  return catalogue ? JSON.stringify({ ...record, catalog: JSON.parse(catalogue) }) : text
}

/** Path of the time when the platform last wrote a record. */
const recordModified = 'catalog_record.modified'

/** Reads a catalogue with `count`, the number of its datasets. Throws `unknown-catalogue`. */
export async function catalogueRecord(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<RecordText> {
  const [text, counts] = await Promise.all([
    storedText(index, 'catalogue', id, signal),
    datasetCounts(index, signal),
  ])
  return { text: addMembers(text, [jsonMember('count', counts.get(id) ?? 0)]) }
}

/** Returns the number of datasets by catalogue id; catalogues without datasets are absent. */
export async function datasetCounts(
  index: SearchIndex,
  signal?: AbortSignal,
): Promise<DatasetCounts> {
  const items = await index.facetValues('dataset', 'catalog', signal)
  return new Map(items.map(({ id, count }) => [id, count]))
}

/** Ids per request. */
const idsPerRead = { entries: 1000, hits: 10_000 }

/** Lists the ids of all datasets of a catalogue, ascending. Throws `unknown-catalogue`. */
async function datasetIds(
  index: SearchIndex,
  catalogue: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  await storedText(index, 'catalogue', catalogue, signal)
  const request: SearchRequest = {
    ...allRecords('dataset'),
    tree: { kind: 'value', facet: 'catalog', value: catalogue },
    limit: idsPerRead.hits,
    include: [],
  }
  // A dataset that is moved meanwhile is listed at most once.
  const ids: string[] = []
  for (;;) {
    const after = ids.at(-1)
    const filter = after === undefined ? {} : { after }
    const { hits } = await index.search({ ...request, filter }, signal)
    for (const { id } of hits) ids.push(id)
    if (hits.length < idsPerRead.hits) return ids
  }
}

/** Lists the ids of all records of an index, ascending by code point. */
async function idsOf(
  index: SearchIndex,
  name: IndexName,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await index.entries(name, ids.at(-1) ?? '', idsPerRead.entries, signal)
    for (const { id } of page) ids.push(id)
    if (page.length < idsPerRead.entries) return ids
  }
}
