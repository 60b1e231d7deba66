/** What a write says of the index, and how long it waits to say it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { WaitUntilIndexed } from '../../src/repository/endpoints/responses.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { base, prefixes, repository, type RepositoryOptions } from '../support/repository.ts'

type Repository = Awaited<ReturnType<typeof repository>>

const opened: Repository[] = []
const open = async (options: RepositoryOptions = {}) => {
  const repo = await repository(options)
  opened.push(repo)
  await repo.putCatalogue('water')
  return repo
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((repo) => repo.close()))
})

const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Levels" .`
const put = (repo: Repository, headers: Record<string, string> = {}) =>
  repo.putDataset('water', 'levels', dataset, { headers })
const told = ({ status, headers }: Response) => [
  status,
  headers.get('Index-Status'),
  headers.get('Preference-Applied'),
]
const hurried = { Prefer: 'respond-async' }

/** An index that never gets there: whoever waits hears of it when the wait is over. */
const never: WaitUntilIndexed = (_, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })

describe('a write that has landed', () => {
  const slow = { settled: never, requestMs: 800 } as const
  const patient = { Prefer: 'wait=1' }

  it('says so when its wait is longer than the time of a request', async () => {
    const repo = await open({ ...slow, limits: { waitMs: 1 } })
    expect(told(await put(repo, patient))).toEqual([201, 'pending', 'wait=1'])
    const path = '/datasets/levels'
    const removed = await repo.ask(path, { method: 'DELETE', headers: patient })
    expect(told(removed)).toEqual([204, 'pending', 'wait=1'])
    const gone = await repo.ask('/catalogues/water', { method: 'DELETE', headers: patient })
    expect(told(gone)).toEqual([204, 'pending', 'wait=1'])
    const back = await repo.ask('/catalogues/water/restore', { method: 'POST', headers: patient })
    expect(told(back)).toEqual([201, 'pending', 'wait=1'])
  })

  it('says so when it landed in the last moment and its client asked for nothing', async () => {
    const late = (store: GraphStore): GraphStore => ({
      ...store,
      writeEach: async (groups, signal) => {
        await sleep(150)
        return store.writeEach(groups, signal)
      },
    })
    const repo = await open({ ...slow, around: late, limits: { waitMs: 1500 } })
    expect(told(await put(repo))).toEqual([201, 'pending', null])
  })
})

describe('the status of the index', () => {
  it('is none for what is in a hidden catalogue, whatever the client prefers', async () => {
    const repo = await open({ index: 'none' })
    expect(told(await put(repo, hurried))).toEqual([201, 'none', 'respond-async'])
    expect(told(await put(repo))).toEqual([304, 'none', null])
    const removed = [
      await repo.ask('/datasets/levels', { method: 'DELETE' }),
      await put(repo).then(() =>
        repo.ask('/catalogues/water/datasets/origin?originalId=levels', {
          method: 'DELETE',
          headers: hurried,
        }),
      ),
    ]
    expect(removed.map(told)).toEqual([
      [204, 'none', null],
      [204, 'none', 'respond-async'],
    ])
  })

  it('is none for what hangs on a dataset of a hidden catalogue too', async () => {
    const repo = await open({ index: 'none' })
    await put(repo)
    const send = (method: string, path: string, body: string) =>
      repo.ask(path, { method, type: 'text/turtle', body, headers: hurried })
    const metrics = `@prefix dqv: <http://www.w3.org/ns/dqv#> . [] a dqv:QualityMeasurement ; dqv:computedOn <${base}set/data/levels> .`
    const distribution = `${prefixes}<> a dcat:Distribution ; dct:title "CSV" .`
    const posted = await send('POST', '/datasets/levels/distributions', distribution)
    const id = posted.headers.get('Location')?.split('/').at(-1) ?? ''
    const answers = [
      posted,
      await repo.ask(`/distributions/${id}`, { method: 'DELETE' }),
      await send('PUT', '/datasets/levels/metrics', metrics),
      await repo.ask('/datasets/levels/metrics', { method: 'DELETE' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 204, 201, 204])
    for (const { headers } of answers) expect(headers.get('Index-Status')).toBe('none')
  })

  it('comes with the preference also when nothing was written', async () => {
    const repo = await open()
    await put(repo)
    expect(told(await put(repo, hurried))).toEqual([304, 'done', 'respond-async'])
    expect(told(await put(repo, { Prefer: 'wait=3' }))).toEqual([304, 'done', 'wait=3'])
  })
})

describe('a writer that waits for another one until its time is over', () => {
  it('gets 503 and is told to come back soon', async () => {
    const gate = Promise.withResolvers<void>()
    const held = (store: GraphStore): GraphStore => ({
      ...store,
      writeEach: async (groups, signal) => {
        const isLevels = groups.flat().some(({ graph }) => graph.endsWith('/levels'))
        if (isLevels) await gate.promise
        return store.writeEach(groups, signal)
      },
    })
    const repo = await open({ around: held, requestMs: 500 })
    const [first, second] = await Promise.all([put(repo), sleep(100).then(() => put(repo))])
    gate.resolve()
    const answers = [first, second].map(({ status, headers }) => [
      status,
      headers.get('Retry-After'),
    ])
    expect(answers).toEqual([
      [503, '5'],
      [503, '1'],
    ])
    expect(await second.json()).toMatchObject({
      type: 'urn:cartulary:problem:time-limit',
      detail: expect.stringContaining('other writes') as string,
    })
  })
})

describe('a catalogue that is restored', () => {
  it('is answered as the client prefers, and its datasets go on coming back', async () => {
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    const held = (store: GraphStore): GraphStore => ({
      ...store,
      writeEach: async (groups, signal) => {
        if (isHeld) await gate.promise
        return store.writeEach(groups, signal)
      },
    })
    const repo = await open({ around: held, limits: { waitMs: 50 } })
    await put(repo)
    const removed = { method: 'DELETE', headers: { Prefer: 'wait=30' } }
    expect((await repo.ask('/catalogues/water', removed)).status).toBe(204)
    isHeld = true
    const restore = (headers: Record<string, string> = {}) =>
      repo.ask('/catalogues/water/restore', { method: 'POST', headers })
    expect(told(await restore(hurried))).toEqual([201, 'pending', 'respond-async'])
    expect(told(await restore())).toEqual([201, 'pending', null])
    expect((await repo.ask('/catalogues/water')).status).toBe(200)
    gate.resolve()
    await expect.poll(async () => (await repo.ask('/datasets/levels')).status).toBe(200)
  })
})
