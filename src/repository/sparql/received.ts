/** Reads a query from the three forms of the SPARQL 1.1 Protocol (section 2.1). */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'

export type Received = {
  /** Absent when the request brought none. */
  readonly query: string | undefined
  readonly defaultGraphs: readonly string[]
  readonly namedGraphs: readonly string[]
}

/** A form has at most this much around its query. */
const formRoom = 64 * 1024

/** Throws `unsupported-media-type` for other bodies, `malformed-query` for an update. */
export async function received(c: AppContext, queryBytes: number): Promise<Received> {
  const address = new URL(c.req.url).searchParams
  if (c.req.method !== 'POST') return fromParameters(address)
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  const limits = { bytes: queryBytes * 3 + formRoom, name: 'sparqlQueryBytes' }
  const text = new TextDecoder().decode(await readBody(c.req.raw, limits, c.get('signal')))
  if (type === 'application/sparql-query') return { ...fromParameters(address), query: text }
  if (type === 'application/x-www-form-urlencoded') return fromParameters(new URLSearchParams(text))
  if (type === 'application/sparql-update') throw updateRefused()
  const accepted = 'application/x-www-form-urlencoded, application/sparql-query'
  throw new Failure('unsupported-media-type', `Content-Type must be one of ${accepted}`, {
    headers: { Accept: accepted },
  })
}

function fromParameters(parameters: URLSearchParams): Received {
  if (parameters.has('update')) throw updateRefused()
  const queries = parameters.getAll('query')
  if (queries.length > 1) throw new Failure('malformed-query', 'one query per request')
  return {
    query: queries[0],
    defaultGraphs: parameters.getAll('default-graph-uri'),
    namedGraphs: parameters.getAll('named-graph-uri'),
  }
}

const updateRefused = () =>
  new Failure(
    'malformed-query',
    'this endpoint answers queries only; data is written through the repository',
  )
