/** Dialect of OpenLink Virtuoso 7, where only a single operation is atomic: a write is one, or is staged (decision 0015). */

import { CredentialsError } from '../../client/authentication.ts'
import type { ServiceAnswer } from '../../client/service-request.ts'
import { Failure } from '../../errors.ts'
import { shortEscapes } from '../../rdf/lines.ts'
import { ctl, systemGraph, xsd } from '../../rdf/namespaces.ts'
import type { Dialect, Edit, StoreProperties, StoreEndpoint } from '../remote/dialect.ts'
import { commitStaged, recoverStaged, settleMs } from './staging.ts'
import { singleUpdateText } from './virtuoso-update.ts'
import { checkName, hasCollisions, virtuosoFidelity } from './virtuoso-values.ts'

// Checks of the server at the start.

const virtuosoGraph = 'http://www.openlinksw.com/schemas/virtrdf#'

/** Query with up to `limit` solutions that needs no data of the platform. */
const manyRowsQuery = (limit: number) =>
  `SELECT (1 AS ?n) WHERE { GRAPH <${virtuosoGraph}> { ?a a ?b } GRAPH <${virtuosoGraph}> { ?c a ?d } GRAPH <${virtuosoGraph}> { ?e a ?f } } ` +
  `LIMIT ${limit}`

/** Limits of the requests of the check, which must be large enough to find the row limit. */
const limits = { totalMs: 10_000, bytes: 2 ** 23 }

// As a form, which the endpoint without authentication answers too, unlike an update in the body.
const sendForm = (endpoint: StoreEndpoint, url: string, form: Readonly<Record<string, string>>) =>
  endpoint.send({
    url,
    method: 'POST',
    headers: { accept: 'text/csv', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    isIdempotent: true,
    limits,
  })

// The cause `CredentialsError` ends the wait at the start.
function notAuthorised(what: string, role: string, answer: ServiceAnswer): Failure {
  const why = `The user of the triplestore may not ${what}: it needs the role ${role}.`
  return new Failure('store-unavailable', why, { cause: new CredentialsError(why, answer) })
}

const unexpectedStatus = (what: string, { status, text }: ServiceAnswer) =>
  new Failure('store-unavailable', `The triplestore answered ${what} with ${status}.`, {
    cause: text.slice(0, 500),
  })

async function ask(endpoint: StoreEndpoint, query: string): Promise<ServiceAnswer> {
  const answer = await sendForm(endpoint, endpoint.queryEndpoint, { query })
  if (answer.status < 300) return answer
  if (lacksPermission(answer)) throw notAuthorised('read', 'SPARQL_SELECT', answer)
  throw unexpectedStatus('a query', answer)
}

/** Rows that are read to find the row limit. */
const maxTestedRows = 100_000

/** Rows from which the server truncates answers; at most `maxTestedRows`. */
async function rowLimit(endpoint: StoreEndpoint): Promise<number> {
  const { text, headers } = await ask(endpoint, manyRowsQuery(maxTestedRows + 1))
  const rows = text.split('\n').filter((line) => line !== '').length - 1
  const reported = Number(headers['x-sparql-maxrows'] ?? maxTestedRows)
  return Math.min(rows > maxTestedRows ? maxTestedRows : rows, reported)
}

// Removes a triple that does not exist, which needs the same rights as any other write.
const probeUpdate = `DELETE DATA { GRAPH <${systemGraph}> { <${systemGraph}> <${ctl('probe').value}> "1" } }`

/** Sends an update without effect, which succeeds when the store accepts writes and has received all earlier ones. */
const touch = (endpoint: StoreEndpoint): Promise<void> => endpoint.update(probeUpdate)

async function checkRights(endpoint: StoreEndpoint): Promise<void> {
  const answer = await sendForm(endpoint, endpoint.updateEndpoint, { update: probeUpdate })
  if (answer.status < 300) return
  if (lacksPermission(answer)) throw notAuthorised('write', 'SPARQL_UPDATE', answer)
  throw unexpectedStatus('an update', answer)
}

/** Least row limit with which graphs of usual size are read by one request. */
const minRows = 10_000

/**
 * Reads product and row limit. Rejects with `store-unavailable` while the server is not ready or when the user may not read, and
 * with `invalid-parameter` when the row limit is too small.
 */
export async function probeVirtuoso(endpoint: StoreEndpoint): Promise<StoreProperties> {
  const { headers } = await ask(endpoint, `ASK { GRAPH <${virtuosoGraph}> { ?s a ?o } }`)
  const rows = await rowLimit(endpoint)
  if (rows < minRows) {
    throw new Failure(
      'invalid-parameter',
      `ResultSetMaxRows of the triplestore is ${rows} and must be at least ${minRows}.`,
    )
  }
  const version = /Virtuoso\/([\w.]+)/.exec(headers['server'] ?? '')?.[1]
  return { product: version ? `OpenLink Virtuoso ${version}` : 'OpenLink Virtuoso', rows }
}

// Meaning of answers where the status does not tell it.

/** First line of an answer, the message; the rest repeats the request. */
const messageOf = ({ text }: ServiceAnswer): string => text.slice(0, 500).split('\n')[0] ?? ''

/**
 * Whether a request may be repeated: after a deadlock, or while the server is unavailable. During a checkpoint, and just after its
 * start, it answers with 404 for existing addresses.
 */
export function isTransient(answer: ServiceAnswer): boolean {
  const { status } = answer
  if (status === 404 || status === 503) return true
  return status >= 500 && /\b(?:40001|SR172)\b|deadlock/i.test(messageOf(answer))
}

/** Failure kind of an update by its message, `Virtuoso 22023 Error SR553: …`, from the class of the SQL state. */
export function updateFailureKind(
  answer: ServiceAnswer,
): 'invalid-content' | 'store-full' | 'store-unavailable' {
  const message = messageOf(answer)
  const [, state = ''] = /^Virtuoso (\w{5}) Error/.exec(message) ?? []
  if (/disk|no space|file extend|SR325/i.test(message)) return 'store-full'
  if (lacksPermission(answer)) return 'store-unavailable'
  return /^(?:22|37|RDF)/.test(state) ? 'invalid-content' : 'store-unavailable'
}

/** Whether an answer says that the user of the triplestore lacks a permission. */
const lacksPermission = (answer: ServiceAnswer): boolean =>
  answer.status === 403 || /\bSR186\b|SECURITY|No permission|access denied/i.test(messageOf(answer))

/**
 * Whether an answer is incomplete: at its time limit a query is answered with the rows so far and status 200; longer ones fail with
 * the same SQL state in their text.
 */
export function isIncomplete(answer: ServiceAnswer): boolean {
  const { status, headers, text } = answer
  if (headers['x-sql-state'] === 'S1TAT') return true
  return (
    status >= 500 && /\bS1T(?:AT|00)\b|\bSR171\b/.test(`${messageOf(answer)}${text.slice(-600)}`)
  )
}

// Virtuoso's N-Triples as lines of the platform: it writes tabs between terms and escapes all but ASCII.

// Matches other escapes too, so that the escaped backslash in `\\u0041` is not read as the begin of `\u0041`.
const escapePattern = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[^])/g

