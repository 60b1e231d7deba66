/** Jobs over HTTP: who may see and cancel them, the list, one job, and the deletion of a catalogue among them. */

import { afterEach, beforeEach, expect, it } from 'vitest'
import { repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeEach(async () => {
  repo = await repository({
    keys: { 'a-key-for-reading': ['GET /jobs'], 'a-key-for-one': ['lakes'] },
  })
})
afterEach(() => repo.close())

/** Members of a job or a problem; a list has them by position. */
type Body = readonly Body[] & Readonly<Record<'id' | 'key' | 'state' | 'detail', string>>

const all = { 'X-API-Key': 'a-key-for-everything' }
const ask = async (path: string, method = 'GET', headers: Record<string, string> = all) => {
  const answer = await repo.ask(path, { method, headers })
  const body = (await answer.json()) as Body
  return { status: answer.status, body }
}

it('are for keys with the permission', async () => {
  const status = async (key: string, path = '/jobs', method = 'GET') =>
    (await repo.app.request(path, { method, headers: { 'X-API-Key': key } })).status
  expect((await repo.app.request('/jobs')).status).toBe(401)
  expect(await status('a-key-for-one')).toBe(403)
  expect(await status('a-key-for-one', '/jobs/x', 'DELETE')).toBe(403)
  expect(await status('a-key-for-reading')).toBe(200)
  expect(await status('a-key-for-everything', '/jobs/x')).toBe(404)
})

it('show the deletion of a catalogue, which cannot be cancelled', async () => {
  await repo.putCatalogue('lakes')
  const headers = { Prefer: 'wait=30' }
  expect((await repo.ask('/catalogues/lakes', { method: 'DELETE', headers })).status).toBe(204)
  const { body } = await ask('/jobs?kind=delete-catalogue&state=done')
  const at = expect.stringMatching(/^2026-11-21T10:00:00/)
  const job = {
    id: expect.any(String),
    kind: 'delete-catalogue',
    key: 'catalogue lakes',
    payload: null,
    state: 'done',
    progress: { done: 0, of: 0 },
    runAt: at,
    attempts: 1,
    createdBy: expect.stringMatching(/^[0-9a-f]{8}$/),
    createdAt: at,
    startedAt: at,
    endedAt: at,
  }
  expect(body).toEqual([job])
  expect((await ask(`/jobs/${body[0]?.id}`)).body).toEqual(job)
  const refused = await ask(`/jobs/${body[0]?.id}`, 'DELETE')
  expect([refused.status, refused.body.detail]).toEqual([409, 'the job has ended: it is done'])
})

it('are cancelled at once where they wait, and soon where they run', async () => {
  const request = { kind: 'test', payload: null, createdBy: 'test' }
  const { id } = repo.jobs.submit({ ...request, key: 'a' })
  const cancelled = await ask(`/jobs/${id}`, 'DELETE')
  expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
  const gate = Promise.withResolvers<void>()
  const run = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    await gate.promise
    signal.throwIfAborted()
  }
  repo.jobs.register({ kind: 'test', atOnce: 1, run })
  const running = repo.jobs.submit({ ...request, key: 'b' })
  await expect.poll(() => repo.jobs.get(running.id)?.state).toBe('running')
  const soon = await ask(`/jobs/${running.id}`, 'DELETE')
  expect([soon.status, soon.body.state]).toEqual([202, 'running'])
  gate.resolve()
  await expect.poll(() => repo.jobs.get(running.id)?.state).toBe('cancelled')
})

it('come page by page, and parameters are checked', async () => {
  for (const key of ['a', 'b', 'c'])
    repo.jobs.submit({ kind: 'test', key, payload: null, createdBy: 'test' })
  const { body } = await ask('/jobs?limit=2&offset=1&state=waiting')
  expect(body.map(({ key }) => key)).toEqual(['b', 'a'])
  for (const query of ['state=odd', 'limit=0', 'limit=1001', 'offset=-1'])
    expect((await ask(`/jobs?${query}`)).status).toBe(400)
})

it('delete nothing where the store notes no deletion, such as after an end that was not recorded', async () => {
  await repo.putCatalogue('lakes')
  await repo.putDataset('lakes', 'como', '<> a <http://www.w3.org/ns/dcat#Dataset> .')
  const request = { kind: 'delete-catalogue', payload: null, createdBy: 'test' }
  const { id } = repo.jobs.submit({ ...request, key: 'catalogue lakes' })
  const job = await repo.jobs.waitFor(id, AbortSignal.timeout(10_000))
  expect(job?.state).toBe('done')
  expect((await repo.ask('/catalogues/lakes')).status).toBe(200)
  expect((await repo.ask('/datasets/como')).status).toBe(200)
})

it('that delete a catalogue cannot be cancelled while they wait', async () => {
  const request = { kind: 'delete-catalogue', payload: null, createdBy: 'test' }
  const later = Number.MAX_SAFE_INTEGER
  const { id } = repo.jobs.submit({ ...request, key: 'catalogue lakes', runAt: later })
  const { status, body } = await ask(`/jobs/${id}`, 'DELETE')
  expect([status, body.detail]).toEqual([
    409,
    'a job of the kind delete-catalogue cannot be cancelled',
  ])
})
