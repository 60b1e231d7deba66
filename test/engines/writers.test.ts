/** Two gateways on one store: one of them writes, the other waits, and nothing is ever a mixture of both. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseContract } from '../contracts/store-lease.ts'
import {
  client,
  eventually,
  gateway,
  remove as removeDirectory,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { freePort, type Engine } from '../support/engines/engine.ts'
import { prefixes } from '../support/repository.ts'
import { fresh, isMissing, settingsFor, stores } from './stores.ts'

/** 1,000 were measured on Virtuoso (decision 0034). */
const rounds = Number(process.env['LEASE_ROUNDS'] ?? 20)
/** Of two requests at once. */
const requestRounds = Number(process.env['REQUEST_ROUNDS'] ?? 30)

describe.each(stores)('%s', (name) => {
  describe.skipIf(isMissing(name))('and the lease on it', () => {
    let engine: Engine
    beforeAll(async () => {
      engine = await fresh(name)
    })
    afterAll(() => engine.stop())
    leaseContract(() => engine.config, rounds)
  })
})

const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://files.example/${title}> ] .`

describe.skipIf(isMissing('fuseki'))('two gateways with data directories of their own', () => {
  let engine: Engine
  let directories: string[]
  let first: Gateway
  let second: Promise<Gateway>
  let port: number
  beforeAll(async () => {
    engine = await fresh('fuseki')
    directories = [await temporaryDirectory(), await temporaryDirectory()]
    first = await gateway(directories[0]!, settingsFor(engine.config))
    port = await freePort()
    const env = { ...settingsFor(engine.config), PLATFORM_PORT: String(port) }
    await writeFile(join(directories[1]!, 'api-key'), first.key, { mode: 0o600 })
    second = gateway(directories[1]!, env, undefined, ['--adopt'])
    second.catch(() => undefined)
  })
  afterAll(async () => {
    await first.kill()
    await (await second).stop()
    await engine.stop()
    await Promise.all(directories.map(removeDirectory))
  })

  const apis = () => [first, { url: `http://127.0.0.1:${port}`, key: first.key }].map(client)
  const health = async (url: string) => (await fetch(`${url}/health`)).json()

  it('are one that writes and one that says for whom it waits', async () => {
    const waits = async () => {
      const state = await health(`http://127.0.0.1:${port}`).catch(() => ({}))
      return Object(state).waitingFor?.what === 'lease'
    }
    expect(await eventually(waits)).toBe(true)
    expect(await health(`http://127.0.0.1:${port}`)).toMatchObject({
      status: 'waiting',
      waitingFor: { what: 'lease', detail: expect.stringContaining(String(first.process.pid)) },
    })
    expect(await health(first.url)).toMatchObject({
      status: 'up',
      store: { lease: { held: true } },
    })
  })

  it(`never both change what both have read, nor make one IRI twice, in ${requestRounds} rounds`, async () => {
    const [one, other] = apis()
    await one!.put('/catalogues/c1', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
    await one!.put('/catalogues/c2', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
    await one!.putDataset('c1', 'both', dataset('start'))
    for (let round = 0; round < requestRounds; round += 1) {
      const read = await fetch(`${one!.repo}/datasets/both.nt`)
      const headers = { 'If-Match': read.headers.get('ETag') ?? '' }
      const changed = await Promise.all([
        one!.putDataset('c1', 'both', dataset(`a${round}`), headers),
        other!.putDataset('c1', 'both', dataset(`b${round}`), headers),
      ])
      expect(changed.map(({ status }) => status)).toEqual([204, 503])
      const made = await Promise.all([
        one!.putDataset('c1', `new-${round}`, dataset('one')),
        other!.putDataset('c2', `new-${round}`, dataset('two')),
      ])
      expect(made.map(({ status }) => status)).toEqual([201, 503])
      const text = await (await fetch(`${one!.repo}/datasets/both.nt`)).text()
      expect(text.match(/terms\/title> "[^"]*"/g)).toEqual([`terms/title> "a${round}"`])
    }
  })

  /** How many titles of the dataset, statements of its graph and links to it the store has. */
  async function leftOf(id: string): Promise<Record<string, number>> {
    const query = `SELECT ?p ?o WHERE { GRAPH ?g { ?s ?p ?o }
      FILTER(STRENDS(STR(?g), "/${id}") || (STRENDS(STR(?o), "/${id}") && STRENDS(STR(?p), "#dataset"))) }`
    const answer = await fetch(engine.config.queryEndpoint, {
      method: 'POST',
      body: new URLSearchParams({ query }),
      headers: { Accept: 'application/sparql-results+json' },
    })
    type Row = { readonly p: { readonly value: string }; readonly o: { readonly value: string } }
    const { results } = (await answer.json()) as { readonly results: { bindings: Row[] } }
    const those = (end: string) => results.bindings.filter(({ p }) => p.value.endsWith(end)).length
    return {
      all: results.bindings.length,
      titles: those('/terms/title'),
      addresses: those('#accessURL'),
      links: those('#dataset'),
    }
  }

  it(`never leave a rest of what one deletes while the other writes it, in ${requestRounds} rounds`, async () => {
    const [one, other] = apis()
    const headers = { 'X-API-Key': first.key }
    const remove = ({ repo }: { readonly repo: string }) =>
      fetch(`${repo}/catalogues/c1/datasets/origin?originalId=gone`, { method: 'DELETE', headers })
    const put = (to: typeof one, title: string) => to!.putDataset('c1', 'gone', dataset(title))
    for (let round = 0; round < requestRounds; round += 1) {
      expect((await put(one, 'start')).ok).toBe(true)
      const written = await Promise.all([put(one, `a${round}`), remove(other!)])
      expect(written.map(({ status }) => status)).toEqual([204, 503])
      expect(await leftOf('gone')).toMatchObject({ titles: 1, addresses: 1, links: 1 })
      const deleted = await Promise.all([remove(one!), put(other, `b${round}`)])
      expect(deleted.map(({ status }) => status)).toEqual([204, 503])
      expect(await leftOf('gone')).toEqual({ all: 0, titles: 0, addresses: 0, links: 0 })
      expect((await fetch(`${one!.repo}/datasets/gone.nt`)).status).toBe(410)
    }
  })

  it('change places when the one that writes stands still for 20 s, and that one writes no more', async () => {
    first.process.kill('SIGSTOP')
    const next = await second
    const [one, other] = apis()
    expect((await other!.putDataset('c1', 'both', dataset('next'))).status).toBe(204)
    first.process.kill('SIGCONT')
    const refused = await one!.putDataset('c1', 'both', dataset('late'))
    expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([503, true])
    expect((await one!.put('/catalogues/c1', dataset('late'))).status).not.toBe(204)
    expect(await health(first.url)).toMatchObject({ store: { lease: { held: false } } })
    const text = await (await fetch(`${next.url}/api/hub/repo/datasets/both.nt`)).text()
    expect(text.match(/terms\/title> "[^"]*"/g)).toEqual(['terms/title> "next"'])
  })
})
