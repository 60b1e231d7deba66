/** A SPARQL endpoint over a store in memory, with the habits of public ones: row limits, told of or not. */

import { Store } from 'oxigraph'
import { portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type SparqlRecord = { readonly id: string; readonly title: string }

export type SparqlPortalOptions = {
  /** Most triples of a CONSTRUCT and rows of a SELECT; the rest is left out. */
  readonly rowLimit?: number
  /** How the endpoint says that it left something out. */
  readonly telling?: 'status' | 'header' | 'nothing'
}

export type SparqlPortal = Portal & {
  readonly address: string
  show(records: readonly SparqlRecord[]): void
  /** Turtle in place of records. */
  load(turtle: string, graph?: string): void
  /** What counting the datasets answers; the truth when undefined. */
  declare(total: (() => number) | undefined): void
  /** Queries in the order in which they came. */
  queries(): readonly string[]
}

const ofDataset = (id: string) => `https://data.city.example/set/${id}`

const turtleOf = (records: readonly SparqlRecord[]) =>
  `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
   @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
   ${records
     .map(
       ({ id, title }) => `<https://data.city.example/> dcat:dataset <${ofDataset(id)}> .
        <${ofDataset(id)}> a dcat:Dataset ; dct:title ${JSON.stringify(title)}@en ;
        dcat:contactPoint [ a vcard:Kind ; vcard:hasEmail <mailto:${id}@city.example> ] ;
        dcat:distribution <${ofDataset(id)}/csv> .
        <${ofDataset(id)}/csv> a dcat:Distribution ; dcat:accessURL <https://data.city.example/${id}.csv> .`,
     )
     .join('\n')}`

export async function sparqlPortal(
  records: readonly SparqlRecord[],
  options: SparqlPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<SparqlPortal> {
  let store = new Store()
  let declared: (() => number) | undefined
  const asked: string[] = []
  const load = (turtle: string, graph?: string) =>
    store.load(turtle, { format: 'text/turtle', ...(graph && { to_graph_name: namedNode(graph) }) })
  load(turtleOf(records))
  const site = await portal(async (request) => {
    const form = new URLSearchParams(await request.text())
    const query = new URL(request.url).searchParams.get('query') ?? form.get('query') ?? ''
    asked.push(query)
    if (declared && isCount(query)) return solutions(countRow(declared()), {})
    return answer(store, query, options)
  }, rules)
  return {
    ...site,
    address: `${site.url}/sparql`,
    show: (shown) => {
      store = new Store()
      load(turtleOf(shown))
    },
    load,
    declare: (total) => {
      declared = total
    },
    queries: () => asked,
  }
}

const namedNode = (iri: string) => ({ termType: 'NamedNode', value: iri }) as never
const isCount = (query: string) => /COUNT\(DISTINCT \?dataset/.test(query) && !/isBlank/.test(query)

const countRow = (count: number) =>
  JSON.stringify({
    head: { vars: ['count'] },
    results: { bindings: [{ count: { type: 'literal', value: String(count) } }] },
  })

const solutions = (body: string, headers: Readonly<Record<string, string>>, status = 200) =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'application/sparql-results+json', ...headers },
  })

type Results = { readonly results?: { bindings: unknown[] } }

function answer(store: Store, query: string, options: SparqlPortalOptions): Response {
  const { rowLimit = Infinity, telling = 'nothing' } = options
  const isGraph = /^\s*(?:#.*\n|PREFIX[^\n]*\n)*\s*(?:CONSTRUCT|DESCRIBE)/i.test(query)
  const format = { results_format: isGraph ? 'application/n-triples' : 'json' }
  const text = store.query(query, format) as string
  const lines = text.split('\n')
  const results: Results = isGraph ? {} : JSON.parse(text)
  const count = isGraph ? lines.length - 1 : (results.results?.bindings.length ?? 0)
  const isCut = count > rowLimit
  const status = isCut && telling === 'status' ? 206 : 200
  const headers: Record<string, string> =
    isCut && telling === 'header' ? { 'X-SPARQL-MaxRows': String(rowLimit) } : {}
  if (isGraph) {
    const body = isCut ? `${lines.slice(0, rowLimit).join('\n')}\n` : text
    return new Response(body, {
      status,
      headers: { 'Content-Type': 'application/n-triples', ...headers },
    })
  }
  if (isCut) results.results?.bindings.splice(rowLimit)
  return solutions(JSON.stringify(results), headers, status)
}
