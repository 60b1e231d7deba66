/** Projecting the members of a catalogue again, over a real store that changes meanwhile. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { type Affected, cascades, catalogueMembers } from '../../../src/projector/cascades.ts'
import { readCascades } from '../../../src/projector/queue.ts'
import { systemGraph } from '../../../src/rdf/namespaces.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { factLine, type Mark, markLine, systemChange } from '../../../src/store/marks.ts'
import { openJobs } from '../../jobs/open.ts'

const log = logger('silent')
const catalogue = 'urn:x:catalogue'
const link = (n: number) =>
  `<${catalogue}> <http://www.w3.org/ns/dcat#dataset> <urn:x:d${String(n).padStart(4, '0')}> .`
const numbers = Array.from({ length: 450 }, (_, n) => n)

let directory: string
let store: GraphStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  store = await embeddedStore({ directory, log })
  await store.write([
    { graph: catalogue, add: numbers.map(link) },
    systemChange({ add: [markLine('cascade', { resource: catalogue, version: 1 })] }),
  ])
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

const left = async () => (await readCascades(store, 10, AbortSignal.timeout(5000))).length
// Others get their turn: a loop over a store that is closed would hold the thread for ever.
const affected = async ({ resource }: Mark, signal: AbortSignal): Promise<Affected> => ({
  pages: catalogueMembers(store, resource, signal),
})
const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a cascade', () => {
  it('reaches every member that is still there, although others are deleted meanwhile', async () => {
    const { jobs } = openJobs()
    const seen = new Set<string>()
    let deleted: Promise<unknown> | undefined
    const projector = {
      projectAgain: async (resource: string) => {
        seen.add(resource)
        deleted ??= store.write([{ graph: catalogue, remove: numbers.slice(0, 150).map(link) }])
        await deleted
      },
    }
    const cascading = cascades({ store, projector, jobs, log, affected, pause })
    await expect.poll(left).toBe(0)
    await cascading.stop()
    expect(numbers.filter((n) => !seen.has(`urn:x:d${String(n).padStart(4, '0')}`))).toEqual([])
  })

  it('goes on where a full projector or a failing store stopped it', async () => {
    const { jobs, clock } = openJobs()
    const seen = new Set<string>()
    let room = 0
    let failures = 1
    const projector = {
      projectAgain: (resource: string) => {
        if (room-- <= 0) return undefined
        seen.add(resource)
        return Promise.resolve()
      },
    }
    const failing: typeof affected = (...given) =>
      failures-- > 0 ? Promise.reject(new Error('away')) : affected(...given)
    const refill = () => {
      room = 77
      return pause()
    }
    const cascading = cascades({ store, projector, jobs, log, affected: failing, pause: refill })
    await expect
      .poll(() => {
        clock.forward(1000)
        return left()
      })
      .toBe(0)
    await cascading.stop()
    expect(seen.size).toBe(450)
  })

  it('is a job with its progress, one for all marks of a resource, which goes to its end', async () => {
    const { jobs } = openJobs()
    const projector = { projectAgain: () => Promise.resolve() }
    await store.write([
      systemChange({ add: [markLine('cascade', { resource: catalogue, version: 2 })] }),
    ])
    const cascading = cascades({ store, projector, jobs, log, affected, pause })
    await expect.poll(left).toBe(0)
    const ended = () => jobs.list({ state: 'done', limit: 9, offset: 0 })
    await expect.poll(() => ended().length).toBe(1)
    const [job] = ended()
    const key = `users of ${catalogue}`
    expect(job).toMatchObject({ kind: 'project-again', key, progress: { done: 900 } })
    const { id } = jobs.submit({ kind: 'project-again', key, payload: catalogue, createdBy: 'x' })
    expect(() => jobs.cancel(id)).toThrow('cannot be cancelled')
    await cascading.stop()
  })

  it('that a crash interrupted is found in the store by the next start', async () => {
    const never = { projectAgain: () => new Promise<void>(() => undefined) }
    const first = openJobs()
    const stuck = cascades({ store, projector: never, jobs: first.jobs, log, affected, pause })
    await expect.poll(() => first.jobs.counts().running).toBe(1)
    await stuck.stop()
    await first.stop()
    expect(await left()).toBe(1)
    const { jobs } = openJobs({ path: first.path })
    const projector = { projectAgain: () => Promise.resolve() }
    const cascading = cascades({ store, projector, jobs, log, affected, pause })
    await expect.poll(left).toBe(0)
    await expect
      .poll(() => jobs.list({ limit: 9, offset: 0 }))
      .toMatchObject([{ state: 'done', attempts: 2 }])
    await cascading.stop()
  })

  it('that comes later is found when it is told of', async () => {
    const { jobs } = openJobs()
    const projector = { projectAgain: () => Promise.resolve() }
    const cascading = cascades({ store, projector, jobs, log, affected, pause })
    await expect.poll(left).toBe(0)
    await store.write([
      systemChange({ add: [markLine('cascade', { resource: catalogue, version: 2 })] }),
    ])
    cascading.wake()
    await expect.poll(left).toBe(0)
    await cascading.stop()
  })

  it('takes the facts that were kept for it along with its mark, and ends at once when it is stopped', async () => {
    const kept = factLine(catalogue, 'changed', 'something')
    await store.write([systemChange({ add: [kept] })])
    const nobody = async function* () {
      yield []
    }
    const noting = async () => ({ pages: nobody(), lines: [kept] })
    const never = { projectAgain: () => new Promise<void>(() => undefined) }
    const stuck = cascades({ store, projector: never, jobs: openJobs().jobs, log, affected, pause })
    await stuck.stop()
    expect(await left()).toBe(1)
    const cascading = cascades({
      store,
      projector: never,
      jobs: openJobs().jobs,
      log,
      affected: noting,
      pause,
    })
    await expect.poll(left).toBe(0)
    await cascading.stop()
    expect(await store.read(systemGraph, {})).toBeUndefined()
  })
})
