/** Binds the route of the bulk write. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { pathOf } from '../../http/shell/context.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { answerFlow } from '../../http/shell/flow.ts'
import { receivedBytes } from '../answering/received.ts'
import type { Bound } from '../bound.ts'
import { bulk } from '../bulk/bulk.ts'
import { pauses } from '../bulk/pauses.ts'
import { turns } from '../bulk/turns.ts'
import type { Verdict } from '../bulk/verdicts.ts'
import { routes } from '../routes.ts'

const asArray = 'application/json'
const asLines = 'application/x-ndjson'

/** Requests that are parsed and written at the same time: one can fill the machine, and each holds its body in memory. */
const atOnce = 2

export function bindBulk(bound: Bound): void {
  const { app, catalogues, limits, names } = bound
  const paths = ['/catalogues/:catalogueId/datasets/bulk']
  bound.guard({ methods: ['PUT'], paths, permission: 'catalogue' })
  const now = bound.http.now ?? (() => performance.now())
  const writing = bulk({ ...bound, most: limits.bulkItems, pause: pauses(now) })
  const line = turns(atOnce)
  const flow = {
    log: bound.log,
    pieceMs: limits.longRequestMs,
    headers: { 'Content-Type': asLines },
  }

  app.openapi(routes.putBulk, async (c) => {
    const catalogue = c.req.valid('param').catalogueId
    const mediaType = answerType(c)
    c.get('deadline').extend(limits.longRequestMs)
    const signal = c.get('signal')
    const { pieces, format } = await receivedBytes(c, limits)
    await catalogues.demand(catalogue, signal)
    const end = await line.take(signal)
    signal.addEventListener('abort', end, { once: true })
    try {
      // The ids are not known before the body is read: relative references get a place under the catalogue.
      const batches = parseStream(pieces, format, {
        baseIri: `${names.base}catalogues/${catalogue}/`,
        limits,
      })
      const request = { ...c.req.valid('query'), catalogue, batches, instance: pathOf(c.req.url) }
      const verdicts = await writing.put(request, signal)
      if (mediaType === asLines) return await answerFlow(c, lines(verdicts, end), flow)
      const all: Verdict[] = []
      for await (const some of verdicts) all.push(...some)
      end()
      return c.json(all, 200)
    } catch (error) {
      end()
      throw error
    }
  })
}

function answerType(c: AppContext): string {
  const found = negotiate(c.req.header('Accept'), [asArray, asLines])
  if (found !== undefined) return found
  throw new Failure('not-acceptable', `Accept must allow ${asArray} or ${asLines}`)
}

/** One verdict per line, as they come; nothing is worked on that nobody takes. */
async function* lines(
  verdicts: AsyncIterable<readonly Verdict[]>,
  end: () => void,
): AsyncGenerator<string, void> {
  try {
    for await (const some of verdicts)
      yield some.map((verdict) => `${JSON.stringify(verdict)}\n`).join('')
  } finally {
    end()
  }
}
