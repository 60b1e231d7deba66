/** OpenLink Virtuoso 7: only a single operation is atomic there, and every write of ours is one (decision 0015). */

import { CredentialsError } from '../../client/authentication.ts'
import type { ServiceAnswer } from '../../client/service-request.ts'
import { Failure } from '../../errors.ts'
import { shortEscapes } from '../../rdf/lines.ts'
import { ctl, systemGraph, xsd } from '../../rdf/namespaces.ts'
import type { Dialect, Edit, Probed, StoreEndpoint } from '../remote/dialect.ts'
import { landStaged, recoverStaged, settleMs } from './staging.ts'
import { singleText } from './virtuoso-update.ts'
import { checkName, hasCollisions, virtuosoFidelity } from './virtuoso-values.ts'

// What a Virtuoso says of itself at the start, and what it must be able to do for us.

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
const touch = (endpoint: StoreEndpoint): Promise<void> => endpoint.update(probe)

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

// Virtuoso's N-Triples in our own spelling: it puts tabs between terms and escapes whatever is not ASCII.

// A backslash before anything else is taken along, so that `\\u0041` stays the six characters that it says.
const escape = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[^])/g

const kept = /[\p{Cc}\ufffe\uffff]/u

function unescaped(found: string, four?: string, eight?: string): string {
  const digits = four ?? eight
  if (digits === undefined) return found
  const character = String.fromCodePoint(Number.parseInt(digits, 16))
  const short = shortEscapes[character]
  if (short !== undefined) return short
  return kept.test(character) ? `\\u${digits.slice(-4).toUpperCase()}` : character
}

/** The lines of an answer to CONSTRUCT, `''` for an empty one, which comes as a comment. */
export function ownSpelling(text: string): string {
  if (text.startsWith('#')) return ownSpelling(text.slice(text.indexOf('\n') + 1 || text.length))
  const spaced = text.replaceAll('\t', ' ')
  return spaced.includes('\\u') || spaced.includes('\\U')
    ? spaced.replace(escape, unescaped)
    : spaced
}

// Names by which a query would reach the SQL engine behind Virtuoso's SPARQL.

const engine =
  /^(?:bif|sql|xpf|rdfdf|box|long|sqlval|short|iri_id):|^http:\/\/www\.openlinksw\.com\/schemas\/(?:bif|sql|sparql)/i

/** Functions that SPARQL 1.1 itself knows by IRI: the casts (17.5). All others would be looked for among SQL's. */
const casts = new Set(
  'boolean double float decimal integer dateTime string date time'
    .split(' ')
    .map((name) => xsd(name).value),
)

const isReservedName = (iri: string, isFunction: boolean): boolean =>
  engine.test(iri) || (isFunction && !casts.has(iri))

async function land(edits: readonly Edit[], endpoint: StoreEndpoint): Promise<void> {
  for (const { graph } of edits) checkName(graph)
  const text = edits.some(hasCollisions) ? undefined : singleText(edits)
  await (text === undefined ? landStaged(edits, endpoint) : endpoint.update(text))
}

/**
 * Lines of writes that share a template: a few small changes. What only comes is an `INSERT DATA` by itself, which takes half
 * the time, and must not become a template because something else goes.
 */
const mixed = 60

export const virtuoso: Dialect = {
  name: 'virtuoso',
  fidelity: virtuosoFidelity,
  // Debian's server has ten threads; more writers deadlock more often and are not faster.
  sockets: 8,
  writers: 1,
  idleMs: 30,
  destroyAfterError: true,
  retryable: isPassing,
  refused: meaningOf,
  fits: ({ graphs, cleared, removed, added, length }) =>
    graphs <= 320 &&
    cleared <= 100 &&
    removed + added <= (removed > 0 && added > 0 ? mixed : 16_000) &&
    length <= 2 * 2 ** 20,
  land,
  // Clearing by pattern also takes what cannot be named.
  namesCleared: false,
  stages: true,
  torn: true,
  recover: recoverStaged,
  probe: probeVirtuoso,
  settle: async (endpoint) => {
    await endpoint.pause(settleMs)
    await touch(endpoint)
  },
  respelt: ownSpelling,
  quads: false,
  union: 'always',
  deadline: (ms) => ({ timeout: String(ms) }),
  incomplete: isIncomplete,
  reserved: isReservedName,
}
