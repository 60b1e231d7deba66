/** The requests of the bench to the platform: datasets of one run, each under a number. */

import { names as namesOf } from '../../../src/rdf/names.ts'
import { literal, namedNode } from '../../../src/rdf/terms.ts'
import { bind, loadQuery } from '../../../src/store/queries.ts'
import { client, type Gateway } from '../../support/gateway.ts'
import type { Wired } from '../wire.ts'
import { bulkBody, dataset } from './documents.ts'

/** Datasets of one bulk request. */
export const perBulk = 200

/** The base IRI of the platforms of the bench. */
const names = namesOf('http://localhost:8080/')

/** A name, and where the numbers of its bulk datasets begin. */
type Run = { readonly name: string; readonly first: number }

type Ring = { readonly platform: Gateway; readonly pool: readonly string[]; readonly wired: Wired }

/** Every call gets the number of its dataset; `run` keeps those of one run apart from others. */
export function requestsOf({ platform, pool, wired }: Ring, run: Run) {
  const { repo } = client(platform)
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  const datasets = `${repo}/catalogues/bench/datasets`
  const atOnce = { Prefer: 'respond-async' }
  const idOf = (kind: string, n: number) => `${run.name}-${kind}-${n}`
  const put = async (
    id: string,
    body: string,
    { status, more = {} }: { readonly status: number; readonly more?: Record<string, string> },
  ) => {
    const address = `${datasets}/origin?originalId=${id}`
    const got = await wired.send(address, { method: 'PUT', body, headers: { ...headers, ...more } })
    if (got !== status) throw new Error(`PUT: ${got} instead of ${status}`)
  }
  const sent = (n: number) => dataset(pool, n)
  const changed = (n: number) => sent(n).replace(/dct:title "/, 'dct:title "Changed ')
  const stored = async (id: string) => (await wired.ask(`${repo}/datasets/${id}.nt`)).text
  const query = loadQuery('find-few-datasets')

  return {
    putNew: (n: number) => put(idOf('one', n), sent(n), { status: 201, more: atOnce }),
    putChanged: (n: number) => put(idOf('one', n), changed(n), { status: 204, more: atOnce }),
    putUnchanged: (n: number) => put(idOf('one', n), changed(n), { status: 304 }),
    putSearchable: (n: number) => put(idOf('found', n), sent(n), { status: 201 }),
    putBulk: async (n: number) => {
      const body = bulkBody(pool, run.first + n * perBulk, perBulk)
      const answer = await wired.ask(`${datasets}/bulk`, { method: 'PUT', body, headers })
      const created = answer.text.match(/"status":201\b/g)?.length ?? 0
      if (created !== perBulk)
        throw new Error(`bulk: ${answer.status} ${answer.text.slice(0, 300)}`)
    },
    get: async (n: number) => {
      if ((await stored(idOf('one', n))).length < 1000) throw new Error('GET: too little')
    },
    /** The question that a PUT asks the store first. */
    lookUp: (n: number): string =>
      bind(query, {
        catalogue: namedNode(names.catalogue('bench')),
        originalId: [literal(idOf('one', n))],
        taken: [namedNode(names.dataset(idOf('one', n)))],
        linked: [namedNode(names.record(idOf('one', n)))],
        dataset: [
          [namedNode(names.dataset(idOf('one', n))), namedNode(names.record(idOf('one', n)))],
        ],
      }),
    /** What is stored of the first datasets of the pool. */
    samples: async (count: number): Promise<readonly string[]> => {
      const texts: string[] = []
      for (let n = 0; n < count; n += 1) {
        await put(idOf('sample', n), sent(n), { status: 201, more: atOnce })
        texts.push(await stored(idOf('sample', n)))
      }
      return texts
    },
  }
}
