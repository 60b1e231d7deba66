/** Random requests over random corpora: an engine answers each as the plainest evaluation of it does. */

import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../src/search-index/search-index.ts'
import { compareCodePoints } from '../../src/text/code-points.ts'
import { history, indexNames, languages, remaining, settings } from './reference/corpus.ts'
import { dictionaryOf, expected, facetLine, nameOf, type World } from './reference/evaluator.ts'
import { requestsOver } from './reference/requests.ts'
import { configured, request, type Made } from './search-index-corpus.ts'

/** `DIFFERENTIAL_RUNS` trees in all, a few hundred in each corpus; `FC_SEED` makes others. */
const runs = Number(process.env['DIFFERENTIAL_RUNS'] ?? 300)
const seed = Number(process.env['FC_SEED'] ?? 20_240_501)
const corpora = Math.min(10, Math.ceil(runs / 200))

export function searchIndexDifferential(
  name: string,
  make: () => Promise<Made>,
  words: readonly ('most' | 'all')[] = ['most', 'all'],
): void {
  const seeds = Array.from({ length: corpora }, (_, n) => seed + n)
  describe.each(seeds)(`${name}: with seed %i`, (own) => {
    const [batches = []] = fc.sample(history, { seed: own, numRuns: 1 })
    const documents = remaining(batches)
    const put = batches.flat().flatMap((change) => ('put' in change ? change.put : []))
    const dictionary = dictionaryOf(put, languages)
    let made: Made
    let world: World
    const search = (request: SearchRequest) => made.index.search(request)
    const namesOf = async (request: SearchRequest) => (await search(request)).hits.map(nameOf)
    beforeAll(async () => {
      made = await make()
      world = { settings, languages, documents, dictionary }
      await configured(made.index, settings)
      for (const batch of batches) {
        await made.index.write(batch)
        // Whoever reads has to take what is other in with what is new.
        await made.index.search(request())
      }
    })
    afterAll(() => made.release())

    it('set, count, order and facets are those of the evaluation', async () => {
      await fc.assert(
        fc.asyncProperty(requestsOver(documents, words), async (request) => {
          const answer = await search(request)
          const { ids, isOrdered, ...others } = expected(request, world)
          const found = answer.hits.map(nameOf)
          const facets = (answer.facets ?? []).map(({ id, items }) =>
            facetLine(
              id,
              items.map((item) => `${item.id} ${item.count}`),
            ),
          )
          expect(isOrdered ? found : found.toSorted(compareCodePoints)).toEqual(
            isOrdered ? ids : ids.toSorted(compareCodePoints),
          )
          expect({ count: answer.count, facets }).toEqual(others)
        }),
        { seed: own, numRuns: Math.ceil(runs / corpora) },
      )
    })

    it('pages are pieces of the whole list, and scores never rise along it', async () => {
      const parts = fc.tuple(
        requestsOver(documents, words),
        fc.nat(30),
        fc.integer({ min: 1, max: 9 }),
      )
      await fc.assert(
        fc.asyncProperty(parts, async ([request, offset, limit]) => {
          const whole = await namesOf(request)
          expect(await namesOf({ ...request, offset, limit })).toEqual(
            whole.slice(offset, offset + limit),
          )
          const { hits } = await search({ ...request, order: [], score: true })
          const scores = hits.flatMap(({ score }) => score ?? [])
          expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        }),
        { seed: own, numRuns: Math.ceil(runs / corpora / 5) },
      )
    })

    it('everything that was written is there, as it was written last', async () => {
      for (const index of indexNames) {
        const inside = documents
          .filter((one) => one.index === index)
          .toSorted((a, b) => compareCodePoints(a.id, b.id))
        const entries = await made.index.entries(index, '', 1000)
        expect(entries).toEqual(inside.map(({ id, version, hash }) => ({ id, version, hash })))
        for (const { id, record } of inside) {
          expect(JSON.parse((await made.index.get(index, id)) ?? 'null')).toEqual(record)
        }
        const own = settings.find((one) => one.index === index)
        for (const { id, bands } of own?.facets ?? []) {
          const all = inside.flatMap((one) => one.facets[id] ?? [])
          const count = (value: string) => all.filter((one) => one.id === value).length
          // Bands are all there, as the settings have them.
          const items = bands
            ? bands.map((band) => ({ ...band, count: count(band.id) }))
            : [...new Set(all.map((value) => value.id))].map((value) => ({
                id: value,
                title: `<${value}>`,
                count: count(value),
              }))
          const counted = items.toSorted((a, b) => compareCodePoints(a.id, b.id))
          expect(await made.index.facetValues(index, id)).toEqual(counted)
        }
      }
    })
  })
}
