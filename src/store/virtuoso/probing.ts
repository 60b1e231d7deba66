/** What a Virtuoso says of itself at the start, and what it must be able to do for us. */

import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import type { Door, Probed } from '../remote/dialect.ts'
import type { WireAnswer } from '../remote/wire/messages.ts'
import { isRefusal } from './answers.ts'

const own = 'http://www.openlinksw.com/schemas/virtrdf#'

/** More solutions than any sensible limit of a server, without any data of ours. */
const many = (limit: number) =>
  `SELECT (1 AS ?n) WHERE { GRAPH <${own}> { ?a a ?b } GRAPH <${own}> { ?c a ?d } GRAPH <${own}> { ?e a ?f } } ` +
  `LIMIT ${limit}`

async function ask(door: Door, query: string): Promise<WireAnswer> {
  const answer = await door.send({
    url: door.queryEndpoint,
    method: 'POST',
    headers: { accept: 'text/csv', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ query }).toString(),
    idempotent: true,
  })
  if (answer.status < 300) return answer
  const refused = answer.status === 403 || isRefusal(answer)
  throw new Failure(
    'store-unavailable',
    refused
      ? 'The user of the triplestore is not authorised to read: it needs the role SPARQL_SELECT.'
      : `The triplestore answered a query with ${answer.status}.`,
    { cause: answer.text.slice(0, 500) },
  )
}

/** Answers of this many rows are fetched to see whether they are cut. */
const tested = 100_000

/** Rows after which the server cuts an answer; at most `tested`, more is not asked for. */
async function rowLimit(door: Door): Promise<number> {
  const { text, headers } = await ask(door, many(tested + 1))
  const rows = text.split('\n').filter((line) => line !== '').length - 1
  const told = Number(headers['x-sparql-maxrows'] ?? tested)
  return Math.min(rows > tested ? tested : rows, told)
}

// Taking away what is not there needs the same rights as any other write.
const probe = `DELETE DATA { GRAPH <${systemGraph}> { <${systemGraph}> <${ctl('probe').value}> "1" } }`

/** An update without effect: the store takes writes, and those that were sent before it have been heard. */
export const touch = (door: Door): Promise<void> => door.update(probe)

async function checkRights(door: Door): Promise<void> {
  try {
    await touch(door)
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : undefined
    if (typeof cause !== 'string' || !isRefusal({ status: 500, headers: {}, text: cause }))
      throw error
    throw new Failure(
      'store-unavailable',
      'The user of the triplestore is not authorised to write: it needs the role SPARQL_UPDATE.',
      { cause },
    )
  }
}

/** Fewest rows with which reading graphs of usual size is still one request. */
const fewest = 10_000

/** Rejects with store-unavailable while the server is not ready, and for good when it is not fit for us. */
export async function probeVirtuoso(door: Door): Promise<Probed> {
  const { headers } = await ask(door, `ASK { GRAPH <${own}> { ?s a ?o } }`)
  await checkRights(door)
  const rows = await rowLimit(door)
  if (rows < fewest) {
    throw new Failure(
      'store-unavailable',
      `Not authorised to read whole graphs: ResultSetMaxRows is ${rows} and must be at least ${fewest}.`,
    )
  }
  const version = /Virtuoso\/([\w.]+)/.exec(headers['server'] ?? '')?.[1]
  return { product: version ? `OpenLink Virtuoso ${version}` : 'OpenLink Virtuoso', rows }
}
