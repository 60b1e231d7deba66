/** An import into a repository that takes many datasets at once. */

import { describe, expect, it } from 'vitest'
import { importDump, type ImportOptions } from '../../../src/harvest/importing/dump.ts'
import { doubleKey, type DoubleOptions } from '../../support/repository-double.ts'
import { openRepository, quickClock, sourceOf, turtle } from './builders.ts'

const text = (count: number) => {
  const datasets = Array.from(
    { length: count },
    (_, n) => `ex:d${n} a dcat:Dataset ; dct:identifier "D ${n}" ; dct:publisher ex:p .`,
  )
  return turtle(`ex:k a dcat:Catalog ; dct:identifier "k" . ex:p foaf:name "a \\"quoted\\" .\\n name" .
${datasets.join('\n')}`)
}

async function bring(count: number, options: DoubleOptions, more: Partial<ImportOptions> = {}) {
  const double = await openRepository({ bulk: true, ...options })
  const clock = quickClock()
  const settings = { service: double.service, key: doubleKey, clock, ...more }
  const summary = await importDump(sourceOf(text(count)), settings, new AbortController().signal)
  const sizes = double.puts.flatMap(({ many }) => many?.length ?? [])
  const alone = double.puts.flatMap(({ originalId }) => originalId ?? [])
  return { double, clock, summary, sizes, alone }
}

describe('a repository that takes many at once', () => {
  it('gets every dataset once, with the id and the triples that it would have got by itself', async () => {
    const many = await bring(450, {})
    expect(many.summary).toMatchObject({ created: 450, failed: 0, endReason: undefined })
    expect(many.sizes).toEqual([200, 200, 50])
    expect(many.alone).toEqual([])
    const double = await openRepository()
    const settings = { service: double.service, key: doubleKey, clock: quickClock() }
    await importDump(sourceOf(text(450)), settings, new AbortController().signal)
    expect(many.double.datasets).toEqual(double.datasets)
  })

  it('says of each what became of it', async () => {
    const problem = { type: 'urn:cartulary:problem:too-complex', detail: 'too tangled' }
    const refuse = (id: string) => (id === 'D 3' ? { status: 422, problem } : undefined)
    const { summary } = await bring(5, { refuse })
    expect(summary).toMatchObject({ created: 4, failed: 1 })
    expect(summary.failures).toEqual([{ dataset: 'D 3', reason: 'too-complex: too tangled' }])
  })

  it('gets by itself, and again until it is taken, what there was no time for', async () => {
    const refuse = (id: string) => (id === 'D 3' ? { status: 503 } : undefined)
    const { summary, alone } = await bring(5, {
      refuse,
      mischief: ({ originalId }, attempt) =>
        originalId !== undefined && attempt < 3 ? { status: 503 } : undefined,
    })
    expect(summary).toMatchObject({ created: 5, failed: 0 })
    expect(alone).toEqual(['D 3', 'D 3', 'D 3'])
  })

  it('is asked again when it is busy or the connection breaks', async () => {
    const { summary, sizes, clock } = await bring(5, {
      mischief: ({ many }, attempt) => {
        if (!many || attempt > 2) return undefined
        return attempt === 1 ? { status: 429, retryAfter: '2' } : 'reset'
      },
    })
    expect(summary).toMatchObject({ created: 5, failed: 0 })
    expect(sizes).toEqual([5, 5, 5])
    expect(clock.pauses).toEqual([2000, 2000])
  })

  it('gets one by one what it refused as a whole', async () => {
    const { summary, alone } = await bring(3, {
      mischief: ({ many }) => (many ? { status: 413 } : undefined),
    })
    expect(summary).toMatchObject({ created: 3, failed: 0 })
    expect(alone.sort()).toEqual(['D 0', 'D 1', 'D 2'])
  })

  it('that answers for another number of datasets is not believed', async () => {
    const { summary, alone } = await bring(3, { bulk: 'misread' })
    expect(summary).toMatchObject({ unchanged: 3, failed: 0 })
    expect(alone).toHaveLength(3)
  })

  it('that refuses the key ends the import', async () => {
    const { summary } = await bring(3, {
      mischief: ({ many }) => (many ? { status: 403 } : undefined),
    })
    expect(summary.endReason).toContain('does not let the key write')
    expect(summary.unsent).toBe(3)
  })

  it('is never sent more at once than three times two megabytes', async () => {
    const { double, sizes } = await bring(2000, {})
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
    expect(double.most()).toBeLessThanOrEqual(3)
  })
})

describe('a repository that does not', () => {
  it.each([404, 405])('because it answers %i gets them one by one', async (status) => {
    const { summary, sizes, alone } = await bring(30, {
      mischief: ({ many }) => (many ? { status } : undefined),
    })
    expect(summary).toMatchObject({ created: 30, failed: 0, endReason: undefined })
    expect([sizes.length, alone.length]).toEqual([1, 30])
  })
})
