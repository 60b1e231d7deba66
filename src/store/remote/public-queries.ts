/** Runs public queries on a remote store: rewritten, with a time limit, and without the platform's bookkeeping in the answers. */

import { Failure } from '../../errors.ts'
import { ctl } from '../../rdf/namespaces.ts'
import type { PublicEngine } from '../public/public-answer.ts'
import { type CheckedQuery, engineRefusal } from '../public/query-checks.ts'
import { resultsOf, type JsonTerm, type Results } from '../sparql-results.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'
import { guardedQuery } from './guarded-query.ts'
import { linesOf } from './spelling-notes.ts'
import { hiddenDatatype, restoreDatatype } from './spelled-values.ts'
import { asciiQuery, withQueryNames } from './variable-names.ts'

type PublicEngineSettings = {
  readonly dialect: Dialect
  readonly endpoint: StoreEndpoint
  /** Running time of one query in ms. */
  readonly ms: number
  /** Rows from which the store truncates answers silently; `undefined` if it does not. */
  readonly rows: number | undefined
}

const platformPredicate = ` <${ctl('').value}`

async function answerTo(
  query: CheckedQuery,
  { accept, bytes }: { readonly accept: string; readonly bytes: number },
  { dialect, endpoint, ms }: PublicEngineSettings,
): Promise<string> {
  const form = new URLSearchParams({
    query: guardedQuery(query.text, { ...dialect, choosesGraphs: !query.union, base: query.base }),
    ...dialect.deadline?.(ms),
  })
  for (const iri of query.defaultGraphs) form.append('default-graph-uri', iri)
  for (const iri of query.namedGraphs) form.append('named-graph-uri', iri)
  const { status, text } = await endpoint.send({
    url: endpoint.queryEndpoint,
    method: 'POST',
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    isIdempotent: true,
    // Formats differ in length: answers that are too long are truncated later, and refused here far above the limit.
    limits: { totalMs: ms, bytes: bytes * 4 + 2 ** 20 },
  })
  const isCut = dialect.isTimeoutNotice?.(text) ?? false
  if (status < 300 && !isCut) return text
  if (status === 400) throw engineRefusal('store', text)
  if (isCut || status === 503 || status === 504) {
    throw new Failure('time-limit', `A query may run ${ms} ms (sparqlMs).`, { cause: text })
  }
  throw new Failure('store-unavailable', `The store answered with ${status}.`, { cause: text })
}

/** Lines of an answer without the platform's bookkeeping, with their original datatypes. */
function publicLines(text: string): string {
  const publicOnly = [...linesOf(text)].filter(
    (line) => !line.startsWith(platformPredicate, line.indexOf(' ')),
  )
  return publicOnly.map((line) => `${restoreDatatype(line)}\n`).join('')
}

/** Term as the standard writes it, with its original datatype. */
function restoreTerm(term: JsonTerm): JsonTerm {
  if (term.type !== 'typed-literal' && !term.datatype?.startsWith(hiddenDatatype)) return term
  const datatype = term.datatype?.replace(hiddenDatatype, '')
  return { ...term, type: 'literal', ...(datatype !== undefined && { datatype }) }
}

function restoreResults(results: Results): Results {
  if ('boolean' in results) return results
  const { variables, solutions } = results
  const restored = solutions.map((solution) =>
    Object.fromEntries(Object.entries(solution).map(([name, term]) => [name, restoreTerm(term)])),
  )
  return { variables, solutions: restored }
}

/** Engine of public queries on a remote store. */
export function publicEngine(settings: PublicEngineSettings): PublicEngine {
  const { endpoint, dialect, rows } = settings
  const { normalise = (text: string) => text } = dialect
  return {
    rows,
    // The parser has taken the name as an IRI, so it has nothing that could end one.
    exists: (graph) => endpoint.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`),
    solutions: async (query, bytes) => {
      const accept = 'application/sparql-results+json'
      const { text, names } = asciiQuery(query)
      const answer = await answerTo({ ...query, text }, { accept, bytes }, settings)
      return withQueryNames(restoreResults(resultsOf(answer)), names)
    },
    triples: async (query, bytes) => {
      const accept = 'application/n-triples'
      const ascii = { ...query, text: asciiQuery(query).text }
      return publicLines(normalise(await answerTo(ascii, { accept, bytes }, settings)))
    },
  }
}
