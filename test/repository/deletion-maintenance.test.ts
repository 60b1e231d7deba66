/** The maintenance of tombstones goes on, whatever their file cannot take. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

it('purges tombstones later when their file is full now, and the process lives', async () => {
  const repo = await repository()
  onTestFinished(() => repo.close())
  await repo.putCatalogue('lakes')
  await repo.putDataset('lakes', 'old', `${prefixes}<> a dcat:Dataset ; dct:title "Old"@en .`)
  expect((await repo.ask('/datasets/old', { method: 'DELETE' })).status).toBe(204)
  const file = new DatabaseSync(join(repo.directory, 'deleted', 'tombstones.db'))
  onTestFinished(() => file.close())
  const left = () => file.prepare('SELECT count(*) AS n FROM tombstone').get()?.['n']
  file.exec(`CREATE TRIGGER full BEFORE DELETE ON tombstone
    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
  repo.clock.now = new Date('2026-12-31T10:00:00Z')
  await expect.poll(() => repo.logged.join('')).toContain('job.attempt-failed')
  expect(left()).toBe(1)
  file.exec('DROP TRIGGER full')
  await expect.poll(left).toBe(0)
  const purges = () => repo.jobs.list({ kind: 'purge-tombstones', limit: 9, offset: 0 })
  await expect
    .poll(purges)
    .toMatchObject([
      { state: 'done', createdBy: 'schedule', progress: { done: 1 }, result: { tombstones: 1 } },
    ])
})

it('purges all tombstones past their window in one job', async () => {
  const repo = await repository()
  onTestFinished(() => repo.close())
  const ids = Array.from({ length: 450 }, (_, n) => `d${n}`)
  const rest = { catalogue: 'c', originalId: undefined, content: '', metrics: '' }
  const deleted = ids.map((id) => ({ ...rest, kind: 'dataset' as const, id }))
  repo.deletion.tombstones.write(deleted, repo.clock.now).end(ids)
  repo.clock.now = new Date('2026-12-31T10:00:00Z')
  const purges = () => repo.jobs.list({ kind: 'purge-tombstones', limit: 9, offset: 0 })
  await expect.poll(purges).toMatchObject([{ state: 'done', result: { tombstones: 450 } }])
})
