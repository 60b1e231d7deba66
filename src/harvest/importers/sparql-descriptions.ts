/** The descriptions of some datasets, in requests that shrink until their answers come whole. */
import { Failure } from '../../errors.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { bracketed } from '../../rdf/lines.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import type { Found } from './found.ts'
import { type RdfDocument, reportDropped } from './rdf-document.ts'
import { records } from './rdf-records.ts'
import { fromGraph, type SparqlEndpoint } from './sparql-endpoint.ts'

/** Endpoints cut answers silently at 10,000 triples; from here on nobody trusts them. */
const manyTriples = 5000
const naming = { precedenceUriRef: false, removePrefix: false }
/** What a smaller request may cure. */
const curable = new Set(['source-truncated', 'source-timeout'])

export type Describing = {
  readonly endpoint: SparqlEndpoint
  readonly graph: string | undefined
  readonly sink: SegmentContext['sink']
  /** The operator's own query for one dataset; the built-in one describes many at once. */
  readonly own?: (dataset: string) => string
}

/** Grows never: what was too much once is too much again. */
export class Portion {
  #size: number
  constructor(size: number) {
    this.#size = size
  }
  get size(): number {
    return this.#size
  }
  halve(): void {
    this.#size = Math.max(1, Math.floor(this.#size / 2))
  }
}

/** A record, or a refusal, for each of the datasets. */
export async function* describe(
  describing: Describing,
  datasets: readonly string[],
  portion: Portion,
): AsyncGenerator<Exclude<Found, { kind: 'end' }>> {
  for (let at = 0; at < datasets.length;) {
    const some = datasets.slice(at, at + portion.size)
    const document = await wholeOf(describing, some)
    if (!document) {
      portion.halve()
      continue
    }
    try {
      reportDropped(describing.sink, document)
      yield* recordsOf(document, some)
    } finally {
      document.close()
    }
    at += some.length
  }
}

/** `undefined`: the answer was cut, or may have been, and fewer datasets can be asked for. */
async function wholeOf(
  describing: Describing,
  some: readonly string[],
): Promise<RdfDocument | undefined> {
  const [only = ''] = some
  const isSingle = some.length === 1
  const document = await describing.endpoint
    .construct(queryFor(describing, some))
    .catch((error: unknown) => {
      if (isSingle || !(error instanceof Failure) || !curable.has(error.kind)) throw error
      return undefined
    })
  if (!document) return undefined
  if (document.triples < manyTriples) return document
  if (isSingle && (await isWhole(describing, document, only))) return document
  document.close()
  if (!isSingle) return undefined
  throw new Failure('source-truncated', `The answer about ${only} was cut by the source.`)
}

function queryFor({ graph, own }: Describing, some: readonly string[]): string {
  const [only] = some
  if (own && only !== undefined) return own(only)
  const dataset = some.map((iri) => namedNode(iri))
  return fromGraph(bind(loadQuery('harvest/dataset-descriptions'), { dataset }), graph)
}

/** Whether the dataset's own statements are as many as the source counts. */
async function isWhole({ endpoint, graph, own }: Describing, document: RdfDocument, iri: string) {
  if (own) return true
  const query = bind(loadQuery('harvest/dataset-size'), { dataset: namedNode(iri) })
  const lines = document.spool.describe({ term: bracketed(iri), graph: '' }).split('\n').length - 1
  return lines >= (await countIn(endpoint, fromGraph(query, graph)))
}

/** The number in the only row of an answer. */
export async function countIn(endpoint: SparqlEndpoint, query: string): Promise<number> {
  const rows = await endpoint.select(query)
  const count = Number(rows[0]?.['count']?.value)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new Failure('source-malformed', 'The source did not answer with a number.')
}

async function* recordsOf(document: RdfDocument, some: readonly string[]) {
  const wanted = new Set(some.map((iri) => bracketed(iri)))
  const missing = new Set(wanted)
  const isWanted = (term: string) => {
    missing.delete(term)
    return wanted.has(term)
  }
  yield* records(document, naming, { isWanted })
  for (const term of missing) {
    const sourceId = term.slice(1, -1)
    const detail = 'The source lists the dataset and does not describe it.'
    yield { kind: 'refused', sourceId, problem: new Failure('item-malformed', detail) } as const
  }
}

/** A key as the built-in queries take it. */
export const keyTerm = (key: string) => literal(key)
