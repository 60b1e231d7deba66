/** Public queries on a remote store: guarded, sent with its time limit, and read without our bookkeeping. */

import { Failure } from '../../errors.ts'
import { ctl } from '../../rdf/namespaces.ts'
import type { PublicEngine } from '../public/public-answer.ts'
import { type CheckedQuery, refusedBy } from '../public/query-checks.ts'
import { resultsOf, type JsonTerm, type Results } from '../sparql-results.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'
import { guardedQuery } from './guarded-query.ts'
import { linesOf } from './spelling-notes.ts'
import { opaque, unhidden } from './spelled-values.ts'
import { asciiQuery, withQueryNames } from './variable-names.ts'

type Settings = {
  readonly dialect: Dialect
  readonly endpoint: StoreEndpoint
  /** Running time of one query in ms. */
  readonly ms: number
  /** Rows after which the store cuts an answer without saying so, where it does. */
  readonly rows: number | undefined
}

const reserved = ` <${ctl('').value}`

async function answerTo(
  query: CheckedQuery,
  { accept, bytes }: { readonly accept: string; readonly bytes: number },
  { dialect, endpoint, ms }: Settings,
): Promise<string> {
  const form = new URLSearchParams({
    query: guardedQuery(query.text, { ...dialect, chosen: !query.union, base: query.base }),
    ...dialect.deadline?.(ms),
  })
  for (const iri of query.defaultGraphs) form.append('default-graph-uri', iri)
  for (const iri of query.namedGraphs) form.append('named-graph-uri', iri)
  const { status, text } = await endpoint.send({
    url: endpoint.queryEndpoint,
    method: 'POST',
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    idempotent: true,
    // Formats differ in length: what is too long is cut later, what is far too long is refused here.
    limits: { totalMs: ms, bytes: bytes * 4 + 2 ** 20 },
  })
  const isCut = dialect.gaveUp?.(text) ?? false
  if (status < 300 && !isCut) return text
  if (status === 400) throw refusedBy('store', text)
  if (isCut || status === 503 || status === 504) {
    throw new Failure('time-limit', `A query may run ${ms} ms (sparqlMs).`, { cause: text })
  }
  throw new Failure('store-unavailable', `The store answered with ${status}.`, { cause: text })
}

/** What the store wrote without our bookkeeping, in the spelling of our lines. */
function publicLines(text: string): string {
  const kept = [...linesOf(text)].filter((line) => !line.startsWith(reserved, line.indexOf(' ')))
  return kept.map((line) => `${unhidden(line)}\n`).join('')
}

/** A term as the standard names it, with the datatype that we have hidden from the store. */
function ownTerm(term: JsonTerm): JsonTerm {
  if (term.type !== 'typed-literal' && !term.datatype?.startsWith(opaque)) return term
  const datatype = term.datatype?.replace(opaque, '')
  return { ...term, type: 'literal', ...(datatype !== undefined && { datatype }) }
}

function ownResults(results: Results): Results {
  if ('boolean' in results) return results
  const { variables, solutions } = results
  const own = solutions.map((solution) =>
    Object.fromEntries(Object.entries(solution).map(([name, term]) => [name, ownTerm(term)])),
  )
  return { variables, solutions: own }
}

/** The store as the engine of public queries. */
export function publicEngine(settings: Settings): PublicEngine {
  const { endpoint, dialect, rows } = settings
  const { respelt = (text: string) => text } = dialect
  return {
    rows,
    // The parser has taken the name as an IRI, so it has nothing that could end one.
    exists: (graph) => endpoint.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`),
    solutions: async (query, bytes) => {
      const accept = 'application/sparql-results+json'
      const { text, names } = asciiQuery(query)
      const answer = await answerTo({ ...query, text }, { accept, bytes }, settings)
      return withQueryNames(ownResults(resultsOf(answer)), names)
    },
    triples: async (query, bytes) => {
      const accept = 'application/n-triples'
      const asked = { ...query, text: asciiQuery(query).text }
      return publicLines(respelt(await answerTo(asked, { accept, bytes }, settings)))
    },
  }
}
