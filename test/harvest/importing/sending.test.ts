/** An import against a server that is busy, breaks off, says no, or is not there. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { importDump } from '../../../src/harvest/importing/dump.ts'
import { doubleKey, type DoubleOptions } from '../../support/repository-double.ts'
import { openRepository, quickClock, sourceOf, turtle } from './builders.ts'

const text = (count: number) => {
  const datasets = Array.from({ length: count }, (_, n) => `ex:d${n} a dcat:Dataset .`)
  return turtle(`ex:k a dcat:Catalog ; dct:identifier "k" . ${datasets.join('\n')}`)
}

async function bring(count: number, options: DoubleOptions, more: { key?: string } = {}) {
  const double = await openRepository(options)
  const clock = quickClock()
  const stop = new AbortController()
  const settings = { service: double.service, key: more.key ?? doubleKey, clock }
  const summary = importDump(sourceOf(text(count)), settings, stop.signal)
  return { double, clock, stop, summary }
}

describe('a server in trouble', () => {
  it('is asked again after 503, no sooner than it wishes', async () => {
    const { clock, summary } = await bring(1, {
      mischief: (put, attempt) =>
        put.originalId !== undefined && attempt === 1
          ? { status: 503, retryAfter: '3' }
          : undefined,
    })
    expect(await summary).toMatchObject({ created: 1, failed: 0 })
    expect(clock.pauses).toEqual([3000])
  })

  it('is asked again after 429 and broken connections, each time later', async () => {
    const { clock, summary } = await bring(1, {
      mischief: (put, attempt) => {
        if (put.originalId === undefined || attempt > 3) return undefined
        return attempt === 2 ? { status: 429 } : 'reset'
      },
    })
    expect(await summary).toMatchObject({ created: 1, failed: 0 })
    expect(clock.pauses).toEqual([1000, 2000, 4000])
  })

  it('that stays busy costs the one dataset, with its reason', async () => {
    const { summary } = await bring(3, {
      mischief: (put) =>
        put.originalId?.endsWith('d1') === true ? { status: 503, retryAfter: '99999' } : undefined,
    })
    const { created, failed, failures: losses } = await summary
    expect({ created, failed }).toEqual({ created: 2, failed: 1 })
    expect(losses[0]!.reason).toBe('HTTP 503')
  })

  it('that is gone ends the import, and says how much is missing', async () => {
    const { summary } = await bring(50, {
      mischief: (put) => (put.originalId === undefined ? undefined : 'reset'),
    })
    const { endReason: ended, unsent, created } = await summary
    expect(ended).toMatch(/cannot be reached/)
    expect({ unsent, created }).toEqual({ unsent: 50, created: 0 })
  })

  it('that is gone leaves unsent what would have been sent, not mere references', async () => {
    const { service } = await openRepository({
      mischief: (put) => (put.originalId === undefined ? undefined : 'reset'),
    })
    const document = turtle(
      `ex:k a dcat:Catalog ; dct:identifier "k" ; dcat:dataset ex:d . ex:d a dcat:Dataset .
      ex:reference a dcat:Dataset .`,
    )
    const settings = { service, key: doubleKey, clock: quickClock() }
    const summary = await importDump(sourceOf(document), settings, AbortSignal.timeout(30_000))
    expect(summary.unsent).toBe(1)
  })

  it('that does not know the key ends the import at once', async () => {
    const { double, summary } = await bring(5, {}, { key: 'wrong' })
    expect((await summary).endReason).toContain('does not know the key')
    expect(double.puts).toEqual([])
  })

  it('that takes the permission away ends the import, also for requests without an answer', async () => {
    const { summary } = await bring(20, {
      mischief: (put) => {
        if (put.originalId === undefined) return undefined
        return put.originalId.endsWith('d7') ? { status: 403 } : 'silence'
      },
    })
    const { endReason: ended, unsent } = await summary
    expect(ended).toContain('does not let the key write')
    expect(unsent).toBe(20)
  })

  it('that redirects is not followed: neither records nor key go elsewhere', async () => {
    const elsewhere = await openRepository()
    const server = createServer((_, response) => {
      response.writeHead(307, { Location: `${elsewhere.service}/catalogues/k` }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const settings = { service: `http://127.0.0.1:${port}`, key: doubleKey, clock: quickClock() }
    const { endReason: ended } = await importDump(
      sourceOf(text(2)),
      settings,
      new AbortController().signal,
    )
    server.close()
    expect(ended).toBe('catalogue k: HTTP 307')
    expect(elsewhere.puts).toEqual([])
  })

  it('that refuses the catalogue ends the import before a dataset is sent', async () => {
    const problem = { type: 'urn:cartulary:problem:invalid-content', detail: 'no title' }
    const { double, summary } = await bring(5, { mischief: () => ({ status: 422, problem }) })
    expect((await summary).endReason).toBe('catalogue k: invalid-content: no title')
    expect(double.puts).toHaveLength(1)
  })

  it('is asked eight things at once, and never more', async () => {
    const eight = Promise.withResolvers<undefined>()
    let arrived = 0
    const { double, summary } = await bring(100, {
      mischief: (put) => {
        if (put.originalId === undefined) return undefined
        arrived += 1
        if (arrived === 8) eight.resolve(undefined)
        return eight.promise
      },
    })
    expect(await summary).toMatchObject({ created: 100 })
    expect(double.most()).toBe(8)
  })

  it('that stays silent can be left by a signal, and the count is right', async () => {
    const { double, stop, summary } = await bring(40, {
      mischief: (put) => (put.originalId?.endsWith('0') === true ? 'silence' : undefined),
    })
    while (double.puts.filter((put) => put.originalId?.endsWith('0') === true).length < 4)
      await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    const { created, failed, unsent, endReason: ended } = await summary
    expect(ended).toBe('interrupted')
    expect(failed).toBe(0)
    expect(created + unsent).toBe(40)
    expect(unsent).toBeGreaterThanOrEqual(4)
  })
})
