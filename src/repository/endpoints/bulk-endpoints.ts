/** Endpoint that creates or replaces many datasets of a catalogue with one request. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readHeldRdf } from '../../http/rdf.ts'
import { keyIdOf, pathOf } from '../../http/context.ts'
import { sendPieces } from '../../http/long-answers.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { requireCatalogue } from '../deleting/members.ts'
import { putBulk, type BulkItemResult } from '../writing/bulk-write.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { bodyLimits, mayWriteCatalogue } from './requests.ts'

const { answers, bodies, parameters } = contract

const jsonType = 'application/json'
const ndjsonType = 'application/x-ndjson'

const itemSchema = z
  .looseObject({
    originalId: z.string().optional(),
    id: z.string().optional(),
    status: z.int(),
    problem: z.looseObject({ type: z.string(), title: z.string(), status: z.int() }).optional(),
  })
  .openapi('BulkVerdict')

const responses: RouteConfig['responses'] = {
  200: {
    description: 'What became of each dataset',
    content: { [jsonType]: { schema: z.array(itemSchema) }, [ndjsonType]: { schema: z.string() } },
  },
  ...answers.writeRefusals,
}

/** PUT of many datasets. NDJSON is sent while datasets are written, so that clients see the progress. */
const putManyDatasets = repositoryEndpoint({
  method: 'put',
  path: '/catalogues/{catalogueId}/datasets/bulk',
  operation: 'putCataloguesByCatalogueIdDatasetsBulk',
  summary: 'Create or replace many datasets, each by itself',
  description:
    'Every dataset of the body is one item: the graph that describes it in formats with named graphs, else all that can be ' +
    'reached from it. The answer has one object per item, in the order of the body, with the status that the PUT of the single ' +
    'dataset would have answered. The index is not waited for.',
  auth: mayWriteCatalogue,
  params: parameters.catalogue,
  query: parameters.bulk,
  body: bodies.dataset,
  answers: responses,
  handle: async ({ c, params: { catalogueId: catalogue }, query, signal }, context) => {
    const { bulkWrites, limits, log, names } = context
    const mediaType = answerType(c)
    c.get('deadline').extend(limits.longRequestMs)
    const { pieces, format, charset } = await readHeldRdf(c, bodyLimits(limits))
    await requireCatalogue(context, catalogue, signal)
    const endWrite = await bulkWrites.take(keyIdOf(c), signal)
    signal.addEventListener('abort', endWrite, { once: true })
    try {
      // The ids are unknown before the body is read, so relative references are resolved against the catalogue.
      const baseIri = `${names.base}catalogues/${catalogue}/`
      const batches = parseStream(pieces, format, { baseIri, limits, charset })
      const request = { ...query, catalogue, batches, instance: pathOf(c.req.url) }
      const results = await putBulk(context, request, signal)
      if (mediaType === ndjsonType) {
        const options = {
          log,
          pieceMs: limits.longRequestMs,
          headers: { 'Content-Type': ndjsonType },
        }
        return await sendPieces(c, toNdjson(results, endWrite), options)
      }
      const list: BulkItemResult[] = []
      for await (const batch of results) list.push(...batch)
      endWrite()
      return c.json(list, 200)
    } catch (error) {
      endWrite()
      throw error
    }
  },
})

/** Endpoints that write many datasets. */
export const bulkEndpoints = [putManyDatasets]

/** Media type of the answer: a JSON array, or NDJSON, which is sent during the work. Throws `not-acceptable`. */
function answerType(c: AppContext): string {
  const mediaType = negotiate(c.req.header('Accept'), [jsonType, ndjsonType])
  if (mediaType !== undefined) return mediaType
  throw new Failure('not-acceptable', `Accept must allow ${jsonType} or ${ndjsonType}`)
}

/** Yields a text per chunk, a line for each result, only as fast as the client reads; calls `endWrite` at the end. */
async function* toNdjson(
  results: AsyncIterable<readonly BulkItemResult[]>,
  endWrite: () => void,
): AsyncGenerator<string, void> {
  try {
    for await (const batch of results)
      yield batch.map((result) => `${JSON.stringify(result)}\n`).join('')
  } finally {
    endWrite()
  }
}
