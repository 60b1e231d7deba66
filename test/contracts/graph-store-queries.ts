/** What every triplestore must do for us, part three: queries, limits, signals and errors. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoreLimits } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { graphName, record } from '../store/graphs.ts'

/** A store whose limits are the given ones; a dialect without a limit takes no notice of it. */
export type OpenLimited = (limits?: Partial<StoreLimits>) => Promise<GraphStore>

const all = (graph: string) => `GRAPH <${graph}> { ?s ?p ?o }`

export function queryContract(dialect: string, open: OpenLimited): void {
  describe(`${dialect}: queries`, () => {
    let store: GraphStore
    const graph = graphName()
    const endless = `SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } }`
    beforeAll(async () => {
      store = await open({ callMs: 1000, answer: 200_000 })
      await store.write([{ graph, content: record(300) }])
    })
    afterAll(() => store.close())

    it('33 answers ASK with true or false', async () => {
      expect(await store.ask(`ASK { ${all(graph)} }`)).toBe(true)
      expect(await store.ask(`ASK { ${all(graphName())} }`)).toBe(false)
    })

    it('34 gives rows with unbound variables, no rows, and rows in which nothing is bound', async () => {
      const one = await store.select(
        `SELECT ?s ?none { ${all(graph)} OPTIONAL { ?s <urn:none> ?none } } LIMIT 1`,
      )
      expect(Object.keys(one[0] ?? {})).toEqual(['s'])
      expect(await store.select(`SELECT * { ${all(graphName())} }`)).toEqual([])
      expect(await store.select('SELECT ?x { VALUES ?x { UNDEF UNDEF } }')).toEqual([{}, {}])
    })

    it('34 gives terms with language and datatype', async () => {
      const [row] = await store.select(
        'SELECT ("a"@de AS ?l) (1 AS ?n) (<urn:x> AS ?i) ("p" AS ?t) {}',
      )
      const terms = Object.values(row ?? {}).map((term) => term.termType)
      expect(terms.sort()).toEqual(['Literal', 'Literal', 'Literal', 'NamedNode'])
      expect(row?.['l']).toMatchObject({ value: 'a', language: 'de' })
      expect(row?.['t']).toMatchObject({ value: 'p', language: '' })
    })

    it('35 constructs nothing from an absent graph', async () => {
      const query = `CONSTRUCT { ?s ?p ?o } WHERE { ${all(graphName())} }`
      expect(await store.construct(query)).toBe('')
    })

    it('37 answers a query of 200 KB', async () => {
      // Few and long: the time that some stores take for a list grows with the square of its length.
      const values = Array.from({ length: 50 }, (_, n) => `"${n}${'x'.repeat(4000)}"`).join(' ')
      expect(await store.ask(`ASK { VALUES ?o { ${values} } ${all(graph)} }`)).toBe(false)
    })

    it('38 ends a slow query at its limit, and the next call works', async () => {
      await expect(store.select(endless)).rejects.toMatchObject({ kind: 'time-limit' })
      await expect(again(() => store.ask(`ASK { ${all(graph)} }`))).resolves.toBe(true)
    })

    it('39 rejects at once when its signal is aborted, and the next call works', async () => {
      const abort = new AbortController()
      const call = store.select(endless, abort.signal)
      setImmediate(() => abort.abort(new Error('left')))
      await expect(call).rejects.toThrow('left')
      await expect(again(() => store.ask(`ASK { ${all(graph)} }`))).resolves.toBe(true)
      await expect(store.read(graph, {}, AbortSignal.abort(new Error('before')))).rejects.toThrow(
        'before',
      )
    })

    it('41 refuses an answer over the byte limit', async () => {
      const query = `SELECT * { ${all(graph)} GRAPH <${graph}> { ?part <urn:test:in> ?deep } } LIMIT 1200`
      // Not the store of the short time limit: here the size decides.
      const patient = await open({ answer: 200_000 })
      // It may be a store of its own.
      await patient.write([{ graph, content: record(300) }])
      await expect(patient.select(query)).rejects.toMatchObject({ kind: 'too-large' })
      await patient.close()
    })

    it('42 says that a query is malformed, and answers the next', async () => {
      await expect(store.select('SELECT * {')).rejects.toMatchObject({ kind: 'malformed-query' })
      await expect(store.construct('CONSTRUCT { ?s ?p ?o')).rejects.toMatchObject({
        kind: 'malformed-query',
      })
      expect(await store.ask(`ASK { ${all(graph)} }`)).toBe(true)
    })

    it('is closed when it is told so', async () => {
      const other = await open()
      await other.close()
      await expect(other.read(graph)).rejects.toMatchObject({ kind: 'store-unavailable' })
      await expect(other.write([{ graph, drop: true }])).rejects.toMatchObject({
        kind: 'store-unavailable',
      })
    })
  })
}

/** A call that may fall into the moment in which the store starts again. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left -= 1) {
    try {
      return await call()
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !/time-limit|unavailable/.test(error.message))
        throw error
    }
  }
}
