/** What every importer does when its source works and when it does not; a new importer is a portal and one line. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ImporterDeps } from '../../src/harvest/importers/importer.ts'
import type { JsonObject } from '../../src/text/json.ts'
import type { SegmentKind } from '../../src/pipe/segment.ts'
import type { Fault } from '../support/portals/faults.ts'
import type { Portal } from '../support/portals/portal.ts'
import { importOf, type Imported, type Run } from '../harvest/segments/import-run.ts'

type ContractRecord = { readonly id: string; readonly title: string }

/** A platform with a portal that serves pages of two records. */
export type ImporterScene = {
  readonly portal: Portal
  readonly kind: (deps: ImporterDeps) => SegmentKind
  /** Without catalogue. */
  readonly config: JsonObject
  /** What the source offers from now on. */
  readonly show: (records: readonly ContractRecord[]) => void
  /** Whether a request asks for that page of records, the first being 1; a repeated request is the same page. */
  readonly isPage: (request: Request, page: number) => boolean
  /** Lets the source declare a wrong total; absent where it declares none. */
  readonly declare?: (total: (page: number) => number) => void
  /** Answers of status 200 that are errors. */
  readonly envelopes?: readonly Fault[]
  /** Whether pages are asked for by keys, so that records that shift are met once. */
  readonly keyed?: boolean
  /** Whether truncated pages are asked for again in smaller ones, so that no single request is decisive. */
  readonly shrinks?: boolean
  readonly close?: () => Promise<void>
}

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: `Title of ${id}` }))
/** Deadlines that tests can wait for. */
const impatient = { connectMs: 500, firstByteMs: 300, idleMs: 300, pageMs: 600 }

