/** Public queries on a remote store: through the gate, guarded, bounded in time, rows and bytes. */

import { Failure } from '../../../errors.ts'
import { fromLines } from '../../../rdf/lines.ts'
import { formatOfMediaType } from '../../../rdf/media-types.ts'
import { ctl } from '../../../rdf/namespaces.ts'
import { serialise } from '../../../rdf/serialise.ts'
import type { PublicAnswer } from '../../graph-store.ts'
import { cutAnswer, distinct } from '../../public/cut.ts'
import { admit, type Admitted } from '../../public/gate.ts'
import type { PublicJob } from '../../public/door.ts'
import type { Dialect, Door } from '../dialect.ts'
import { linesOf } from '../spelling-notes.ts'
import { shown } from '../values.ts'
import { guardedQuery } from './guarding.ts'
import { answerOf, written } from './solutions.ts'

type Settings = {
  readonly dialect: Dialect
  readonly door: Door
  /** Running time of one query in ms. */
  readonly ms: number
  /** Rows after which the store cuts an answer without saying so, where it does. */
  readonly rows: number | undefined
}

const triples = 'application/n-triples'
const solutionsJson = 'application/sparql-results+json'
const reserved = `> <${ctl('').value}`

async function checkGraphs({ named }: Admitted, door: Door): Promise<void> {
  for (const graph of new Set(named)) {
    // The parser has taken the name as an IRI, so it has nothing that could end one.
    if (await door.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)) continue
    throw new Failure('malformed-query', 'The query names a graph that is not public.')
  }
}

type Asked = Pick<Admitted, 'text' | 'graph' | 'union' | 'defaultGraphs' | 'namedGraphs'>

async function asked(admitted: Asked, bytes: number, settings: Settings): Promise<string> {
  const { dialect, door, ms } = settings
  const { text: own, graph, union, defaultGraphs, namedGraphs } = admitted
  const query = guardedQuery(own, { ...dialect, chosen: !union })
  const form = new URLSearchParams({ query, ...dialect.deadline?.(ms) })
  for (const iri of defaultGraphs) form.append('default-graph-uri', iri)
  for (const iri of namedGraphs) form.append('named-graph-uri', iri)
  const { status, text } = await door.send({
    url: door.queryEndpoint,
    method: 'POST',
    headers: {
      accept: graph ? triples : solutionsJson,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    idempotent: true,
    // Formats differ in length: what is too long is cut later, what is far too long is refused here.
    limits: { totalMs: ms, bytes: bytes * 4 + 2 ** 20 },
  })
  const isCut = dialect.gaveUp?.(text) ?? false
  if (status < 300 && !isCut) return text
  if (status === 400) {
    throw new Failure('malformed-query', 'The query was refused by the store.', { cause: text })
  }
  if (isCut || status === 503 || status === 504) {
    throw new Failure('time-limit', `A query may run ${ms} ms (sparqlMs).`, { cause: text })
  }
  throw new Failure('store-unavailable', `The store answered with ${status}.`, { cause: text })
}

/** What the store wrote without our bookkeeping, in the spelling of our lines, each line once. */
function publicLines(text: string): string {
  const kept = [...linesOf(text)].filter((line) => {
    const predicate = line.indexOf('> ')
    return !line.startsWith(reserved, predicate)
  })
  return distinct(kept.map((line) => `${shown(line)}\n`).join(''))
}

async function solutions(count: string, admitted: Admitted, settings: Settings): Promise<number> {
  const text = await asked({ ...admitted, text: count, graph: false }, 1024, settings)
  const found = answerOf(text)
  return 'boolean' in found ? 0 : Number(found.solutions[0]?.['n']?.value)
}

async function graphAnswer(admitted: Admitted, job: PublicJob, settings: Settings) {
  const { mediaType, count } = admitted
  const { respelt = (one: string) => one } = settings.dialect
  const cutOf = async (text: string) =>
    cutAnswer(
      publicLines(respelt(await asked({ ...admitted, text }, job.bytes, settings))),
      triples,
      job,
    )
  let { body, cut } = await cutOf(admitted.text)
  if (!cut && count !== undefined) {
    const found = await solutions(count, admitted, settings)
    // Many solutions gave few triples: the whole is asked for, unless the store would cut that in silence.
    if (found > (settings.rows ?? Infinity)) cut = true
    else if (found > job.rows) ({ body, cut } = await cutOf(job.request.query))
  }
  const format = formatOfMediaType(mediaType) ?? 'turtle'
  const out = mediaType === triples ? body : await serialise(fromLines(body), format)
  return { mediaType, body: out, cut }
}

/** Runs a public query that the door has let in. */
export function publicRun(settings: Settings): (job: PublicJob) => Promise<PublicAnswer> {
  return async (given) => {
    const job = { ...given, rows: Math.min(given.rows, (settings.rows ?? Infinity) - 1) }
    const admitted = admit(job.request, job.rows)
    await checkGraphs(admitted, settings.door)
    if (admitted.graph) return graphAnswer(admitted, job, settings)
    const { mediaType } = admitted
    const text = await asked(admitted, job.bytes, settings)
    return { mediaType, ...written(answerOf(text), mediaType, job) }
  }
}
