/** Pages of real lists: put one behind the other they are the list. */

import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
const ids = fc.sample(fc.uuid(), { numRuns: 60, seed: 7 })

beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('many')
  for (const id of ids) await repo.putDataset('many', id, `${prefixes}<> a dcat:Dataset .`)
})
afterAll(() => repo.close())

const values = fc.constantFrom('uriRefs', 'identifiers', 'originalIds')

it('pages of any size, followed by their next links, make up the whole list in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 70 }), values, async (limit, valueType) => {
      const found: string[] = []
      let path: string | undefined =
        `/catalogues/many/datasets?valueType=${valueType}&limit=${limit}`
      while (path !== undefined) {
        const answer = await repo.ask(path)
        found.push(...((await answer.json()) as string[]))
        const next = /<[^>]*\/api\/hub\/repo([^>]*)>; rel="next"/.exec(
          answer.headers.get('Link') ?? '',
        )
        path = next?.[1]
      }
      expect(found.map((value) => value.split('/').at(-1))).toEqual([...ids].sort())
    }),
    { numRuns: 25 },
  )
})