export function describeImporter(name: string, make: () => Promise<ImporterScene>): void {
  describe(`importer ${name}`, () => {
    let scene: ImporterScene
    beforeEach(async () => {
      scene = await make()
      scene.show(five)
    })
    afterEach(async () => {
      await scene.portal.close()
      await scene.close?.()
    })

    const run = (more: Partial<Run> = {}, config: JsonObject = {}) =>
      importOf({ kind: scene.kind, ...more, config: { ...scene.config, ...config } })
    const onPage = (page: number, fault: Fault, times?: number) =>
      scene.portal.faults.when((request) => scene.isPage(request, page), fault, times)
    const titlesOf = (found: Imported) =>
      five.filter(({ title }) => found.records.some(({ text }) => text.includes(title))).length

    it('offers every record once and vouches for the whole', async () => {
      const found = await run()
      expect(found.problem).toBeUndefined()
      expect(found.end?.kind).toBe('complete')
      expect(found.records).toHaveLength(5)
      expect(titlesOf(found)).toBe(5)
      expect(new Set(found.records.map(({ sourceId }) => sourceId)).size).toBe(5)
      expect(found.records.map(({ counter }) => counter)).toEqual([1, 2, 3, 4, 5])
      expect(found.offered).toBe(5)
      expect(found.pages.length).toBeGreaterThan(0)
    })

    it('gives equal hashes for equal records, and another one for a changed record', async () => {
      const first = await run()
      scene.show(five.map((one) => (one.id === 'c' ? { ...one, title: 'Changed' } : one)))
      const hashesOf = (found: Imported) =>
        new Set(found.records.map((record) => record.sourceHash))
      const [before, after] = [hashesOf(first), hashesOf(await run())]
      expect(before.size).toBe(5)
      expect(after.difference(before).size).toBe(1)
    })

    it('says under the same fingerprint that a record is gone', async () => {
      const first = await run()
      scene.show(five.slice(1))
      const second = await run()
      expect(second.records).toHaveLength(4)
      expect(second.end).toMatchObject({ kind: 'complete' })
      const fingerprint = (found: Imported) =>
        found.end?.kind === 'complete' ? found.end.fingerprint : ''
      expect(fingerprint(second)).toBe(fingerprint(first))
    })

    it('vouches for an empty source only as long as nothing is owned', async () => {
      scene.show([])
      for (const some of [{}, { owns: true }]) {
        const found = await run(some)
        expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-empty'])
      }
      const found = await run({ owns: false })
      expect([found.end?.kind, found.problem]).toEqual(['complete', undefined])
    })

    it('reads one record, and exactly one page of records', async () => {
      scene.show(five.slice(0, 1))
      expect((await run()).records).toHaveLength(1)
      scene.show(five.slice(0, 2))
      const found = await run()
      expect([found.records.length, found.end?.kind]).toEqual([2, 'complete'])
    })

    it('asks again after one 500 and is complete', async () => {
      onPage(3, { kind: 'status', status: 500 }, 1)
      expect((await run()).end?.kind).toBe('complete')
    })

    it('is incomplete when a later page fails for ever, and keeps what it has', async () => {
      onPage(3, { kind: 'status', status: 500 })
      const found = await run()
      expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-error'])
      expect(found.records).toHaveLength(4)
    })

    it('waits as long as a busy source asks', async () => {
      onPage(2, { kind: 'status', status: 503, headers: { 'Retry-After': '2' } }, 1)
      expect((await run()).end?.kind).toBe('complete')
    })

    it('comes back later when a busy source asks for too long', async () => {
      onPage(2, { kind: 'status', status: 503, headers: { 'Retry-After': '3600' } })
      const found = await run()
      expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-throttled'])
    })

    it('slows down on 429 and is complete', async () => {
      onPage(2, { kind: 'status', status: 429 }, 1)
      expect((await run()).end?.kind).toBe('complete')
    })

    it('fails on a web page in place of the first page, and is incomplete on a later one', async () => {
      onPage(3, { kind: 'html' })
      const later = await run()
      expect([later.end?.kind, later.problem]).toEqual(['incomplete', 'source-html'])
      scene.portal.faults.clear()
      onPage(1, { kind: 'html' })
      const first = await run()
      expect([first.failure?.kind, first.records.length]).toEqual(['source-html', 0])
    })

    it('takes an error envelope for what it is', async () => {
      for (const envelope of scene.envelopes ?? []) {
        scene.portal.faults.clear()
        onPage(2, envelope)
        const found = await run()
        expect(found.end?.kind).not.toBe('complete')
        expect(found.problem).toMatch(/^source-/)
      }
    })

    it.each(['length', 'chunked'] as const)(
      'asks again for a page that broke off (%s), and is incomplete if it always does',
      async (framing) => {
        onPage(2, { kind: 'truncated', framing }, 1)
        expect((await run()).end?.kind).toBe('complete')
        scene.portal.faults.clear()
        onPage(2, { kind: 'truncated', framing })
        if (scene.shrinks === true) scene.portal.faults.from(4, { kind: 'truncated', framing })
        const found = await run()
        expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-truncated'])
      },
    )

    it('fails at once when the source closes its doors', async () => {
      onPage(2, { kind: 'status', status: 401 })
      const found = await run()
      expect(found.failure?.kind).toBe('source-refused')
      expect(found.requests.filter(({ status }) => status === 401)).toHaveLength(1)
    })

    it.each(['silent', 'stuck', 'head-only', 'drip', 'reset'] as const)(
      'ends in time on a source that is %s',
      async (kind) => {
        onPage(1, kind === 'drip' ? { kind, everyMs: 100 } : { kind })
        const found = await run({ outbound: { deadlines: impatient } }, { attempts: 1 })
        expect(found.end?.kind).not.toBe('complete')
        expect(found.problem).toMatch(/^source-(?:timeout|truncated|unreachable)$/)
        expect(found.records).toEqual([])
      },
    )

    it('stops reading what is endless', async () => {
      onPage(1, { kind: 'endless', chunk: '# '.repeat(8192) })
      const bounds = { maxPageBytes: 100_000, maxDocumentBytes: 100_000 }
      const found = await run({ limits: bounds }, { attempts: 1 })
      expect(found.problem).toMatch(/^(?:too-large|source-malformed)$/)
    })

    it('stops unpacking a bomb', async () => {
      onPage(1, { kind: 'bomb', bytes: 300_000_000 })
      const found = await run({}, { attempts: 1 })
      expect(found.end?.kind).not.toBe('complete')
      expect(found.records).toEqual([])
    })

    it('ends within five requests when pages repeat for ever', async () => {
      // Whatever is asked for, the answer is the first page.
      let first: string | undefined
      const seen = { kind: 'edited', edit: (text: string) => (first ??= text) } as const
      scene.portal.faults.when((request) => !isFirst(request), seen)
      const isFirst = (request: Request) =>
        first === undefined && !scene.isPage(request, 1) && !scene.isPage(request, 2)
      scene.portal.reset()
      const found = await run()
      expect(found.end?.kind).not.toBe('complete')
      expect(scene.portal.requests.length).toBeLessThanOrEqual(7)
    })

    it.each(['too high', 'too low'] as const)(
      'does not vouch for the whole when the declared total is %s',
      async (how) => {
        if (!scene.declare) return
        scene.declare(() => (how === 'too high' ? 6 : 4))
        const found = await run()
        expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'total-mismatch'])
      },
    )

    it('looks again when the total changes, and does not vouch when it goes on changing', async () => {
      if (!scene.declare) return
      let more = 5
      scene.declare(() => (more += 1))
      const found = await run()
      expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'total-changed'])
      expect(found.records).toHaveLength(5)
    })

    it('follows no redirect in a circle, to another scheme or to the metadata of a cloud', async () => {
      const targets = [scene.portal.url, 'file:///etc/passwd', 'http://169.254.169.254/latest/']
      for (const to of targets) {
        scene.portal.faults.clear()
        scene.portal.faults.from(1, { kind: 'redirect', to })
        scene.portal.reset()
        const found = await run({}, { attempts: 1 })
        expect(found.failure?.kind).toMatch(/^(?:address-refused|source-error)$/)
        expect(found.records).toEqual([])
        expect(scene.portal.requests.length).toBeLessThanOrEqual(7)
      }
    })

    it('may not reach an internal address that a foreign pipe names', async () => {
      const found = await run({ place: { trust: 'foreign' } })
      expect(found.failure?.kind).toBe('address-refused')
      expect(scene.portal.requests).toEqual([])
    })

    it('tells its credential to the source alone', async () => {
      const canary = 'canary-4711-canary'
      onPage(2, { kind: 'status', status: 500 })
      const auth = { secret: 'key', header: 'Authorization' }
      const found = await run({ secrets: { key: canary } }, { auth })
      expect(
        scene.portal.requests.some((one) => JSON.stringify(one.headers).includes(canary)),
      ).toBe(true)
      const said = JSON.stringify([found.messages, found.failure?.detail, found.log])
      expect(said).not.toContain(canary)
      expect(scene.portal.requests.some(({ path }) => path.includes(canary))).toBe(false)
    })

    it('refuses a config that names an unknown secret, no address or no catalogue', async () => {
      await expect(run({}, { auth: { secret: 'nobody' } })).rejects.toThrow('auth.secret')
      await expect(run({}, { address: 'file:///etc/passwd' })).rejects.toThrow('address')
      await expect(run({}, { catalogue: 'not an id' })).rejects.toThrow('catalogue')
    })

    it('asks the source nothing when there is no such catalogue', async () => {
      const found = await run({ catalogues: ['elsewhere'] })
      expect(found.failure?.kind).toBe('unknown-catalogue')
      expect(scene.portal.requests).toEqual([])
    })

    it('stops at the limit and does not vouch for the rest', async () => {
      const found = await run({}, { limit: 3 })
      expect([found.records.length, found.end?.kind]).toEqual([3, 'incomplete'])
      expect(found.problem).toBeUndefined()
    })

    it('ends with its signal', async () => {
      const stop = new AbortController()
      const meanwhile = (message: { kind: string }) => {
        if (message.kind === 'record') stop.abort(new Error('enough'))
      }
      await expect(run({ signal: stop.signal, meanwhile })).rejects.toThrow('enough')
    })

    it('asks for no more pages than the exporter has room for', async () => {
      const asked: number[] = []
      await run({
        meanwhile: (message) => {
          if (message.kind === 'record') asked.push(scene.portal.requests.length)
        },
      })
      expect(asked[0]).toBeLessThan(scene.portal.requests.length)
    })

    it('meets every record when records shift between two pages', async () => {
      if (scene.keyed !== true) return
      let pages = 0
      const found = await run({
        meanwhile: (message) => {
          if (message.kind !== 'page') return
          pages += 1
          if (pages === 1) scene.show(five.filter(({ id }) => id !== 'a'))
        },
      })
      expect(titlesOf(found)).toBe(5)
    })
  })
}
