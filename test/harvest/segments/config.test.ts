/** Keys that every importer's config may have: what is wrong with them is told at load, what is right has its effect. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { importerSegment } from '../../../src/harvest/importers/importer.ts'
import { rdfImporter } from '../../../src/harvest/importers/rdf.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { portal } from '../../support/portals/portal.ts'
import { importOf, type Imported } from './import-run.ts'

const run = (config: JsonObject) =>
  importOf({ kind: (deps) => importerSegment(rdfImporter, deps), config })

const problemOf = ({ end }: Imported) => (end?.kind === 'incomplete' ? end.problem : undefined)

const throttled = async (seconds: number) => {
  const made = await portal(
    () => new Response('', { status: 429, headers: { 'Retry-After': String(seconds) } }),
  )
  onTestFinished(() => made.close())
  return made
}

describe('a key of the wrong type', () => {
  it.each([
    ['sendListDelay', 'x'],
    ['sendHash', 'yes'],
    ['outputFormat', 5],
    ['hostConcurrency', 'many'],
    ['hostDelayMs', '200'],
    ['retryAfterMaxMs', 'x'],
    ['attempts', 0],
  ])('is a problem of the pipe: %s', async (key, value) => {
    const address = 'https://data.example/'
    await expect(run({ address, [key]: value })).rejects.toThrow(`"key":"${key}"`)
  })
})

describe('retryAfterMaxMs', () => {
  it('of the config is the longest wait that a source may ask for', async () => {
    const { url, requests } = await throttled(30)
    const found = await run({ address: url, retryAfterMaxMs: 1000 })
    expect([found.problem, requests.length]).toEqual(['source-throttled', 1])
    expect(found.failure?.retryAfter ?? problemOf(found)?.retryAfter).toBe(30)
  })

  it('may be longer, and attempts says how often', async () => {
    const { url, requests } = await throttled(1)
    const found = await run({ address: url, attempts: 2, retryAfterMaxMs: 5000 })
    expect([found.problem, requests.length]).toEqual(['source-throttled', 2])
  })
})
