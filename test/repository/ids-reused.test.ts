/** Deleting, putting and restoring in any order: no two datasets ever have one id, and none that lives is lost. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ limits: { writesPerKey: 100 } })
})
afterAll(() => repo.close())

/** Original ids of one normal form, so that all of them want the same platform id. */
const spellings = ['X y', 'x-y', 'x y', 'X/Y'] as const
const homes = ['a', 'b'] as const

type Place = {
  readonly home: (typeof homes)[number]
  readonly spelling: (typeof spellings)[number]
}
type Step = Place & { readonly does: 'put' | 'delete' | 'restore' }

const place = { home: fc.constantFrom(...homes), spelling: fc.constantFrom(...spellings) }
const step: fc.Arbitrary<Step> = fc.record({
  ...place,
  does: fc.constantFrom('put', 'put', 'delete', 'restore'),
})

let runs = 0

/** A world of its own in the one repository: two catalogues, and original ids that nobody else uses. */
async function world() {
  runs += 1
  const run = `run${runs}`
  const catalogue = (home: Place['home']) => `${run}-${home}`
  const originalId = (spelling: string) => `${run} ${spelling}`
  for (const home of homes) await repo.putCatalogue(catalogue(home))
  const put = async ({ home, spelling }: Place, title: string) => {
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "${title}" .`
    const answer = await repo.putDataset(catalogue(home), originalId(spelling), body)
    const iri = answer.headers.get('Location') ?? answer.headers.get('Content-Location')
    return { status: answer.status, id: iri?.split('/').at(-1) ?? '' }
  }
  const remove = async (id: string) =>
    (await repo.ask(`/datasets/${id}`, { method: 'DELETE' })).status
  const restore = async (id: string) =>
    (await repo.ask(`/datasets/${id}/restore`, { method: 'POST' })).status
  const live = async () => {
    const found: { key: string; id: string; title: string | undefined }[] = []
    for (const home of homes) {
      const path = `/catalogues/${catalogue(home)}/datasets?limit=1000&valueType=`
      const ids = (await (await repo.ask(`${path}identifiers`)).json()) as string[]
      const originals = (await (await repo.ask(`${path}originalIds`)).json()) as string[]
      for (const [at, id] of ids.entries()) {
        const text = await (await repo.ask(`/datasets/${id}.nt`)).text()
        const title = /dc\/terms\/title> "([^"]*)"/.exec(text)?.[1]
        found.push({ key: `${home} ${originals[at]?.slice(run.length + 1)}`, id, title })
      }
    }
    return found
  }
  return { put, remove, restore, live }
}

type Dataset = { readonly id: string; readonly title: string }

describe('in any order of PUT, DELETE and restore', () => {
  it('every dataset keeps its id, a deleted one keeps it too, and nobody else gets it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18 }), async (steps) => {
        const { put, remove, restore, live } = await world()
        const alive = new Map<string, Dataset>()
        const dead = new Map<string, Dataset>()
        for (const [n, { does, ...where }] of steps.entries()) {
          const key = `${where.home} ${where.spelling}`
          const known = alive.get(key) ?? dead.get(key)
          if (does === 'put') {
            const { status, id } = await put(where, `v${n}`)
            expect(status).toBe(alive.has(key) ? 204 : 201)
            if (known) expect(id).toBe(known.id)
            else
              expect([...alive.values(), ...dead.values()].map((one) => one.id)).not.toContain(id)
            alive.set(key, { id, title: `v${n}` })
            dead.delete(key)
          } else if (known && does === 'delete') {
            expect(await remove(known.id)).toBe(alive.has(key) ? 204 : 410)
            dead.set(key, known)
            alive.delete(key)
          } else if (known) {
            expect(await restore(known.id)).toBe(dead.has(key) ? 201 : 409)
            alive.set(key, known)
            dead.delete(key)
          }
        }
        const expected = [...alive].map(([key, one]) => ({ key, ...one }))
        expect(new Set(await live())).toEqual(new Set(expected))
      }),
      { numRuns: 12 },
    )
  })

  it('all at once: ids stay different, and every dataset is one that somebody put', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 3 }),
        async (rounds) => {
          const { put, remove, restore, live } = await world()
          const ids = new Set<string>()
          for (const [n, round] of rounds.entries()) {
            const work = round.map(async ({ does, ...where }, at) => {
              if (does === 'put') {
                const { status, id } = await put(
                  where,
                  `${where.home} ${where.spelling} ${n}.${at}`,
                )
                expect([201, 204]).toContain(status)
                ids.add(id)
                return
              }
              const id = [...ids][at % Math.max(1, ids.size)]
              if (id === undefined) return
              const status = await (does === 'delete' ? remove(id) : restore(id))
              expect([201, 204, 404, 409, 410]).toContain(status)
            })
            await Promise.all(work)
          }
          const found = await live()
          expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
          expect(new Set(found.map(({ key }) => key)).size).toBe(found.length)
          for (const { key, title } of found) expect(title?.startsWith(`${key} `)).toBe(true)
          // What does not live can be restored, as long as its id at the origin is not in use.
          for (const id of ids)
            if (!found.some((one) => one.id === id)) expect(await restore(id)).toBe(201)
          expect((await live()).length).toBe(ids.size)
        },
      ),
      { numRuns: 12 },
    )
  })
})
