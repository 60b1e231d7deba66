/** The route of the bulk write. */

import { z, type RouteConfig } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { receiveHeld } from '../../http/rdf.ts'
import { pathOf } from '../../http/context.ts'
import { answerFlow } from '../../http/long-answers.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { demandCatalogue } from '../deleting/members.ts'
import { putBulk, type BulkVerdict } from '../writing/bulk-write.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import { contract } from './contract.ts'
import { bodyLimits, type RouteContext } from './route-context.ts'

const { answers, bodies, putRoute, parameters } = contract

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

const put = putRoute(
  '/catalogues/{catalogueId}/datasets/bulk',
  'Create or replace many datasets, each by itself',
  { params: parameters.catalogue, query: parameters.bulk, body: bodies.dataset },
  {
    description:
      'Every dataset of the body is one item: the graph that describes it in formats with named graphs, else all that can be ' +
      'reached from it. The answer has one object per item, in the order of the body, with the status that the PUT of the single ' +
      'dataset would have answered. The index is not waited for.',
    responses,
  },
)

/** Requests that are parsed and written at the same time: one can fill the machine, and each holds its body in memory. */
const atOnce = 2

/** The route; the answer begins with the first verdict, so that clients of NDJSON see datasets as they are done. */
export function addBulkRoute(context: RouteContext): void {
  const { app, guard, limits, log, names } = context
  guard('catalogue', put)
  const semaphore = new Semaphore(atOnce)
  const flow = { log, pieceMs: limits.longRequestMs, headers: { 'Content-Type': asLines } }

  app.openapi(put, async (c) => {
    const catalogue = c.req.valid('param').catalogueId
    const mediaType = answerType(c)
    c.get('deadline').extend(limits.longRequestMs)
    const signal = c.get('signal')
    const { pieces, format, charset } = await receiveHeld(c, bodyLimits(limits))
    await demandCatalogue(context, catalogue, signal)
    const end = await semaphore.acquire(signal)
    signal.addEventListener('abort', end, { once: true })
    try {
      // The ids are not known before the body is read: relative references get a place under the catalogue.
      const baseIri = `${names.base}catalogues/${catalogue}/`
      const batches = parseStream(pieces, format, { baseIri, limits, charset })
      const request = { ...c.req.valid('query'), catalogue, batches, instance: pathOf(c.req.url) }
      const verdicts = await putBulk(context, request, signal)
      if (mediaType === asLines) return await answerFlow(c, lines(verdicts, end), flow)
      const all: BulkVerdict[] = []
      for await (const some of verdicts) all.push(...some)
      end()
      return c.json(all, 200)
    } catch (error) {
      end()
      throw error
    }
  })
}

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