const escapedCharacters = /[\p{Cc}\ufffe\uffff]/u

function unescaped(match: string, four?: string, eight?: string): string {
  const digits = four ?? eight
  if (digits === undefined) return match
  const character = String.fromCodePoint(Number.parseInt(digits, 16))
  const escape = shortEscapes[character]
  if (escape !== undefined) return escape
  return escapedCharacters.test(character) ? `\\u${digits.slice(-4).toUpperCase()}` : character
}

/** Lines of an answer to CONSTRUCT; `''` for an empty one, which is a comment. */
export function normaliseNTriples(text: string): string {
  if (text.startsWith('#'))
    return normaliseNTriples(text.slice(text.indexOf('\n') + 1 || text.length))
  const withSpaces = text.replaceAll('\t', ' ')
  return withSpaces.includes('\\u') || withSpaces.includes('\\U')
    ? withSpaces.replace(escapePattern, unescaped)
    : withSpaces
}

// Names that give a query access to the SQL engine behind Virtuoso's SPARQL.

const sqlNames =
  /^(?:bif|sql|xpf|rdfdf|box|long|sqlval|short|iri_id):|^http:\/\/www\.openlinksw\.com\/schemas\/(?:bif|sql|sparql)/i

/** Functions of SPARQL 1.1 with IRIs: the casts (17.5). Virtuoso looks others up as SQL functions. */
const casts = new Set(
  'boolean double float decimal integer dateTime string date time'
    .split(' ')
    .map((name) => xsd(name).value),
)

const isReservedName = (iri: string, isFunction: boolean): boolean =>
  sqlNames.test(iri) || (isFunction && !casts.has(iri))

async function commit(edits: readonly Edit[], endpoint: StoreEndpoint): Promise<void> {
  for (const { graph } of edits) checkName(graph)
  const text = edits.some(hasCollisions) ? undefined : singleUpdateText(edits)
  await (text === undefined ? commitStaged(edits, endpoint) : endpoint.update(text))
}

/**
 * Maximum number of removed and added lines of writes that are combined into one `DELETE … INSERT`. Writes that only add lines become
 * `INSERT DATA`, which takes half the time, so they are not combined with large removals.
 */
const maxMixedLines = 20

/** Dialect of OpenLink Virtuoso 7. */
export const virtuoso: Dialect = {
  name: 'virtuoso',
  fidelity: virtuosoFidelity,
  // The Debian package has ten threads; more writers deadlock more often and are not faster.
  sockets: 8,
  writers: 1,
  defer: { idleMs: 100, mostMs: 2000 },
  closesAfterError: true,
  isRetryable: isTransient,
  failureKind: updateFailureKind,
  fitsOneRequest: ({ graphs, cleared, removed, added, length }) =>
    graphs <= 320 &&
    cleared <= 100 &&
    removed + added <= (removed > 0 && added > 0 ? maxMixedLines : 16_000) &&
    length <= 2 * 2 ** 20,
  commit,
  // Clearing by pattern also removes blank nodes.
  usesStaging: true,
  showsPartialCommits: true,
  recover: recoverStaged,
  probe: probeVirtuoso,
  checkRights,
  waitForUpdates: async (endpoint) => {
    await endpoint.pause(settleMs)
    await touch(endpoint)
  },
  normalise: normaliseNTriples,
  constructsQuads: false,
  union: 'always',
  deadline: (ms) => ({ timeout: String(ms) }),
  isIncomplete,
  isReserved: isReservedName,
}
