/** Runs that are fed by the repository, because their pipe has no importer. */

import { describe, expect, it } from 'vitest'
import { launcherFixture, timeoutSignal } from './launcher-fixture.ts'

describe('a run that is fed', () => {
  it('is about the catalogue that the launch, or the pipe itself, names, or about everything', async () => {
    const { go, launcher, stage, runs } = await launcherFixture()
    const launched = await launcher.waitForEnd(
      go('measuring', { feed: { catalogue: 'land', pulseMs: 5 } }).id,
      timeoutSignal(),
    )
    expect(launched).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      catalogue: 'land',
      counts: { offered: 3, created: 2, failed: 1 },
      segments: [{ name: 'metrics-test', processed: true }, { processed: true }],
    })
    const own = await launcher.waitForEnd(go('measuring').id, timeoutSignal())
    expect(own.catalogue).toBe('of-measuring')
    await launcher.waitForEnd(go('all').id, timeoutSignal())
    const [first] = stage.feeds
    expect(first).toEqual({ catalogue: 'land', pulseMs: 5 })
    expect(runs.resumption(launched.id).start.feed).toEqual(first)
    expect(new Set(stage.feeds.map(({ catalogue }) => catalogue))).toEqual(
      new Set(['land', 'of-measuring', undefined]),
    )
  })

  it('waits for runs about the same catalogue, not for those about another one or about single datasets', async () => {
    const { launcher, hanging, status, stage } = await launcherFixture()
    const go = (feed: { catalogue: string; datasets?: readonly string[] }) =>
      launcher.launch({ pipe: 'measuring', startedBy: 'console', startMode: 'append', feed })
    const launched = [
      { catalogue: 'slow' },
      { catalogue: 'slow' },
      { catalogue: 'slow', datasets: ['a'] },
      { catalogue: 'land' },
    ].map(go)
    const ids = launched.flatMap((one) => ('run' in one ? [one.run.id] : []))
    await hanging(2)
    await launcher.waitForEnd(ids[3] ?? '', timeoutSignal())
    expect(ids.map(status)).toEqual(['running', 'waiting', 'running', 'finished'])
    expect(
      launcher.launch({ pipe: 'measuring', startedBy: 'api', feed: { catalogue: 'slow' } }),
    ).toMatchObject({ dropped: { id: ids[0] } })
    stage.release()
  })

  it('goes on with its feed after a crash, each lane by itself', async () => {
    const first = await launcherFixture()
    const feed = { catalogue: 'slow', datasets: ['a', 'b'] }
    const whole = first.go('measuring', { feed: { catalogue: 'slow' } })
    const some = first.go('measuring', { feed })
    await first.hanging(2)
    const second = await launcherFixture({}, first.place.killed())
    await second.hanging(2)
    expect([whole, some].map(({ id }) => second.status(id))).toEqual(['running', 'running'])
    expect(second.stage.feeds).toContainEqual(feed)
    expect(second.stage.contexts[0]).toMatchObject({ isResumed: true, resumeFrom: 'after-3' })
    second.stage.release()
  })

  it('is resumed although another catalogue is complete since, not when its own is', async () => {
    const { go, launcher, hanging, place, stage } = await launcherFixture()
    const { id } = go('measuring', { feed: { catalogue: 'slow' } })
    await hanging(1)
    await launcher.cancel(id)
    place.at += 1000
    await launcher.waitForEnd(go('measuring', { feed: { catalogue: 'land' } }).id, timeoutSignal())
    expect(launcher.resume(id)).toMatchObject({ id })
    await hanging(1)
    await launcher.cancel(id)
    place.at += 1000
    const later = go('measuring', { feed: { catalogue: 'slow' } })
    await hanging(1)
    stage.release()
    await launcher.waitForEnd(later.id, timeoutSignal())
    expect(() => launcher.resume(id)).toThrow(/later run/)
  })

  it('tries again what failed, with the same feed', async () => {
    const { go, launcher, stage } = await launcherFixture()
    const feed = { catalogue: 'land', withMetrics: true }
    const first = await launcher.waitForEnd(go('measuring', { feed }).id, timeoutSignal())
    await launcher.waitForEnd(launcher.retry(first.id).id, timeoutSignal())
    expect([...(stage.contexts[1]?.only ?? [])]).toEqual(['s2'])
    expect(stage.feeds[1] ?? {}).toEqual(feed)
  })

  it('has failed when an importer would bring records too, nothing measures, or nothing feeds it', async () => {
    const { go } = await launcherFixture()
    expect(go('city', { feed: { catalogue: 'land' } })).toMatchObject({
      status: 'failed',
      problem: { type: 'urn:cartulary:problem:invalid-pipe' },
    })
    const mapping = go('mapping', { feed: { catalogue: 'land' } })
    expect(mapping).toMatchObject({ status: 'failed' })
    expect(mapping.problem?.detail).toContain('metrics segment')
    const without = await launcherFixture({ feeds: undefined })
    expect(without.go('measuring').problem?.detail).toContain('repository')
  })

  it('ends after as many records as were asked for', async () => {
    const { go, launcher, runs } = await launcherFixture()
    const run = await launcher.waitForEnd(
      go('measuring', { limit: 1, dryRun: true }).id,
      timeoutSignal(),
    )
    expect([...runs.items(run.id)]).toHaveLength(1)
    expect(run.outcome).toBe('dry-run')
  })
})
