/** What a Virtuoso says of itself at the start, and what it must be able to do for us. */

import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import type { StoreEndpoint, Probed } from '../remote/dialect.ts'
import { CredentialsError } from '../../client/authentication.ts'
import type { ServiceAnswer } from '../../client/service-exchange.ts'

const own = 'http://www.openlinksw.com/schemas/virtrdf#'

/** More solutions than any sensible limit of a server, without any data of ours. */
const many = (limit: number) =>
  `SELECT (1 AS ?n) WHERE { GRAPH <${own}> { ?a a ?b } GRAPH <${own}> { ?c a ?d } GRAPH <${own}> { ?e a ?f } } ` +
  `LIMIT ${limit}`

/** A limit of our own: whatever a caller may ask for, this much has to come to see whether it is all. */
const limits = { totalMs: 10_000, bytes: 2 ** 23 }

// As a form, because that is answered on the endpoint for everybody too, where an update in the body never is.
const sent = (endpoint: StoreEndpoint, url: string, form: Readonly<Record<string, string>>) =>
  endpoint.send({
    url,
    method: 'POST',
    headers: { accept: 'text/csv', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    idempotent: true,
    limits,
  })

// Waiting does not help here: the cause says so.
function notAuthorised(what: string, role: string, answer: ServiceAnswer): Failure {
  const why = `The user of the triplestore may not ${what}: it needs the role ${role}.`
  return new Failure('store-unavailable', why, { cause: new CredentialsError(why, answer) })
}

const refused = (what: string, { status, text }: ServiceAnswer) =>
  new Failure('store-unavailable', `The triplestore answered ${what} with ${status}.`, {
    cause: text.slice(0, 500),
  })

async function ask(endpoint: StoreEndpoint, query: string): Promise<ServiceAnswer> {
  const answer = await sent(endpoint, endpoint.queryEndpoint, { query })
  if (answer.status < 300) return answer
  if (isRefusal(answer)) throw notAuthorised('read', 'SPARQL_SELECT', answer)
  throw refused('a query', answer)
}

/** Answers of this many rows are fetched to see whether they are cut. */
const tested = 100_000

/** Rows after which the server cuts an answer; at most `tested`, more is not asked for. */
async function rowLimit(endpoint: StoreEndpoint): Promise<number> {
  const { text, headers } = await ask(endpoint, many(tested + 1))
  const rows = text.split('\n').filter((line) => line !== '').length - 1
  const told = Number(headers['x-sparql-maxrows'] ?? tested)
  return Math.min(rows > tested ? tested : rows, told)
}

// Taking away what is not there needs the same rights as any other write.
const probe = `DELETE DATA { GRAPH <${systemGraph}> { <${systemGraph}> <${ctl('probe').value}> "1" } }`

/** An update without effect: the store takes writes, and those that were sent before it have been heard. */
export const touch = (endpoint: StoreEndpoint): Promise<void> => endpoint.update(probe)

async function checkRights(endpoint: StoreEndpoint): Promise<void> {
  const answer = await sent(endpoint, endpoint.updateEndpoint, { update: probe })
  if (answer.status < 300) return
  if (isRefusal(answer)) throw notAuthorised('write', 'SPARQL_UPDATE', answer)
  throw refused('an update', answer)
}

/** Fewest rows with which reading graphs of usual size is still one request. */
const fewest = 10_000

/** Rejects with store-unavailable while the server is not ready, and for good when it is not fit for us. */
export async function probeVirtuoso(endpoint: StoreEndpoint): Promise<Probed> {
  const { headers } = await ask(endpoint, `ASK { GRAPH <${own}> { ?s a ?o } }`)
  await checkRights(endpoint)
  const rows = await rowLimit(endpoint)
  if (rows < fewest) {
    throw new Failure(
      'invalid-parameter',
      `ResultSetMaxRows of the triplestore is ${rows} and must be at least ${fewest}.`,
    )
  }
  const version = /Virtuoso\/([\w.]+)/.exec(headers['server'] ?? '')?.[1]
  return { product: version ? `OpenLink Virtuoso ${version}` : 'OpenLink Virtuoso', rows }
}

// What Virtuoso's answers mean where their status does not say it.

/** The message; what follows it repeats the request, which may hold anything. */
const messageOf = ({ text }: ServiceAnswer): string => text.slice(0, 500).split('\n')[0] ?? ''

/**
 * Whether another try may do better: a deadlock, or a moment in which the server is not there for anybody. During a
 * checkpoint, and just after its start, it answers with 404 for addresses that it knows.
 */
export function isPassing(answer: ServiceAnswer): boolean {
  const { status } = answer
  if (status === 404 || status === 503) return true
  return status >= 500 && /\b(?:40001|SR172)\b|deadlock/i.test(messageOf(answer))
}

/** `Virtuoso 22023 Error SR553: …`: the class of the SQL state says whose fault it is. */
export function meaningOf(
  answer: ServiceAnswer,
): 'invalid-content' | 'store-full' | 'store-unavailable' {
  const message = messageOf(answer)
  const [, state = ''] = /^Virtuoso (\w{5}) Error/.exec(message) ?? []
  if (/disk|no space|file extend|SR325/i.test(message)) return 'store-full'
  if (isRefusal(answer)) return 'store-unavailable'
  return /^(?:22|37|RDF)/.test(state) ? 'invalid-content' : 'store-unavailable'
}

/** Whether the user of an update may not write. */
const isRefusal = (answer: ServiceAnswer): boolean =>
  answer.status === 403 || /\bSR186\b|SECURITY|No permission|access denied/i.test(messageOf(answer))

/**
 * Whether an answer holds less than it should: a query that meets its time limit is answered with what there is by then, and
 * a success; longer ones fail with the same state in their text.
 */
export function isIncomplete(answer: ServiceAnswer): boolean {
  const { status, headers, text } = answer
  if (headers['x-sql-state'] === 'S1TAT') return true
  return (
    status >= 500 && /\bS1T(?:AT|00)\b|\bSR171\b/.test(`${messageOf(answer)}${text.slice(-600)}`)
  )
}
