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

/** What should be there by the contract: one state per dataset, and sentences about whatever the repository did otherwise. */
function ledger() {
  const alive = new Map<string, Dataset>()
  const dead = new Map<string, Dataset>()
  const wrong: string[] = []
  const check = (what: string, found: unknown, right: unknown) => {
    if (found !== right) wrong.push(`${what}: ${String(found)} instead of ${String(right)}`)
  }
  return {
    wrong,
    known: (key: string) => alive.get(key) ?? dead.get(key),
    put: (key: string, title: string, { status, id }: { status: number; id: string }) => {
      check(`PUT ${key}`, status, alive.has(key) ? 204 : 201)
      const before = alive.get(key) ?? dead.get(key)
      if (before) check(`id of ${key}`, id, before.id)
      else if ([...alive.values(), ...dead.values()].some((one) => one.id === id))
        wrong.push(`${key} has the id of another: ${id}`)
      alive.set(key, { id, title })
      dead.delete(key)
    },
    delete: (key: string, known: Dataset, status: number) => {
      check(`DELETE ${key}`, status, alive.has(key) ? 204 : 410)
      dead.set(key, known)
      alive.delete(key)
    },
    restore: (key: string, known: Dataset, status: number) => {
      check(`restore ${key}`, status, dead.has(key) ? 201 : 409)
      alive.set(key, known)
      dead.delete(key)
    },
    expected: () => [...alive].map(([key, one]) => ({ key, ...one })),
  }
}

describe('in any order of PUT, DELETE and restore', () => {
  it('every dataset keeps its id, a deleted one keeps it too, and nobody else gets it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18 }), async (steps) => {
        const { put, remove, restore, live } = await world()
        const book = ledger()
        for (const [n, { does, ...where }] of steps.entries()) {
          const key = `${where.home} ${where.spelling}`
          const known = book.known(key)
          if (does === 'put') book.put(key, `v${n}`, await put(where, `v${n}`))
          else if (known) {
            const { id } = known
            book[does](key, known, await (does === 'delete' ? remove(id) : restore(id)))
          }
        }
        expect(book.wrong).toEqual([])
        expect(new Set(await live())).toEqual(new Set(book.expected()))
      }),
      { numRuns: 12 },
    )
  })

  it('all at once: ids stay different, and every dataset is one that somebody put', async () => {
    const rounds = fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const { put, remove, restore, live } = await world()
        const ids = new Set<string>()
        const statuses = new Set<number>()
        const perform = async ({ does, ...where }: Step, name: string, at: number) => {
          const key = `${where.home} ${where.spelling}`
          const id = [...ids][at % Math.max(1, ids.size)]
          if (does === 'put') {
            const answer = await put(where, `${key} ${name}`)
            ids.add(answer.id)
            statuses.add(answer.status)
          } else if (id !== undefined) {
            statuses.add(await (does === 'delete' ? remove(id) : restore(id)))
          }
        }
        for (const [n, round] of all.entries())
          await Promise.all(round.map((one, at) => perform(one, `${n}.${at}`, at)))
        const found = await live()
        expect([...statuses.difference(new Set([201, 204, 409, 410]))]).toEqual([])
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length)
        expect(found.filter(({ key, title }) => !title?.startsWith(`${key} `))).toEqual([])
        const gone = [...ids].filter((id) => !found.some((one) => one.id === id))
        const answers = await Promise.all(gone.map((id) => restore(id)))
        expect(answers.filter((status) => status !== 201)).toEqual([])
        expect((await live()).length).toBe(ids.size)
      }),
      { numRuns: 12 },
    )
  })
})
