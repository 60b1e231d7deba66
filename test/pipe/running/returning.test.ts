/** Runs that come back: after a crash, on demand, and what failed alone. */

import { describe, expect, it } from 'vitest'
import type { Run } from '../../../src/pipe/runs/run.ts'
import { day } from '../runs/runs-fixture.ts'
import { launcherFixture, timeoutSignal } from './launcher-fixture.ts'

describe('after a crash', () => {
  it('a run goes on by itself, once, from the page that was written last', async () => {
    const first = await launcherFixture()
    const { id } = first.go('slow')
    await first.hanging(1)
    const second = await launcherFixture({}, first.place.killed())
    await second.hanging(1)
    expect(second.stage.contexts[0]).toMatchObject({
      runId: id,
      isResumed: true,
      resumeFrom: 'after-3',
    })
    const told: string[] = []
    const onEnd = (run: Run) => void told.push(`${run.id} ${run.status}`)
    const third = await launcherFixture({ onEnd }, second.place.killed())
    expect(third.status(id)).toBe('interrupted')
    expect(told).toEqual([`${id} interrupted`])
    expect(third.stage.contexts).toEqual([])
  })

  it('a waiting run goes on too, after the one before it', async () => {
    const first = await launcherFixture({ atOnce: 1 })
    const [a, b] = [first.go('slow'), first.go('city')]
    await first.hanging(1)
    const second = await launcherFixture({ atOnce: 1 }, first.place.killed())
    expect([a, b].map(({ id }) => second.status(id))).toEqual(['running', 'waiting'])
    expect(second.launcher.load()).toEqual({ runs: 1, waiting: 1 })
    await second.hanging(1)
    second.stage.release()
    expect(await second.launcher.waitForEnd(b.id, timeoutSignal())).toMatchObject({
      status: 'finished',
      counts: { created: 2 },
    })
  })

  it('a run of another process goes on when its lease has run out', async () => {
    const first = await launcherFixture()
    const { id } = first.go('slow')
    await first.hanging(1)
    const place = first.place.killed()
    const second = await launcherFixture({ runs: place.open({ owner: 'host:2' }) }, place)
    expect(second.status(id)).toBe('running')
    expect(second.stage.contexts).toEqual([])
    place.at += 61_000
    await second.hanging(1)
    expect(second.stage.contexts[0]?.isResumed).toBe(true)
  })

  it('neither a dry run, nor one of yesterday, nor one whose pipe is gone goes on', async () => {
    const first = await launcherFixture()
    const dry = first.go('slow', { dryRun: true })
    const same = await launcherFixture({}, first.place.killed())
    expect(same.status(dry.id)).toBe('interrupted')

    const second = await launcherFixture()
    const { id } = second.go('slow')
    await second.launcher.stop()
    const later = second.place.killed()
    later.at += day + 1
    expect((await launcherFixture({}, later)).status(id)).toBe('interrupted')
    const third = await launcherFixture()
    const killed = third.go('slow')
    await third.hanging(1)
    const older = third.place.killed()
    older.at += day + 60_001
    expect((await launcherFixture({}, older)).status(killed.id)).toBe('interrupted')
    const without = await launcherFixture(
      { sources: { find: () => undefined } },
      second.place.killed(),
    )
    expect(without.status(id)).toBe('interrupted')
  })

  it('a run that was stopped with its process goes on when the next one starts', async () => {
    const first = await launcherFixture()
    const { id } = first.go('slow')
    await first.launcher.stop()
    const second = await launcherFixture({}, first.place.killed())
    expect(second.status(id)).toBe('running')
  })
})

describe('resuming', () => {
  it('takes the same run on, as often as asked, and counts nothing twice', async () => {
    const { go, launcher, hanging, stage } = await launcherFixture()
    const { id } = go('slow')
    for (const times of [1, 2]) {
      await hanging(1)
      await launcher.cancel(id)
      expect(launcher.resume(id)).toMatchObject({ id, problem: null })
      expect(stage.contexts).toHaveLength(times + 1)
    }
    await hanging(1)
    stage.release()
    expect(await launcher.waitForEnd(id, timeoutSignal())).toMatchObject({ status: 'finished' })
  })

  it('is refused for what is complete, dry, active, overtaken or unknown', async () => {
    const { go, launcher, place } = await launcherFixture()
    const broken = go('city', { configs: { 'importing-test': { after: 'fails' } } })
    await launcher.waitForEnd(broken.id, timeoutSignal())
    place.at += 1000
    const complete = await launcher.waitForEnd(go('city').id, timeoutSignal())
    const dry = await launcher.waitForEnd(go('broken', { dryRun: true }).id, timeoutSignal())
    expect(() => launcher.resume(complete.id)).toThrow(/nothing to resume/)
    expect(() => launcher.resume(dry.id)).toThrow(/dry run/)
    expect(() => launcher.resume(broken.id)).toThrow(/later run of the pipe is complete/)
    expect(() => launcher.resume(go('slow').id)).toThrow(/cannot become waiting/)
    expect(() => launcher.resume('none')).toThrow(/unknown-run/)
  })
})

describe('a retry', () => {
  it('is a new run that wants only what failed', async () => {
    const { go, launcher, stage, runs } = await launcherFixture()
    const first = await launcher.waitForEnd(go('city').id, timeoutSignal())
    const again = await launcher.waitForEnd(launcher.retry(first.id).id, timeoutSignal())
    expect([...(stage.contexts[1]?.only ?? [])]).toEqual(['s2'])
    expect(again).toMatchObject({ status: 'finished', counts: { created: 1, failed: 0 } })
    expect(runs.report(again.id).difference).toMatchObject({
      run: first.id,
      newlyFixed: { ids: ['s2'] },
    })
    expect(runs.lastComplete('city')?.id).toBe(first.id)
  })

  it('is refused when nothing failed, or the run goes on', async () => {
    const { go, launcher } = await launcherFixture()
    const fine = await launcher.waitForEnd(
      go('city', { configs: { 'importing-test': { records: 1 } } }).id,
      timeoutSignal(),
    )
    expect(() => launcher.retry(fine.id)).toThrow(/no failed item of the run/)
    expect(() => launcher.retry(go('slow').id)).toThrow(/the run is running/)
  })
})
