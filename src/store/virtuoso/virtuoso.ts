/** OpenLink Virtuoso 7: only a single operation is atomic there, and every write of ours is one (decision 0015). */

import { shortEscapes } from '../../rdf/lines.ts'
import { xsd } from '../../rdf/namespaces.ts'
import type { Dialect, StoreEndpoint, Edit } from '../remote/dialect.ts'
import { checkName, hasCollisions, virtuosoFidelity } from './virtuoso-values.ts'
import { isIncomplete, isPassing, meaningOf, probeVirtuoso, touch } from './virtuoso-probe.ts'
import { landStaged, recoverStaged } from './staging.ts'
import { singleText } from './virtuoso-update.ts'

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

/** How long a write of which nothing was heard is given to end. */
const settleMs = 1500

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
