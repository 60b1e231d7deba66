/** Launches: what starts, what waits, what ends how. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { SegmentFunction } from '../../../src/pipe/segment.ts'
import { launcherFixture, pipe, timeoutSignal } from './launcher-fixture.ts'

describe('a launch', () => {
  it('runs every segment to the end and finishes with the outcome of the last one', async () => {
    const { launcher, go } = await launcherFixture()
    const made = go('city', { startedBy: 'trigger', trigger: 'daily' })
    const run = await launcher.waitForEnd(made.id, timeoutSignal())
    expect(run).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      trigger: 'daily',
      startedBy: 'trigger',
      catalogue: 'of-city',
      counts: { offered: 3, created: 2, failed: 1 },
      segments: [
        { name: 'importing-test', processed: true },
        { name: 'exporting-hub', processed: true },
      ],
    })
    expect(launcher.active()).toEqual([])
  })

  it('of a pipe that does not exist, or with configs for a segment that it does not have, makes no run', async () => {
    const { runs, go } = await launcherFixture()
    expect(() => go('none')).toThrow(/unknown-pipe/)
    expect(() => go('city', { configs: { 'transforming-js': {} } })).toThrow(/invalid-parameter/)
    expect(runs.list({ offset: 0, limit: 10 })).toEqual([])
  })

  it('of a pipe that cannot be opened gives a run that has failed, and says why', async () => {
    const { go, pipes } = await launcherFixture()
    pipes.set('late', pipe('late', { deadline: 'six hours' }))
    expect(go('typo')).toMatchObject({
      status: 'failed',
      problem: {
        type: 'urn:cartulary:problem:unknown-segment',
        errors: [{ pointer: '/body/segments/0/header/name' }],
      },
    })
    expect(go('wrong')).toMatchObject({
      status: 'failed',
      problem: {
        type: 'urn:cartulary:problem:invalid-pipe',
        errors: [{ pointer: '/body/segments/0/body/config/address' }],
      },
    })
    expect(go('late').problem?.errors?.[0]?.detail).toMatch(/ISO 8601/)
  })

  it('lays its configs over those of the pipe', async () => {
    const { launcher, go, stage } = await launcherFixture()
    await launcher.waitForEnd(
      go('city', { configs: { 'importing-test': { records: 7 } } }).id,
      timeoutSignal(),
    )
    expect(stage.configs[0]).toMatchObject({ records: 7, catalogue: 'of-city' })
  })

  it('whose source fails has failed with its problem; foreign words stay in the log', async () => {
    const { launcher, go } = await launcherFixture({
      afterImport: async function* (input) {
        for await (const message of input) {
          if (message.kind === 'record' && message.counter === 50) throw new Error('a secret path')
          yield message
        }
      },
    })
    expect(await launcher.waitForEnd(go('broken').id, timeoutSignal())).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:source-html', detail: 'a login page' },
    })
    const { status, problem } = await launcher.waitForEnd(go('many').id, timeoutSignal())
    expect([status, problem?.type]).toEqual(['failed', 'urn:cartulary:problem:internal'])
    expect(JSON.stringify(problem)).not.toContain('secret')
  })

  it('knows the start of the last complete run', async () => {
    const { launcher, go, stage, place } = await launcherFixture()
    await launcher.waitForEnd(go('city').id, timeoutSignal())
    place.at += 1000
    await launcher.waitForEnd(go('city').id, timeoutSignal())
    expect(stage.contexts.map(({ lastRun }) => lastRun?.toISOString())).toEqual([
      undefined,
      '2026-11-21T06:00:00.000Z',
    ])
  })

  it('is a dry run of at most 20 records when nothing else is said, and counts as nothing', async () => {
    const { launcher, go, stage, runs } = await launcherFixture()
    const run = await launcher.waitForEnd(go('many', { dryRun: true }).id, timeoutSignal())
    expect(run).toMatchObject({ status: 'finished', outcome: 'dry-run' })
    expect([...runs.items(run.id)]).toHaveLength(20)
    expect(stage.configs[0]?.['limit']).toBe(20)
    expect(stage.contexts[0]?.dryRun).toBe(true)
    expect(runs.lastComplete('many')).toBeUndefined()
    const five = await launcher.waitForEnd(
      go('many', { dryRun: true, limit: 5 }).id,
      timeoutSignal(),
    )
    expect([...runs.items(five.id)]).toHaveLength(5)
  })

  it('with a limit is incomplete', async () => {
    const { launcher, go } = await launcherFixture()
    expect(await launcher.waitForEnd(go('many', { limit: 10 }).id, timeoutSignal())).toMatchObject({
      outcome: 'incomplete',
    })
  })

  it('tells segments of other processes when the last complete run began', async () => {
    const { place, runs, launcher, go } = await launcherFixture()
    const complete = await launcher.waitForEnd(go('city').id, timeoutSignal())
    await launcher.waitForEnd(go('city', { limit: 1 }).id, timeoutSignal())
    expect(runs.lastComplete('city')?.id).toBe(complete.id)
    place.at += 60_000
    const told: unknown[] = []
    const later = await launcherFixture(
      {
        resolve: ({ header: { name } }) => ({ kind: 'bus', address: name, by: 'operator' }),
        remote: ({ header }) => {
          told.push(header.lastRun)
          return (input) => input
        },
      },
      place,
    )
    await later.launcher.waitForEnd(later.go('city').id, timeoutSignal())
    await later.launcher.waitForEnd(later.go('other').id, timeoutSignal())
    expect(new Set(told)).toEqual(new Set([complete.startTime, undefined]))
  })

  it('hands segments of other processes to the transport, with run id and start; without one it has failed', async () => {
    const asked: unknown[] = []
    const through: SegmentFunction = (input) => input
    const resolve = (segment: { header: { name: string } }) =>
      ({ kind: 'bus', address: segment.header.name, by: 'operator' }) as const
    const { launcher, go } = await launcherFixture({
      resolve,
      remote: (pipe, segment, resolution) => {
        asked.push([
          pipe.header.runId,
          pipe.header.startTime,
          segment.header.segmentNumber,
          resolution.kind,
        ])
        return through
      },
    })
    const { id } = await launcher.waitForEnd(go('city').id, timeoutSignal())
    expect(asked.at(-1)).toEqual([id, '2026-11-21T06:00:00.000Z', 2, 'bus'])
    const alone = await launcherFixture({ resolve })
    expect(alone.go('city')).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:unknown-segment' },
    })
  })

  it('is told when it has ended, whatever the listener does with it', async () => {
    const told: string[] = []
    const { launcher, go } = await launcherFixture({
      onEnd: (run) => {
        told.push(`${run.pipe} ${run.status}`)
        throw new Error('listener')
      },
    })
    go('typo')
    await launcher.waitForEnd(go('city').id, timeoutSignal())
    expect(told).toEqual(['typo failed', 'city finished'])
  })
})

describe('a launch while the pipe is active', () => {
  it('is dropped in favour of the active run', async () => {
    const { launcher, go } = await launcherFixture()
    const { id } = go('slow')
    expect(launcher.launch({ pipe: 'slow', startedBy: 'api' })).toMatchObject({ dropped: { id } })
    expect(launcher.active().map((run) => run.id)).toEqual([id])
  })

  it('restarts: the active one is cancelled, the new one starts when that has ended', async () => {
    const { launcher, go, status } = await launcherFixture()
    const first = go('slow')
    const second = go('slow', { startMode: 'restart' })
    expect(second.status).toBe('waiting')
    await expect.poll(() => status(second.id)).toBe('running')
    expect(await launcher.waitForEnd(first.id, timeoutSignal())).toMatchObject({
      status: 'cancelled',
      problem: { type: 'urn:cartulary:problem:run-cancelled' },
    })
  })

  it('is appended in the one waiting place; the newest wins', async () => {
    const { go, status, stage, hanging } = await launcherFixture()
    const first = go('slow')
    const second = go('slow', { startMode: 'append' })
    const third = go('slow', { startMode: 'append' })
    expect([first, second, third].map(({ id }) => status(id))).toEqual([
      'running',
      'cancelled',
      'waiting',
    ])
    await hanging(1)
    stage.release()
    await expect.poll(() => status(third.id)).toBe('running')
    expect(status(first.id)).toBe('finished')
  })

  it('goes beside it when concurrent; so does every dry run', async () => {
    const { go, status } = await launcherFixture()
    const all = [go('slow'), go('slow', { startMode: 'concurrent' }), go('slow', { dryRun: true })]
    expect(all.map(({ id }) => status(id))).toEqual(['running', 'running', 'running'])
  })
})

describe('the queue', () => {
  it('lets so many run at once, the others in order, and no pipe stands in the way of another', async () => {
    const { go, status, launcher, stage, hanging } = await launcherFixture({ atOnce: 2 })
    const first = go('slow')
    const again = go('slow', { startMode: 'append' })
    const beside = go('short')
    const last = go('city')
    expect([first, again, beside, last].map(({ id }) => status(id))).toEqual([
      'running',
      'waiting',
      'running',
      'waiting',
    ])
    expect(launcher.active()).toHaveLength(4)
    await hanging(2)
    stage.release()
    await launcher.waitForEnd(last.id, timeoutSignal())
    await expect.poll(() => status(again.id)).toBe('running')
  })

  it('has an end: a launch too many is refused, and so is one to resume', async () => {
    const { go, launcher } = await launcherFixture({ atOnce: 1 })
    go('slow')
    const last = Array.from({ length: 1000 }, () => go('slow', { startMode: 'concurrent' })).at(-1)
    expect(() => go('slow', { startMode: 'concurrent' })).toThrow(/too-many-requests/)
    await launcher.cancel(last?.id ?? '')
    go('slow', { startMode: 'concurrent' })
    expect(() => launcher.resume(last?.id ?? '')).toThrow(/too-many-requests/)
  })
})

describe('a run ends', () => {
  it('cancelled, when the work in flight has ended; a waiting one at once; an ended one not again', async () => {
    const { go, launcher, hanging } = await launcherFixture()
    const first = go('slow')
    await hanging(1)
    const second = go('slow', { startMode: 'append' })
    expect(await launcher.cancel(second.id)).toMatchObject({ status: 'cancelled' })
    expect(await launcher.cancel(first.id)).toMatchObject({
      status: 'cancelled',
      counts: { created: 2 },
    })
    await expect(launcher.cancel(first.id)).rejects.toThrow(/is already cancelled/)
    await expect(launcher.cancel('none')).rejects.toThrow(/unknown-run/)
  })

  it('cancelled even if a segment does not listen', async () => {
    const { go, launcher } = await launcherFixture()
    expect(await launcher.cancel(go('deaf').id)).toMatchObject({ status: 'cancelled' })
  })

  it('at its deadline, the shorter one of the pipe first', async () => {
    const { go, launcher, place, status } = await launcherFixture({ deadlineMs: 60_000 })
    const [long, short] = [go('slow'), go('short')]
    place.at += 11_000
    expect(await launcher.waitForEnd(short.id, timeoutSignal())).toMatchObject({
      status: 'timed-out',
      problem: { type: 'urn:cartulary:problem:run-deadline' },
    })
    expect(status(long.id)).toBe('running')
    place.at += 50_000
    expect(await launcher.waitForEnd(long.id, timeoutSignal())).toMatchObject({
      status: 'timed-out',
    })
  })

  it('when nothing comes for ten minutes; a sign of life is enough', async () => {
    const { go, launcher, place, status, stage, hanging } = await launcherFixture()
    const { id } = go('slow')
    await hanging(1)
    place.at += 599_000
    stage.contexts[0]?.sink.alive()
    place.at += 599_000
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(status(id)).toBe('running')
    place.at += 2000
    expect(await launcher.waitForEnd(id, timeoutSignal())).toMatchObject({
      status: 'timed-out',
      problem: {
        type: 'urn:cartulary:problem:run-stalled',
        detail: 'no page and no item came for 601 s',
      },
    })
  })

  it('in the history although it could not be written at first', async () => {
    const { go, launcher, runs, stage, status, hanging } = await launcherFixture()
    const { id } = go('slow')
    await hanging(1)
    const change = runs.change.bind(runs)
    let times = 0
    runs.change = (...given) => {
      times += 1
      if (times < 3) throw new Error('disk full')
      return change(...given)
    }
    stage.release()
    expect(await launcher.waitForEnd(id, timeoutSignal())).toMatchObject({ status: 'finished' })
    expect(status(id)).toBe('finished')
  })

  it('interrupted, when the process is stopped; then nothing starts any more', async () => {
    const { go, launcher, status } = await launcherFixture()
    const first = go('slow')
    const second = go('slow', { startMode: 'append' })
    await launcher.stop()
    expect([status(first.id), status(second.id)]).toEqual(['interrupted', 'interrupted'])
    expect(() => go('city')).toThrow(Failure)
  })
})
