/** The endpoint of the bulk write. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readHeldRdf } from '../../http/rdf.ts'
import { pathOf } from '../../http/context.ts'
import { sendPieces } from '../../http/long-answers.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { demandCatalogue } from '../deleting/members.ts'
import { putBulk, type BulkVerdict } from '../writing/bulk-write.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { bodyLimits, mayWriteCatalogue } from './requests.ts'

const { answers, bodies, parameters } = contract

const asArray = 'application/json'
const asLines = 'application/x-ndjson'

const verdict = z
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
    content: { [asArray]: { schema: z.array(verdict) }, [asLines]: { schema: z.string() } },
  },
  ...answers.refused,
}

/** Its answer begins with the first verdict, so that clients of NDJSON see datasets as they are done. */
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
    await demandCatalogue(context, catalogue, signal)
    const end = await bulkWrites.acquire(signal)
    signal.addEventListener('abort', end, { once: true })
    try {
      // The ids are not known before the body is read: relative references get a place under the catalogue.
      const baseIri = `${names.base}catalogues/${catalogue}/`
      const batches = parseStream(pieces, format, { baseIri, limits, charset })
      const request = { ...query, catalogue, batches, instance: pathOf(c.req.url) }
      const verdicts = await putBulk(context, request, signal)
      if (mediaType === asLines) {
        const flow = { log, pieceMs: limits.longRequestMs, headers: { 'Content-Type': asLines } }
        return await sendPieces(c, lines(verdicts, end), flow)
      }
      const all: BulkVerdict[] = []
      for await (const some of verdicts) all.push(...some)
      end()
      return c.json(all, 200)
    } catch (error) {
      end()
      throw error
    }
  },
})

/** The endpoints of writes of many datasets. */
export const bulkEndpoints = [putManyDatasets]

/** One JSON array, or one object per line while the work goes on; fails with `not-acceptable`. */
function answerType(c: AppContext): string {
  const found = negotiate(c.req.header('Accept'), [asArray, asLines])
  if (found !== undefined) return found
  throw new Failure('not-acceptable', `Accept must allow ${asArray} or ${asLines}`)
}

/** One verdict per line, as they come; nothing is worked on that nobody takes. */
async function* lines(
  verdicts: AsyncIterable<readonly BulkVerdict[]>,
  end: () => void,
): AsyncGenerator<string, void> {
  try {
    for await (const some of verdicts) yield some.map((one) => `${JSON.stringify(one)}\n`).join('')
  } finally {
    end()
  }
}
